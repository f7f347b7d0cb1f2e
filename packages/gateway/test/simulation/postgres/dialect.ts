/*
 * Runs statements for PostgreSQL on SQLite. The engine makes its statements in a few forms only, and anything else is a
 * fault. Each table has a column `xmin` with the number of the transaction that wrote the row last, as in PostgreSQL.
 */

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Stored } from '../../../src/state/tables/column.ts';
import type { Statement } from '../../../src/store/postgres/wire/flight.ts';

export type Row = readonly Stored[];

/** A fault of the database, as `pg` reports it. */
export class DatabaseFault extends Error {
  readonly severity = 'ERROR';
  readonly code: string;

  constructor(code: string) {
    super(`SQLSTATE ${code}`);
    this.code = code;
  }
}

/** How a question locks the rows that it finds: it waits for rows that others have locked, or leaves them out. */
export interface RowLocking {
  readonly table: string;
  readonly isSkipping: boolean;
}

/** A statement in the words of SQLite. */
interface Translation {
  readonly sql: string;
  /** The arrays that become rows: the places of their values, and whether the elements are octets. */
  readonly lists: readonly (readonly number[])[];
  /** Set for a question that is asked once for each element of its arrays. */
  readonly each?: { readonly width: number; readonly limitAt: number | undefined };
  readonly locking: RowLocking | undefined;
  /** The place of the value that says how many rows are changed; undefined if it does not matter. */
  readonly expected: { readonly at: number } | { readonly count: number } | undefined;
  /** A query after a change of rows. */
  readonly after: string | undefined;
  /** Whether the changed rows are the answer, as one text. */
  readonly isAnswer?: boolean;
}

const translations = new Map<string, Translation>();

export class Dialect {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, readonly [StatementSync, number]>();
  #isUnexpected = false;
  /** The number of the transaction that writes now. */
  transaction = 1;

  /** `now`: the clock of the database, in milliseconds. `isLocked`: whether a connection holds the lock of a lease. */
  constructor(
    database: DatabaseSync,
    { now, isLocked }: { readonly now: () => number; readonly isLocked: (lease: unknown) => boolean },
  ) {
    this.#database = database;
    database.function('pg_current_xact_id', () => this.transaction);
    database.function('clock_timestamp', now);
    database.function('is_locked', (lease) => (isLocked(lease) ? 1 : 0));
    database.function('pg_try_advisory_xact_lock', (_locks, lease) => (isLocked(lease) ? 0 : 1));
    database.function('morsel_expect', (counted, wanted) => {
      this.#isUnexpected ||= counted !== wanted;
      return 1;
    });
  }

  lockingOf({ text }: Statement): RowLocking | undefined {
    return translationOf(text).locking;
  }

  /** Runs a statement. `isLeftOut`: whether a row is locked by another transaction. */
  run({ text, values = [] }: Statement, isLeftOut?: (row: Row) => boolean): Row[] {
    const { sql, lists, each, expected, after, isAnswer = false } = translationOf(text);
    const decoded = values.map((value) => (Buffer.isBuffer(value) ? elementsOf(value) : value));
    if (each) return this.#each(sql, decoded, { ...each, isLeftOut });
    const plain = decoded.map((value) => (Array.isArray(value) ? null : plainOf(value)));
    const given = [...plain, ...lists.map((places) => listOf(places.map((at) => decoded[at])))];
    const found = this.#all(sql, given);
    if (expected) {
      const wanted = 'at' in expected ? values[expected.at] : expected.count;
      if (found.length !== wanted) throw new DatabaseFault('MV001');
    }
    if (isAnswer) return [[1, found.map((row) => row.join(' ')).join(',')]];
    return after === undefined ? found : this.#all(after, given);
  }

  /** Asks once for each element, because SQLite has no `lateral`. */
  #each(
    sql: string,
    values: readonly (Stored | readonly Stored[])[],
    {
      width,
      limitAt,
      isLeftOut,
    }: NonNullable<Translation['each']> & { isLeftOut?: ((row: Row) => boolean) | undefined },
  ): Row[] {
    const arrays = values.map((value) => (Array.isArray(value) ? value : []));
    const count = Math.max(1, ...arrays.map(({ length }) => length));
    const found: Row[] = [];
    for (let at = 0; at < (width === 0 ? 1 : count); at++) {
      const given = arrays.map((array) => array[at] ?? null);
      const rows = this.#all(sql, [...given, at + 1]).filter((row) => isLeftOut?.(row) !== true);
      found.push(...(limitAt === undefined ? rows : rows.slice(0, Number(given[limitAt]))));
    }
    return found;
  }

  #all(sql: string, values: readonly Stored[]): Row[] {
    this.#isUnexpected = false;
    let found: Row[];
    try {
      const [statement, width] = this.#prepared(sql);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `setReturnArrays` makes arrays of rows
      found = statement.all(...(values.slice(0, width) as SQLInputValue[])) as unknown as Row[];
    } catch (fault) {
      throw isUniqueFault(fault) ? new DatabaseFault('23505') : new Error(`${String(fault)} in ${sql}`);
    }
    if (this.#isUnexpected) throw new DatabaseFault('MV001');
    return found;
  }

  /** A statement, with the number of values that it takes. */
  #prepared(sql: string): readonly [StatementSync, number] {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    const width = Math.max(0, ...Array.from(sql.matchAll(/\?(\d+)/g), ([, place]) => Number(place)));
    this.#statements.set(sql, [statement, width]);
    return [statement, width];
  }
}

