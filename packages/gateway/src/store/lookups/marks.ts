/* The SQL made from the marks of personal columns (state/tables/column.ts), for removal and erasure. */

import type { Personal } from '../../state/tables/column.ts';
import { allTables } from '../../state/tables/all.ts';
import type { Table } from '../../state/tables/table.ts';

type Of = 'message' | 'inbound';
type AnyTable = Pick<Table<unknown>, 'name' | 'shape'>;

/** The columns of a table with one of these marks. */
export function markedColumns({ shape }: AnyTable, ...marks: readonly Personal[]): readonly string[] {
  return shape.columns().flatMap(([name, { personal }]) => (personal && marks.includes(personal) ? [name] : []));
}

/** Tables with rows about messages or inbound messages. */
function tablesAbout(of: Of) {
  return allTables.flatMap((table) => (table.about?.of === of ? [{ table, by: table.about.by }] : []));
}

/** Tables with texts of messages, each with the condition that a row has a text. */
function textsOf(of: Of) {
  return tablesAbout(of).flatMap(({ table, by }) => {
    const columns = markedColumns(table, 'text');
    const isThere = columns.map((column) => `${table.name}.${column} is not null`).join(' or ');
    return columns.length === 0 ? [] : [{ name: table.name, by, columns, isThere }];
  });
}

/** The statements that empty the texts of the messages from one id to another. */
export function emptyTexts(of: Of): readonly string[] {
  return textsOf(of).map(({ name, by, columns, isThere }) => {
    const nulls = columns.map((column) => `${column} = null`).join(', ');
    return `update ${name} set ${nulls} where ${by} between ? and ? and (${isThere})`;
  });
}

/** Whether a message has a text. */
export function hasText(of: Of): string {
  const each = textsOf(of).map(({ name, by, isThere }) =>
    name === of ? isThere : `exists (select 1 from ${name} where ${name}.${by} = ${of}.id and (${isThere}))`,
  );
  return each.join(' or ');
}

/** Writes new values for the numbers of one message, in column order, and empties the columns that go with them. */
export function writeNumbers(table: AnyTable): string {
  const numbers = markedColumns(table, 'number').map((column) => `${column} = ?`);
  const extras = markedColumns(table, 'extra').map((column) => `${column} = null`);
  return `update ${table.name} set ${[...numbers, ...extras].join(', ')} where id = ?`;
}

/** The statements that delete the messages from one id to another, and before them the rows about them. */
export function deleteRows(of: Of): readonly string[] {
  return tablesAbout(of)
    .map(({ table, by }) => `delete from ${table.name} where ${by} between ? and ?`)
    .toReversed();
}

/** The tables whose rows the erasure of a number changes, beside those about messages. */
export const erasedTables = allTables.filter(({ erased }) => erased !== undefined);

/** Finds the rows with a number. Its three forms are the values from `first` on; a text may contain the second. */
export function hasNumber(table: AnyTable, first = 1): string {
  const forms = [first, first + 1, first + 2].map((each) => `?${each}`).join(', ');
  const types = new Map(table.shape.columns());
  const texts = markedColumns(table, 'text').filter((column) => types.get(column)?.type === 'text');
  return [
    ...markedColumns(table, 'number').map((column) => `${column} in (${forms})`),
    ...texts.map((column) => `${column} like '%' || ?${first + 1} || '%'`),
  ].join(' or ');
}

/** The statements that delete the rows with a number, or empty their numbers. */
export function eraseNumber(): readonly string[] {
  return erasedTables.flatMap((table) => {
    if (table.erased === 'rows') return `delete from ${table.name} where ${hasNumber(table)}`;
    return table.erased === 'numbers' ? emptyNumbers(table, hasNumber(table)) : [];
  });
}

export function emptyNumbers(table: AnyTable, where: string): string {
  const numbers = markedColumns(table, 'number').map((column) => `${column} = ''`);
  return `update ${table.name} set ${numbers.join(', ')} where ${where}`;
}

/** The tables with numbers or texts that an erasure changes. */
export const personalTables = allTables.filter((table) => markedColumns(table, 'text', 'number', 'extra').length > 0);
