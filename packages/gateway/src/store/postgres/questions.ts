/* Lookups and queries as statements: one statement asks for all commands of a group. */

import type { Query, RowLookup } from '../../state/tables/lookup.ts';
import type { Stored } from '../../state/tables/column.ts';
import { sqlOf } from '../lookups/texts.ts';
import { columnsIn } from '../table-sql.ts';
import { arrayOf, type Element } from './wire/arrays.ts';
import type { Found, Statement } from './wire/flight.ts';
import { toPostgres } from './schema.ts';

export type LookupOrQuery = RowLookup<unknown> | Query<unknown>;

export interface BatchedQuestion {
  readonly of: LookupOrQuery;
  readonly values: readonly (readonly Stored[])[];
  /** How to lock the rows until the end of the transaction. */
  readonly lock?: 'for update' | 'for update skip locked' | undefined;
}

export type Version = string;

/** A row of an answer, with its version if it is the row of a table. */
export interface FoundRow {
  readonly row: object;
  readonly version: Version | null;
}

/** `unnest` returns the values as rows, and for each of them the lookup finds its rows by an index. */
export function statementOf({ of, values, lock }: BatchedQuestion): Statement {
  const width = values[0]?.length ?? 0;
  const columns = Array.from({ length: width }, (_, at) => values.map((each) => each[at] ?? null));
  const elements = columns.map(elementIn);
  return {
    text: textOf(of, elements, lock),
    values: columns.map((column, at) => arrayOf(elements[at] ?? 'text', column)),
  };
}

/** The SQL of each lookup, made once for all groups. */
const texts = new WeakMap<LookupOrQuery, Map<string, string>>();

function textOf(of: LookupOrQuery, elements: readonly Element[], lock: BatchedQuestion['lock']): string {
  const known = texts.get(of) ?? new Map<string, string>();
  texts.set(of, known);
  const form = `${elements.join(' ')} ${lock ?? ''}`;
  const text = known.get(form) ?? newTextOf(of, elements, lock);
  known.set(form, text);
  return text;
}

function newTextOf(of: LookupOrQuery, elements: readonly Element[], lock: BatchedQuestion['lock']): string {
  const names = shapeOf(of).names.map((name) => `t.${name}`);
  const found = `(${innerSql(of)} offset 0${lock ? ` ${lock}` : ''}) as t`;
  if (elements.length === 0) return `select ${names.join(', ')}, 1, t.row_version from ${found}`;
  const arrays = elements.map((element, at) => `$${at + 1}::${element}[]`).join(', ');
  const places = elements.map((_, at) => `v${at + 1}`).join(', ');
  const asked = `unnest(${arrays}) with ordinality as k(${places}, place)`;
  return `select ${names.join(', ')}, k.place, t.row_version from ${asked} cross join lateral ${found}`;
}

/** The answers of a question, in the order of its values. */
export function answersOf({ of, values }: BatchedQuestion, found: Found): FoundRow[][] {
  const shape = shapeOf(of);
  const answers = values.map((): FoundRow[] => []);
  for (const stored of found) {
    const place = Number(stored[shape.names.length]) - 1;
    const version = stored[shape.names.length + 1] ?? null;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- shapes make objects
    answers[place]?.push({ row: shape.read(stored) as object, version: version === null ? null : String(version) });
  }
  return answers;
}

/** The prefix of the columns of `unnest`, which replace placeholders. */
const unnested = 'k.v';

function shapeOf(of: LookupOrQuery) {
  return 'table' in of ? of.table.shape : of.shape;
}

function innerSql(of: LookupOrQuery): string {
  if (!('table' in of)) return `select q.*, null as row_version from (${toPostgres(sqlOf(of), unnested)}) as q`;
  const { name, shape } = of.table;
  return `select ${columnsIn(name, shape.names)}, ${name}.xmin as row_version from ${name} ${toPostgres(sqlOf(of), unnested)}`;
}

/** The type of a column of values. Nulls have no type. */
function elementIn(column: readonly Stored[]): Element {
  const value = column.find((each) => each !== null);
  if (typeof value === 'string') return 'text';
  return value instanceof Uint8Array ? 'bytea' : 'bigint';
}
