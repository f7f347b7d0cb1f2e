/* Sorts the rows of a whole list by a column, which the URL names: `sort=balance`, or `sort=-balance` for the greatest first. */

import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { css } from '../ui.tsx';

type Row = Readonly<Record<string, unknown>>;

export function orderOf(sort: string, column: string): 'ascending' | 'descending' | undefined {
  if (sort === column) return 'ascending';
  return sort === `-${column}` ? 'descending' : undefined;
}

interface SorterProps {
  readonly of: string;
  readonly sort: string;
  readonly children: ReactNode;
}

/** The heading of a column. It sorts by the column, the other way round at the second press, and not at the third. */
export function Sorter({ of, sort, children }: SorterProps) {
  const order = orderOf(sort, of);
  const next = order === undefined ? of : order === 'ascending' ? `-${of}` : undefined;
  const arrow = order === undefined ? '' : order === 'ascending' ? ' ↑' : ' ↓';
  return (
    <Link to="." className={css['sorter']} search={(before) => ({ ...before, sort: next })}>
      {children}
      {arrow}
    </Link>
  );
}

/** Rows without a value are last. A column that the rows do not have changes nothing. */
export function sorted<R extends Row>(rows: readonly R[], sort: string): readonly R[] {
  const column = sort.replace(/^-/, '');
  if (!rows.some((row) => Object.hasOwn(row, column))) return rows;
  const sign = sort.startsWith('-') ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [one[column] ?? null, other[column] ?? null];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    if (typeof a === 'string' && typeof b === 'string') return sign * a.localeCompare(b);
    return a === b ? 0 : a < b ? -sign : sign;
  });
}
