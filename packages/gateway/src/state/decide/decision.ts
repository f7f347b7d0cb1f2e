import type { AnswerInside, InputInside } from '@morsel/api/admin/inside.ts';
import type { OperationName } from '@morsel/api/admin/resources.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Rows } from '../rows/rows.ts';
import type { Decided } from './decided.ts';

/** What the decision of an operation gets beside its input. */
export interface Given<Made = undefined> {
  readonly at: Instant;
  /** What the caller made outside the decision, such as random octets. */
  readonly made: Made;
  /** The name of the operator who sent the request. */
  readonly by: string;
}

/** With `shows`, the client gets the answer of `show` with these values, read after the commit, and other members. */
export interface Shows {
  readonly shows: object;
}

/** Decides an operation. If the answer is null, the client gets what the resource's `show` answers after the commit. */
export type Decision<N extends OperationName, Made = undefined> = (
  rows: Rows,
  input: InputInside<N>,
  given: Given<Made>,
) => Decided<AnswerInside<N> | (Shows & Partial<AnswerInside<N>>) | null>;

/** The decision of an operation that changes no settings. Nodes reload none after it, and decide at the same time. */
export interface Unsettled<N extends OperationName, Made = undefined> {
  readonly decide: Decision<N, Made>;
  readonly isSetting: false;
  /** The name of the subject that two nodes must not decide about at the same time, if no row exists for it yet. */
  readonly subject?: (input: InputInside<N>) => string;
}

/** What a row of a bulk operation is decided with. */
export interface JobStep<Filter = unknown> {
  readonly at: Instant;
  readonly job: number;
  /** The filter of the job, in stored form. */
  readonly filter: Filter;
}

/** What became of a row, in the words of the declaration. */
export interface RowDone<Outcome extends string = string> {
  readonly outcome: Outcome;
  readonly refund?: { readonly account: number; readonly amount: Micros };
}