function isUniqueFault(fault: unknown): boolean {
  return fault instanceof Error && /UNIQUE constraint/.test(fault.message);
}

function translationOf(text: string): Translation {
  const known = translations.get(text) ?? translated(text);
  translations.set(text, known);
  return known;
}

const lateral =
  /^select (.*), (k\.place|1), t\.row_version from (?:unnest\((.*?)\) with ordinality as k\(.*?\) cross join lateral )?\((.*) offset 0( for update(?: skip locked)?)?\) as t$/s;
const change = /^with (\w+) as \((.*) returning 1\) select (.*)$/s;
const answered =
  /^with done as \((.*) returning (.*?)\)\s+select morsel_expect\(count\(\*\), \$(\d+)::bigint\),\s+string_agg\(concat_ws\(' ', .*\), ','\) from done$/s;

function translated(text: string): Translation {
  const plain = { lists: [], locking: undefined, expected: undefined, after: undefined };
  const question = lateral.exec(text);
  if (question) return { ...plain, ...questionOf(question) };
  const [, updated = '', returned = '', count] = answered.exec(text) ?? [];
  if (count !== undefined) {
    const sql = `${updated} returning ${returned.replaceAll('t.', '')}`;
    return { ...plain, ...portable(sql, text), expected: { at: Number(count) - 1 }, isAnswer: true };
  }
  const changed = change.exec(text);
  if (!changed) {
    const isLocking = text.endsWith(' for update');
    const table = / from (\w+) where /.exec(text)?.[1] ?? '';
    return {
      ...plain,
      ...portable(text.replace(/ for update$/, '')),
      locking: isLocking ? { table, isSkipping: false } : undefined,
    };
  }
  const [, name, inner = '', then = ''] = changed;
  const counted = new RegExp(`morsel_expect\\(\\(select count\\(\\*\\) from ${name}\\), (\\$?)(\\d+)(?:::bigint)?\\)`);
  const [, isValue, number] = counted.exec(then) ?? [];
  const rest = then.replace(counted, '1');
  return {
    ...plain,
    ...portable(`${inner} returning 1`, text),
    expected: isValue === '$' ? { at: Number(number) - 1 } : { count: Number(number) },
    after: rest === '1' ? undefined : portable(`select ${rest}`).sql,
  };
}

function questionOf([, names = '', , arrays, inner = '', lock]: RegExpExecArray) {
  const width = arrays === undefined ? 0 : arrays.split(', ').length;
  const table = / from (\w+) /.exec(inner)?.[1] ?? '';
  const limit = lock === undefined ? undefined : / limit k\.v(\d+)$/.exec(inner);
  const asked = inner.includes('with recursive line as') ? allLines : limit ? inner.slice(0, limit.index) : inner;
  const { sql } = portable(asked.replaceAll(/\bk\.v(\d+)/g, '?$1'));
  return {
    sql: `select ${names}, ?${width + 1}, t.row_version from (${sql}) as t`,
    each: { width, limitAt: limit ? Number(limit[1]) - 1 : undefined },
    locking: lock === undefined ? undefined : { table, isSkipping: lock.endsWith('skip locked') },
  };
}

const allLines =
  'select q.*, null as row_version from (select distinct route, eligible, priority, account from queue) as q';

const unnest = /unnest\(((?:\$\d+::\w+\[\](?:, )?)+)\)(?: as (\w+) ?\((.*?)\))?/g;

