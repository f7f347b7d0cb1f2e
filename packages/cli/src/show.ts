import type { Field, FieldTable, Shown, Values } from '@morsel/api/fields/field.ts';
import { isNumber, isState, printable, titleOf } from '@morsel/api/fields/shown.ts';
import type { Shell } from './command.ts';
import { card, dump, paint, table, type Column, type Row } from './table.ts';

/* Formats many rows as a table, one row as names and values. `table.ts` has the layout. */

type Shows = Pick<Shell, 'hasColour'>;

/** Formats rows as a table. A column is left out if every row has its usual cell. */
export function tableOf<A extends FieldTable>(
  shown: Shown<A>,
  rows: readonly Values<A>[],
  { hasColour, whenEmpty }: Shows & { readonly whenEmpty: string },
): string {
  const plain = rows.map((row): Row => ({ ...row }));
  const columns = columnsOf(shown).filter((each) => plain.some((row) => each.of(row) !== each.usual));
  return table({ columns, rows: plain, whenEmpty }, hasColour);
}

/** Formats one row, with a line for each value. Lists of rows follow as tables, octets and JSON as paragraphs. */
export function cardOf<A extends FieldTable>(
  { answer, columns = Object.keys(answer) }: Shown<A>,
  values: Values<A>,
  shell: Shows,
): string {
  const row: Row = { ...values };
  const below = columns.flatMap((name) => {
    const field = typeof name === 'string' ? answer[name] : undefined;
    if (typeof name !== 'string' || !field) return [];
    const text = paragraphOf(field, row[name], shell);
    return text === undefined ? [] : [{ name, text: text && `${titleOf(answer, name).toLowerCase()}:\n${text}` }];
  });
  const lines = columnsOf({ answer, columns: columns.filter((name) => below.every((each) => each.name !== name)) })
    .map((each) => [each.title.toLowerCase(), withCurrency(each, row), each.isState === true] as const)
    .filter(([, text]) => text !== '')
    .map(([title, text, isPainted]) => [title, paint(text, isPainted && shell.hasColour)] as const);
  return [card(lines), ...below.map(({ text }) => text)].filter((each) => each !== '').join('\n\n');
}

/** A value as a paragraph: empty if there is nothing to show, and undefined if the value fits into a line. */
function paragraphOf({ rows, about }: Field<unknown>, value: unknown, { hasColour }: Shows): string | undefined {
  if (value instanceof Uint8Array) return dump(value);
  if (about.isJson && typeof value === 'string') return JSON.stringify(JSON.parse(value), undefined, 2);
  if (!rows || !Array.isArray(value)) return undefined;
  const items: readonly Row[] = value.map((each): Row => ({ ...Object(each) }));
  const columns = columnsOf(rows).filter((each) => items.some((row) => !['', each.usual].includes(each.of(row))));
  return table({ columns, rows: items, whenEmpty: about.whenEmpty ?? '' }, hasColour);
}

/** An amount with its currency. Only a card needs this: a table has a column for the currency. */
function withCurrency({ of, isAmount }: Column, row: Row): string {
  const currency = row['currency'] ?? row['clientCurrency'];
  const text = of(row);
  return isAmount && typeof currency === 'string'
    ? text.replaceAll(/-?\d[\d.]*/g, (each) => `${each} ${currency}`)
    : text;
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
      isAmount: field?.kind === 'money',
      usual: field?.about.usual,
    };
  });
}
