/* The SQL of lookups, queries and effects by name: the end of `select … from` a table, a whole query, or statements. */

import type { Effect, Matching, Query, RowLookup } from '../../state/tables/lookup.ts';
import { accountTexts } from './account.ts';
import { messageTexts } from './message.ts';
import { notificationTexts } from './notification.ts';
import { privacyTexts } from './privacy.ts';
import { queueTexts } from './queue.ts';
import { routingTexts } from './routing.ts';

/** The SQL of an effect may be several statements. Each is run with all values of the effect. */
type Text = string | readonly string[];

/** Each name is in one object only. The compiler reports a name twice in an object, and a test a name in two. */
export const textsByName: readonly { readonly [name: string]: Text }[] = [
  accountTexts,
  messageTexts,
  notificationTexts,
  privacyTexts,
  queueTexts,
  routingTexts,
];
const texts = new Map(textsByName.flatMap((each) => Object.entries(each)));

/** The SQL that `sqlOf` has made. A lookup is one object for the whole run, so its SQL is made only once. */
const made = new WeakMap<RowLookup<unknown> | Query<unknown>, string>();

/** The SQL that follows `select … from` the table of a lookup, or the whole SQL of a query. */
export function sqlOf(of: RowLookup<unknown> | Query<unknown>): string {
  const known = made.get(of);
  if (known !== undefined) return known;
  const sql = 'table' in of && of.where ? whereSql(of.table.name, of.where) : statementsOf(of).join('; ');
  made.set(of, sql);
  return sql;
}

/** The statements of an effect. */
export function statementsOf({ name }: Pick<Effect, 'name'>): readonly string[] {
  const text = texts.get(name);
  if (text === undefined) throw new Error(`store/lookups has no SQL named ${name}`);
  return typeof text === 'string' ? [text] : text;
}

function whereSql(table: string, { columns, only }: Matching): string {
  const conditions = columns.map((column) => `${table}.${column} = ?`);
  if (only)
    conditions.push(
      `${only.column} ${'is' in only ? valueSql('is', '=', only.is) : valueSql('is not', '<>', only.isNot)}`,
    );
  return `where ${conditions.join(' and ')}`;
}

function valueSql(ofNull: string, ofValue: string, value: string | null): string {
  return value === null ? `${ofNull} null` : `${ofValue} '${value}'`;
}
