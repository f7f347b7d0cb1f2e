/*
 * Several commands as one: all of them are done in one transaction, or none. Each is decided with what the ones before it
 * changed. A trial decides all of them and does none. Only an operator's file of settings needs this, so it runs as a
 * group of its own.
 */

import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import type { Rows } from '../rows/rows.ts';
import type { Decided } from './decided.ts';

/** Steps of one `together`. More are refused: they hold up all other writes, and other nodes, while they are decided. */
export const stepsMax = 2_000;

interface Together {
  readonly at: Instant;
  /** Commands of the store. Their type would name itself here. */
  readonly steps: readonly { readonly kind: string }[];
  readonly isTrial: boolean;
}

export interface TogetherDone {
  /**
   * The results of the steps. If a step is refused, it is the last one, and none of the steps is done. A trial goes on
   * behind a refused step.
   */
  readonly results: readonly Result<unknown, Rejection>[];
  readonly isDone: boolean;
}

/** Rolls back the transaction of a `together`, and brings the answer. */
export class StepsRolledBack extends Error {
  readonly done: TogetherDone;

  constructor(results: TogetherDone['results']) {
    super('the steps were rolled back');
    this.done = { results, isDone: false };
  }
}

export const togetherCommand = {
  isSetting: true,
  /** Engines decide the steps one by one, because each names reads that depend on the ones before. */
  decide(_rows: Rows, { steps }: Together): Decided<TogetherDone> {
    return ok({ results: [], isDone: steps.length === 0 });
  },
};
