import type { OperationName, OperationNamed } from '@morsel/api/admin/resources.ts';
import type { AnswerOf, InputOf } from '@morsel/api/admin/resource.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Rows } from '../rows/rows.ts';
import type { Decided } from './decided.ts';

/** What a decision is given beside its input. */
export interface Given<Made = undefined> {
  readonly at: Instant;
  /** What was made outside. */
  readonly made: Made;
  /** The name of the operator. */
  readonly by: string;
}

/** The answer is what the operation `show` answers after the commit if it is asked with `shows`, and the other members. */
export interface Shows {
  readonly shows: object;
}

/** Decides an operation. Null: the answer is what the operation `show` of the resource answers after the commit. */
export type Decision<N extends OperationName, Made = undefined> = (
  rows: Rows,
  input: InputOf<OperationNamed<N>>,
  given: Given<Made>,
) => Decided<AnswerOf<OperationNamed<N>> | (Shows & Partial<AnswerOf<OperationNamed<N>>>) | null>;

/** The decision of an operation that changes no settings: nodes need not use new settings, nor decide it one at a time. */
export interface Unsettled<N extends OperationName, Made = undefined> {
  readonly decide: Decision<N, Made>;
  readonly isSetting: false;
  /** The name of what must not be decided at two nodes at once, if no row stands for it yet. */
  readonly subject?: (input: InputOf<OperationNamed<N>>) => string;
}
