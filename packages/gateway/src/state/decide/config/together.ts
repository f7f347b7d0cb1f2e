/*
 * Several commands as one: all of them are done in one commit, or none. A trial decides all of them and does none. Only an
 * operator's file of settings needs this. It is a group of its own: its steps look for rows by the ids that the steps before
 * them made in the rehearsal, and other commands would take these ids.
 */

import type { Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import type { AuditContext } from '../access/audit.ts';

/** Steps of one `together`. More are refused: they hold up all other writes, and other nodes, while they are decided. */
export const stepsMax = 2_000;

export interface Together {
  readonly at: Instant;
  /** Commands of the store. Their type would name itself here. */
  readonly steps: readonly { readonly kind: string }[];
  readonly isTrial: boolean;
  readonly audit?: AuditContext;
}

export interface TogetherDone {
  /** What each step answers. If one is refused, none is done, and the others answer what they would. */
  readonly results: readonly Result<unknown, Rejection>[];
  readonly isDone: boolean;
}
