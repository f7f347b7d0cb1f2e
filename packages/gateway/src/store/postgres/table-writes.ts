/* Statements that write rows of one table. The rows are passed as one array for each column. */

import type { Stored } from '../../state/tables/column.ts';
import { replacement } from '../table-sql.ts';
import { shapeOfWrite, type Shape, type Table, type WriteWay } from '../../state/tables/table.ts';
import { arrayOf, elementOf, type Element } from './wire/arrays.ts';
import type { Statement } from './wire/flight.ts';
import type { Version } from './questions.ts';

/** The versions of rows when they were loaded. */
export type Versions = Pick<WeakMap<object, Version>, 'get'>;

type Insert = 'new' | 'put' | 'add';
type ChangeOfRows = 'changed' | 'rewritten' | 'gone';

interface Form {
  readonly text: string;
  readonly shape: Shape<unknown>;
  readonly elements: readonly Element[];
}

/** Each form is made once, because its shape compiles the function that writes a row. */
const forms = new WeakMap<object, Map<string, Form>>();

function formOf<Row>(table: Table<Row>, way: WriteWay, textOf: (unnest: string) => string, isBlind = false): Form {
  const name = isBlind ? 'blind' : way;
  const ofTable = forms.get(table) ?? new Map<string, Form>();
  forms.set(table, ofTable);
  const known = ofTable.get(name);
  if (known) return known;
  const shape = shapeOfWrite(table, way);
  const elements = shape.columns().map(([, { type }]) => elementOf[type]);
  const form = { text: textOf(elements.map((element, at) => `$${at + 1}::${element}[]`).join(', ')), shape, elements };
  ofTable.set(name, form);
  return form;
}

function arraysOf({ shape, elements }: Form, rows: readonly unknown[]): Buffer[] {
  return columnArrays(
    elements,
    rows.map((row) => shape.write(row)),
  );
}

/** One array for each column of written rows. */
export function columnArrays(elements: readonly Element[], written: readonly (readonly Stored[])[]): Buffer[] {
  const column: Stored[] = written.map(() => null);
  return elements.map((element, at) => {
    for (const [index, row] of written.entries()) column[index] = row[at] ?? null;
    return arrayOf(element, column);
  });
}

export function insertOf<Row>(table: Table<Row>, way: Insert, rows: readonly Row[]): Statement {
  const form = formOf(table, way, (unnest) => {
    const { name, shape, key } = table;
    const onConflict = { new: '', add: 'nothing', put: replacement(table) }[way];
    const conflict = onConflict === '' ? '' : ` on conflict (${key.names.join(', ')}) do ${onConflict}`;
    return `insert into ${name} (${shape.names.join(', ')}) select * from unnest(${unnest})${conflict}`;
  });
  return { text: form.text, values: arraysOf(form, way === 'put' ? byKey(table, rows) : rows) };
}

/** A statement that changes rows. It raises `MV001` if one of the rows has another version than when it was loaded. */
export function changeOf<Row extends object>(
  table: Table<Row>,
  way: ChangeOfRows,
  { rows, versions }: { readonly rows: readonly Row[]; readonly versions: Versions },
): Statement {
  const form = formOf(table, way, (unnest) => changeText(table, way, unnest));
  const ordered = byKey(table, rows);
  const xmins = ordered.map((row) => Number(versions.get(row)));
  return { text: form.text, values: [...arraysOf(form, ordered), arrayOf('xid', xmins), rows.length] };
}

function changeText<Row>(table: Table<Row>, way: ChangeOfRows, unnest: string): string {
  const { name, key } = table;
  const { names } = shapeOfWrite(table, way);
  const keyFrom = names.length - key.names.length;
  const isKey = key.names.map((column, at) => `t.${column} = u.v${keyFrom + at + 1}`);
  const places = names.map((_, at) => `v${at + 1}`);
  const from = `unnest(${unnest}, $${places.length + 1}::xid[]) as u(${places.join(', ')}, version)`;
  const where = `where ${isKey.join(' and ')} and t.xmin = u.version returning 1`;
  const set = names.slice(0, keyFrom).map((column, at) => `${column} = u.v${at + 1}`);
  const change =
    way === 'gone'
      ? `delete from ${name} as t using ${from} ${where}`
      : `update ${name} as t set ${set.join(', ')} from ${from} ${where}`;
  return `with done as (${change}) select morsel_expect((select count(*) from done), $${places.length + 2}::bigint)`;
}

/** Sorts rows by key. All nodes lock rows in this order, so that two nodes never wait for each other. */
function byKey<Row>({ key }: Table<Row>, rows: readonly Row[]): readonly Row[] {
  if (rows.length < 2) return rows;
  const keyed = rows.map((row) => ({ row, place: key.write(row) }));
  return keyed.toSorted((a, b) => compareKeys(a.place, b.place)).map(({ row }) => row);
}

function compareKeys(a: readonly Stored[], b: readonly Stored[]): number {
  for (const [at, value] of a.entries()) {
    const other = b[at] ?? null;
    if (value === other || value === null || other === null) continue;
    return value < other ? -1 : 1;
  }
  return 0;
}

/** A statement that deletes rows, whatever their versions are. */
export function deletionOf<Row>(table: Table<Row>, rows: readonly unknown[]): Statement {
  const form = formOf(
    table,
    'gone',
    (unnest) => {
      const { name, key } = table;
      const places = key.names.map((_, at) => `v${at + 1}`);
      const isKey = key.names.map((column, at) => `t.${column} = u.v${at + 1}`);
      return `delete from ${name} as t using unnest(${unnest}) as u(${places.join(', ')}) where ${isKey.join(' and ')}`;
    },
    true,
  );
  return { text: form.text, values: arraysOf(form, rows) };
}
