import type { Json } from '@morsel/api/admin/exact-json.ts';
import { jsonOf, typedText } from '@morsel/api/admin/field.ts';
import type { Field, FieldTable, Values } from '@morsel/api/admin/field.ts';
import type { Column as DeclaredColumn } from '@morsel/api/admin/resource.ts';
import { optionOf } from './command.ts';
import type { Shell } from './command.ts';
import { card, paint, printable, table } from './table.ts';
import type { Column, Row } from './table.ts';

/*
 * Formats the rows of declared operations: many rows as a table, one row as names and values. `table.ts` has the
 * layout.
 */

/** The declared fields of a row, and the columns to show. Without `columns`, all fields are shown. */
export interface Shown<A extends FieldTable> {
  readonly answer: A;
  readonly columns?: readonly DeclaredColumn<A>[];
}

/** Formats rows as a table. A column is left out if every row has its usual cell. */
export function tableOf<A extends FieldTable>(
  shown: Shown<A>,
  rows: readonly Values<A>[],
  { hasColour, whenEmpty }: Pick<Shell, 'hasColour'> & { readonly whenEmpty: string },
): string {
  const plain = rows.map((row): Row => ({ ...row }));
  const columns = columnsOf(shown).filter((each) => plain.some((row) => each.of(row) !== each.usual));
  return table({ columns, rows: plain, whenEmpty }, hasColour);
}

/** Formats one row, with one line for each column that has a value. */
export function cardOf<A extends FieldTable>(
  shown: Shown<A>,
  values: Values<A>,
  { hasColour }: Pick<Shell, 'hasColour'>,
): string {
  const row: Row = { ...values };
  return card(
    columnsOf(shown)
      .filter((each) => each.of(row) !== '')
      .map((each) => [each.title.toLowerCase(), paint(each.of(row), each.isState === true && hasColour)]),
  );
}

function columnsOf<A extends FieldTable>({ answer, columns = Object.keys(answer) }: Shown<A>): readonly Column[] {
  return columns.map((column) => {
    if (typeof column !== 'string') return { ...column, of: (row) => printable(column.of(row as Values<A>)) };
    const field = answer[column];
    const types: readonly unknown[] = [field?.schema['type']].flat();
    return {
      title: field?.about.title ?? titleOf(column),
      of: (row) => (row[column] === undefined ? '' : printable(field?.cell(row[column]) ?? '')),
      isNumber: types.includes('integer') || types.includes('number'),
      isState: ['status', 'state', 'event'].includes(column),
      usual: field?.about.usual,
    };
  });
}

/** The heading for a field: LAST USED for `lastUsedAt`. */
function titleOf(name: string): string {
  return optionOf(name).replace(/-at$/, '').replaceAll('-', ' ').toUpperCase();
}

/** The headings of CSV. A field with an object has a column for each member, such as `profile.bind`. */
export function csvHeading(answer: FieldTable): readonly string[] {
  return Object.entries(answer).flatMap(([name, field]) => {
    const members = membersOf(field);
    return members.length === 0 ? [name] : members.map((member) => `${name}.${member}`);
  });
}

/** The cells of a row for CSV. */
export function csvRow<A extends FieldTable>(answer: A, row: Values<A>): readonly string[] {
  const cells = jsonOf(answer, row);
  return Object.entries(answer).flatMap(([name, field]) => {
    const members = membersOf(field);
    if (members.length === 0) return [csvCell(cells[name])];
    const object: { readonly [member: string]: Json } = { ...Object(cells[name]) };
    return members.map((member) => csvCell(object[member]));
  });
}

/** The members that an object always has. A field of another type has none. */
function membersOf({ schema }: Field<unknown>): readonly string[] {
  return Object.keys(Object(schema['properties']));
}

/** A value as a cell of CSV. Commas separate the items of a list. Objects are written as `version=3 effectiveAt=…; version=4 …`. */
function csvCell(json: Json): string {
  if (json === null || json === undefined) return '';
  if (Array.isArray(json)) return json.map(csvCell).join(json.some(isObject) ? '; ' : ',');
  if (!isObject(json)) return typedText(json);
  return Object.entries(json)
    .map(([name, value]) => `${name}=${csvCell(value)}`)
    .join(' ');
}

function isObject(json: Json): json is { readonly [member: string]: Json } {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}
