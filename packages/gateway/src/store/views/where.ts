/* The conditions of a query, made from the given filters, and the end of a limited search. */

import { integer } from '../../state/tables/column.ts';
import type { Queries } from './queries.ts';

type Bound = string | number;

/** Conditions with their values. Each combination of filters makes its own SQL text, which uses its own index. */
export class Where {
  readonly #conditions: string[] = [];
  readonly values: Bound[] = [];

  constructor(condition?: string, ...values: readonly Bound[]) {
    if (condition !== undefined) this.and(condition, ...values);
  }

  and(condition: string, ...values: readonly Bound[]): this {
    this.#conditions.push(condition);
    this.values.push(...values);
    return this;
  }

  /** Adds a condition, unless its value is missing. */
  given(condition: string, value: Bound | null | undefined): this {
    return value === null || value === undefined ? this : this.and(condition, value);
  }

  with(other: Where): Where {
    const both = new Where();
    both.#conditions.push(...this.#conditions, ...other.#conditions);
    both.values.push(...this.values, ...other.values);
    return both;
  }

  get isEmpty(): boolean {
    return this.#conditions.length === 0;
  }

  get sql(): string {
    return this.isEmpty ? '' : `where ${this.#conditions.join(' and ')}`;
  }
}

interface Look {
  /** The id column in whose order the search reads, with its table. */
  readonly place: `${string}.${string}`;
  readonly where: Where;
  readonly direction: 'asc' | 'desc';
  /** The search ends with the row that follows this many rows. */
  readonly passed: number;
}

/**
 * The id at which a search ends; undefined if it may read all rows. A search without an index is made in pages of
 * limited length.
 */
export async function endOfLook(
  queries: Queries,
  { place, where, direction, passed }: Look,
): Promise<number | undefined> {
  return queries.value(
    integer,
    `select ${place} from ${place.split('.')[0]} ${where.sql} order by ${place} ${direction} limit 1 offset ?`,
    ...where.values,
    passed,
  );
}
