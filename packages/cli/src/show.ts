import type { FieldTable, Values } from '@morsel/api/admin/field.ts';
import type { Column as DeclaredColumn } from '@morsel/api/admin/resource.ts';
import { isNumber, isState, printable, titleOf } from '@morsel/api/admin/shown.ts';
import type { Shell } from './command.ts';
import { card, paint, table, type Column, type Row } from './table.ts';

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
    return {
      title: titleOf(answer, column),
      of: (row) => (row[column] === undefined ? '' : printable(field?.cell(row[column]) ?? '')),
      isNumber: isNumber(answer, column),
      isState: isState(column),
      usual: field?.about.usual,
    };
  });
}
