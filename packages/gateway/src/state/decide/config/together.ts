/*
 * The command `together` has several commands as steps: all are done in one commit, or none. A trial decides all steps
 * and does none. Only an operator's file of settings needs this. It is committed alone. Its steps look for rows by ids
 * that earlier steps made in the rehearsal, and other commands would take these ids.
 */

import type { Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import type { AuditContext } from '../access/audit.ts';

/** The most steps of one `together`. While they are decided, all other writes wait, also on other nodes. */
export const stepsMax = 2_000;

export interface Together {
  readonly at: Instant;
  /** The steps are commands of the store. The type `Command` cannot be used here, because it contains this type. */
  readonly steps: readonly { readonly kind: string }[];
  readonly isTrial: boolean;
  readonly audit?: AuditContext;
}

export interface TogetherDone {
  /** The answers of the steps. If one is refused, none is done, and the others say what they would have done. */
  readonly results: readonly Result<unknown, Rejection>[];
  readonly isDone: boolean;
}
