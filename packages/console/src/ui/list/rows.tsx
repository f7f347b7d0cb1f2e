/* The rows of a list as a table; on a phone, each row has two lines. */

import type { Column, FieldTable } from '@morsel/api/fields/field.ts';
import { isNumber, isState, labelOf } from '@morsel/api/fields/shown.ts';
import { use, type ReactNode } from 'react';
import { ageText } from '../../app/format.ts';
import { KnownContext } from '../../app/live.ts';
import { useTexts } from '../../app/search.ts';
import { words } from '../../words/words.ts';
import { sentenceOf } from '../labels.ts';
import { css } from '../ui.tsx';
import { useRowKeys } from './row-keys.ts';
import { orderOf, sorted, Sorter } from './sort.tsx';
import { decimalsIn, PlainText, Value } from '../values.tsx';

export type Row = Readonly<Record<string, unknown>>;

export type Cells = Readonly<Record<string, (row: Row) => ReactNode>>;

export interface RowsProps {
  readonly answer: FieldTable;
  readonly columns: readonly Column<FieldTable>[];
  readonly rows: readonly Row[];
  readonly cells?: Cells;
  readonly actions?: ((row: Row) => ReactNode) | undefined;
  /** Whether these are all rows, so that the page can sort them. */
  readonly isWhole?: boolean;
}

export function Rows({ answer, columns, rows: given, cells = {}, actions, isWhole = false }: RowsProps) {
  const isKnown = use(KnownContext);
  const { sort = '' } = useTexts();
  const rows = isWhole ? sorted(given, sort) : given;
  const box = useRowKeys();
  const hasAmounts = columns.some((column) => typeof column === 'string' && answer[column]?.kind === 'money');
  const shown = columns.filter(
    // Amounts are shown with their currency.
    (column) => !isUsual(answer, column, rows) && !(hasAmounts && column === 'currency'),
  );
  const isRight = (column: Column<FieldTable>) =>
    typeof column === 'string' ? isNumber(answer, column) : column.isNumber === true;
  const isFigure = (column: Column<FieldTable>) => isRight(column) || isState(keyOf(column));
  const heading = (column: Column<FieldTable>) =>
    typeof column === 'string' ? labelOf(answer, column) : sentenceOf(column.title);
  const places = phonePlaces(shown.map(keyOf), answer);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it (WCAG 2.1.1)
    <div ref={box} className={css['scroll']} tabIndex={0} role="group" aria-label={words.table}>
      <table className={css['table']}>
        <thead>
          <tr>
            {shown.map((column) => (
              <th
                key={keyOf(column)}
                scope="col"
                className={isRight(column) ? css['number'] : undefined}
                aria-sort={isWhole ? orderOf(sort, keyOf(column)) : undefined}
              >
                {isWhole && typeof column === 'string' ? (
                  <Sorter of={column} sort={sort}>
                    {heading(column)}
                  </Sorter>
                ) : (
                  heading(column)
                )}
              </th>
            ))}
            {actions && (
              <th scope="col" className={css['rowActions']}>
                <span className={css['hidden']}>{words.more}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- rows have no common key, and a page is replaced as a whole
            <tr key={at} tabIndex={-1}>
              {shown.map((column, place) => (
                <td
                  key={keyOf(column)}
                  className={isRight(column) ? css['number'] : undefined}
                  data-phone={places.get(keyOf(column))}
                >
                  {places.get(keyOf(column)) === 'age' && <PhoneAge at={row[keyOf(column)]} />}
                  {!isKnown && place > 0 && isFigure(column)
                    ? '–'
                    : (cells[keyOf(column)]?.(row) ?? <Cell answer={answer} column={column} row={row} rows={rows} />)}
                </td>
              ))}
              {actions && <td className={css['rowActions']}>{actions(row)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function keyOf(column: Column<FieldTable>): string {
  return typeof column === 'string' ? column : column.title;
}

function Cell({
  answer,
  column,
  row,
  rows,
}: {
  readonly answer: FieldTable;
  readonly column: Column<FieldTable>;
  readonly row: Row;
  readonly rows: readonly Row[];
}) {
  if (typeof column !== 'string') return <PlainText text={column.of(row)} />;
  const field = answer[column];
  if (!field) return null;
  const decimals = field.kind === 'money' ? decimalsIn(rows, column) : 0;
  return <Value name={column} field={field} value={row[column]} row={row} decimals={decimals} />;
}

export function nameIn(row: Row, name: string): string {
  const value = row[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Whether every row has the usual value, or none. Such a column is not shown. */
function isUsual(answer: FieldTable, column: Column<FieldTable>, rows: readonly Row[]): boolean {
  if (typeof column !== 'string') return false;
  const field = answer[column];
  if (rows.every((row) => row[column] === undefined || row[column] === null)) return true;
  if (!field || field.about.usual === undefined) return false;
  return rows.every((row) => {
    const value = row[column];
    return value === undefined || field.cell(value) === field.about.usual;
  });
}

/**
 * The columns that a phone shows, and their places in the two lines of a row: whom it is about and its state, then what
 * else names it and its age.
 */
function phonePlaces(names: readonly string[], answer: FieldTable): ReadonlyMap<string, string> {
  const isTime = (name: string) => answer[name]?.kind === 'instant';
  const main = names.includes('receiver') ? 'receiver' : names[0];
  const state = names.find((name) => name !== main && isState(name));
  const age = names.find((name) => name !== main && isTime(name));
  const known = [main, state, age];
  const more = names.filter((name) => !known.includes(name));
  const named = more.filter((name) => name === names[0] || name === 'account');
  const others = [...new Set([...named, ...more])].slice(0, state === undefined || age === undefined ? 3 : 2);
  const places: readonly (readonly [string | undefined, string])[] = [
    [main, 'main'],
    [state ?? others[2], 'state'],
    [others[0], 'first'],
    [others[1], 'second'],
    [age ?? (state === undefined ? undefined : others[2]), isTime(age ?? '') ? 'age' : 'last'],
  ];
  return new Map(places.flatMap(([name, place]) => (name === undefined ? [] : [[name, place]])));
}

/** The age of a row, which a phone shows instead of the time. */
function PhoneAge({ at }: { readonly at: unknown }) {
  return typeof at === 'number' && <span className={css['phoneAge']}>{ageText(Date.now() - at)}</span>;
}