/** Changes what SQLite says in other words. `whole`: the statement that has all values. */
function portable(text: string, whole = text): Pick<Translation, 'sql' | 'lists'> {
  const lists: number[][] = [];
  const values = Math.max(0, ...Array.from(whole.matchAll(/\$(\d+)/g), ([, place]) => Number(place)));
  const list = (places: readonly string[]) => {
    lists.push(places.map((place) => Number(place) - 1));
    return `?${values + lists.length}`;
  };
  const sql = text
    .replace(/cross join lateral\s+\(select 1 from (\w+) as t where (.*?) offset 0\) as same/s, 'join $1 as t on $2')
    .replace(
      /cross join lateral\s+\(select .*? from account where id = (.*?) offset 0\) as a/s,
      'join account as a on a.id = $1',
    )
    .replaceAll('greatest(', 'max(')
    .replaceAll(unnest, (_, arrays: string, name: string | undefined, columns: string | undefined) => {
      const elements = Array.from(arrays.matchAll(/\$(\d+)::(\w+)/g), ([, place = '', type]) => ({ place, type }));
      const names = columns?.split(', ') ?? elements.map((_each, at) => `v${at + 1}`);
      const read = elements.map(({ type }, at) => {
        const element = `json_extract(value, '$[${at}]')`;
        return `${type === 'bytea' ? `unhex(${element})` : element} as ${names[at]}`;
      });
      const from = `(select ${read.join(', ')} from json_each(${list(elements.map(({ place }) => place))}))`;
      return name === undefined ? `${from} where true` : `${from} as ${name}`;
    })
    .replaceAll(/(= any|<> all) \(\$(\d+)::\w+\[\]\)/g, (_, how: string, place: string) => {
      const elements = `(select json_extract(value, '$[0]') from json_each(${list([place])}))`;
      return `${how === '= any' ? 'in' : 'not in'} ${elements}`;
    })
    .replace(
      /^delete from (\w+)((?: as \w+)?) using (.*) where (.*?)( returning 1)?$/s,
      (_, table, as, from, where, end) =>
        `delete from ${table}${as} where exists (select 1 from ${from} where ${where})${end ?? ''}`,
    )
    .replaceAll(
      /from generate_series\((.*?), (.*?)\) as number/g,
      'from (with recursive s(number) as (select $1 union all select number + 1 from s where number < $2) select number from s)',
    )
    .replaceAll(/\(extract\(epoch from (clock_timestamp\(\)(?: - renewed_at)?)\) \* 1000\)/g, 'round($1)')
    .replaceAll(/array_to_string\(bound_links, ','\)/g, "trim(bound_links, '{}')")
    .replaceAll(/exists \(select 1 from pg_locks.* objid = (\S+)::oid .*? granted\)/gs, 'is_locked($1)')
    .replaceAll(/\bnow\(\)/g, 'clock_timestamp()')
    .replaceAll("interval '1 day'", '86400000')
    .replaceAll("interval '1 minute'", '60000')
    .replaceAll(/::[a-z]+(?:\[\])?/g, '')
    .replaceAll(/\$(\d+)/g, '?$1')
    .replace(/^(insert into .* from \w+) on conflict/s, '$1 where true on conflict');
  return { sql, lists };
}

/** Texts with arrays and booleans, as the statements about nodes have them. */
function plainOf(value: Stored): Stored {
  if (value === 'true' || value === 'false') return value === 'true' ? 1 : 0;
  return value;
}

/** The rows of several arrays, as JSON. */
function listOf(arrays: readonly (Stored | readonly Stored[] | undefined)[]): string {
  const columns = arrays.map((array) => (Array.isArray(array) ? array : textArray(String(array))));
  const count = Math.max(0, ...columns.map(({ length }) => length));
  const rows = Array.from({ length: count }, (_, at) => columns.map((column) => column[at] ?? null));
  return `[${rows.map((row) => `[${row.map(jsonOf).join()}]`).join()}]`;
}

function jsonOf(value: Stored): string {
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString('hex')}"`;
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}

/** The elements of an array in PostgreSQL's form of text. */
function textArray(text: string): Stored[] {
  const words = text.slice(1, -1).split(',').filter(Boolean);
  return words.map((word) => (/^-?\d+$/.test(word) ? Number(word) : word));
}

const [bigint, smallint, textOid, xid] = [20, 21, 25, 28];
const headOctets = 20;

/** The elements of an array in PostgreSQL's binary form. An array without dimensions has only nulls. */
export function elementsOf(array: Buffer): Stored[] {
  if (array.readInt32BE(0) === 0) return [];
  const type = array.readInt32BE(8);
  const elements: Stored[] = [];
  let at = headOctets;
  for (let count = array.readInt32BE(12); count > 0; count--) {
    const length = array.readInt32BE(at);
    at += 4;
    if (length === -1) {
      elements.push(null);
      continue;
    }
    const octets = array.subarray(at, at + length);
    at += length;
    elements.push(elementOf(type, octets));
  }
  return elements;
}

function elementOf(type: number, octets: Buffer): Stored {
  if (type === bigint) {
    const wide = octets.readBigInt64BE(0);
    return Number.isSafeInteger(Number(wide)) ? Number(wide) : wide;
  }
  if (type === smallint) return octets.readInt16BE(0);
  if (type === xid) return octets.readUInt32BE(0);
  return type === textOid ? octets.toString('utf8') : Buffer.from(octets);
}
