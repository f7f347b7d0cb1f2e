/* The SQL of what state asks and runs by name: the end of a `select … from` a table, a whole query, or statements. */

import type { Effect, Matching, Query, RowLookup } from '../../state/tables/lookup.ts';
import { accountTexts } from './account.ts';
import { messageTexts } from './message.ts';
import { notificationTexts } from './notification.ts';
import { privacyTexts } from './privacy.ts';
import { queueTexts } from './queue.ts';
import { routingTexts } from './routing.ts';

/** For an effect, several statements: each is run with all of its values. */
type Text = string | readonly string[];

/** Each name is in one of them: the compiler reports a name that an object has twice, and a test one of two objects. */
export const textsByName: readonly { readonly [name: string]: Text }[] = [
  accountTexts,
  messageTexts,
  notificationTexts,
  privacyTexts,
  queueTexts,
  routingTexts,
];
const texts = new Map(textsByName.flatMap((each) => Object.entries(each)));

/** What `sqlOf` has made: a lookup is an object for the whole run, and its SQL is made once. */
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
