import { zeroMicros } from '@morsel/api/values/money.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { integer, micros, text } from '../../tables/column.ts';
import { shape } from '../../tables/table.ts';
import type { Queries } from '../queries.ts';

const countShape = shape({ word: text, n: integer });

/** Sums over the whole store, for tests and checks. They read every row, so no API uses them. */
export interface Totals {
  readonly messages: { readonly [event: string]: number };
  readonly parts: { readonly [state: string]: number };
  readonly charged: Micros;
  readonly refunded: Micros;
  readonly waiting: number;
  readonly inDoubt: number;
  readonly unmatchedReceipts: number;
  readonly notes: { readonly [kind: string]: number };
  /** The names of accounts whose balance is not the sum of their entries. By M1, no such account may exist. */
  readonly unbalanced: readonly string[];
}

export async function readTotals(queries: Queries): Promise<Totals> {
  const count = async (sql: string) => (await queries.value(integer, sql)) ?? 0;
  const counts = async (sql: string) =>
    Object.fromEntries((await queries.rows(countShape, sql)).map(({ word, n }) => [word, n]));
  const sum = async (sql: string) => (await queries.value(micros, sql)) ?? zeroMicros;
  return {
    messages: await counts(
      'select report_event as word, count(*) as n from part where number = 1 group by report_event',
    ),
    parts: await counts('select state as word, count(*) as n from part group by state'),
    charged: await sum('select coalesce(sum(total_cost), 0) as n from message'),
    refunded: await sum("select coalesce(sum(amount), 0) as n from entry where kind = 'refund'"),
    waiting: await count('select count(*) as n from queue'),
    inDoubt: await count("select count(*) as n from part where state = 'in_doubt'"),
    unmatchedReceipts: await count('select count(*) as n from unmatched_receipt'),
    notes: await counts('select kind as word, count(*) as n from note group by kind'),
    unbalanced: await queries.values(
      text,
      `select name from account where balance <>
          (select coalesce(sum(amount), 0) from entry where entry.account = account.id) order by name`,
    ),
  };
}
