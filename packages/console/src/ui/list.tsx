/* A list of declared rows. Its filters and its place are in the URL, and the viewer can export it as CSV. */

import { askOperation } from '@morsel/api/admin/client.ts';
import type { Column, FieldTable } from '@morsel/api/fields/field.ts';
import type { Operation, Page } from '@morsel/api/admin/resource.ts';
import { isNumber, isState, titleOf } from '@morsel/api/fields/shown.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { use, type ReactNode } from 'react';
import { inputsIn, useTexts } from '../app/search.ts';
import { CallFailed } from '../app/client.ts';
import { KnownContext } from '../app/live.ts';
import { useMay } from '../app/session.ts';
import { localTime } from '../app/format.ts';
import { periodOf, rangeFor } from '../app/range.ts';
import { csvPathOf } from '../app/paths.ts';
import { words } from '../words/words.ts';
import { Filters } from './list/filters.tsx';
import { labelOf, sentenceOf } from './labels.ts';
import { Card, css, Empty, Failure, Loading, Note } from './ui.tsx';
import { decimalsIn, PlainText, Value } from './values.tsx';

export type Row = Readonly<Record<string, unknown>>;
export type Texts = Readonly<Record<string, string>>;

export type Cells = Readonly<Record<string, (row: Row) => ReactNode>>;

export interface ListProps {
  readonly title?: string;
  readonly operation: Operation;
  /** Filters that the page sets. The others are shown, and kept in the URL. */
  readonly fixed?: Texts;
  /** By default, the columns of the command line. */
  readonly columns?: readonly Column<FieldTable>[];
  readonly cells?: Cells;
  readonly actions?: (row: Row) => ReactNode;
  readonly toolbar?: ReactNode;
  /** Shown instead of an empty list: what to do next. */
  readonly whenEmpty?: ReactNode;
  /** The next step if the list is empty, as a button or a link. */
  readonly next?: ReactNode;
  readonly hasFilters?: boolean;
  readonly isOldestFirst?: boolean;
  readonly refetchMs?: number;
}

const rowsOfPage = '50';

/** The list, or nothing if the viewer's role may not see it. */
export function List(props: ListProps) {
  const may = useMay();
  return may(props.operation) ? <AllowedList {...props} /> : null;
}

function AllowedList(props: ListProps) {
  const {
    title,
    operation,
    fixed = {},
    cells = {},
    actions,
    toolbar,
    whenEmpty,
    next,
    hasFilters = true,
    refetchMs,
  } = props;
  const { isOldestFirst = false } = props;
  const search = useTexts();
  const { input } = operation;
  const { given: chosen, wrong } = inputsIn(input, search);
  const given: Texts = {
    limit: rowsOfPage,
    ...chosen,
    ...rangeFor(input, search),
    ...fixed,
  };
  const page = useRows(operation, given, refetchMs);
  const columns = (props.columns ?? operation.columns).filter(
    (column) => typeof column !== 'string' || !Object.hasOwn(fixed, column),
  );
  const isFiltered = Object.keys(chosen).length > 0 || periodOf(search).some((at) => at !== undefined);
  const { tab } = search;
  const everything = (
    <Link
      className={css['button']}
      to="."
      search={{ ...(tab !== undefined && { tab }), range: undefined, from: undefined, to: undefined }}
    >
      {given['after'] === undefined ? words.clearFilter : words.first}
    </Link>
  );
  return (
    <Card
      title={title ?? ''}
      isFlush
      actions={
        <>
          {toolbar}
          <a className={css['button']} href={csvPathOf(operation, given)} download>
            {words.exportCsv}
          </a>
        </>
      }
    >
      {hasFilters && <Filters operation={operation} fixed={fixed} given={given} />}
      {wrong.length > 0 && <Note>{words.wrongInAddress(wrong.map(labelOf).join(', '))}</Note>}
      {page.error && <Failure error={page.error} />}
      {page.isPending && <Loading />}
      {page.data && (
        <Found
          page={page.data}
          isOldestFirst={isOldestFirst || given['order'] === 'oldest'}
          whenEmpty={
            given['after'] !== undefined
              ? words.nothingMore
              : isFiltered
                ? words.nothingFound
                : (whenEmpty ?? words.nothingYet)
          }
          next={isFiltered ? everything : next}
          {...{ answer: operation.answer, columns, cells, actions }}
        />
      )}
      {page.data && <Pages after={search['after']} page={page.data} />}
    </Card>
  );
}

interface FoundProps extends Omit<RowsProps, 'rows'> {
  readonly page: Page<Row>;
  readonly isOldestFirst?: boolean;
  readonly whenEmpty: ReactNode;
  readonly next?: ReactNode;
}

/** The rows of a page. The page says that nothing matches only when the gateway has searched everything. */
export function Found({ page: { items, searchedTo }, isOldestFirst = false, whenEmpty, next, ...rows }: FoundProps) {
  const said = items.length === 0 ? words.searched.noMatch : words.searched.so;
  const place = searchedTo !== undefined && said(isOldestFirst, localTime(searchedTo));
  return (
    <>
      {items.length > 0 && <Rows {...rows} rows={items} />}
      {place ? <p className={css['empty']}>{place}</p> : items.length === 0 && <Empty next={next}>{whenEmpty}</Empty>}
    </>
  );
}

/** A search goes on by itself for this time, until its page is full. */
const searchMs = 2_000;

/**
 * Shows the page before while the next page loads. Where no index finds the rows, an answer may be shorter than the
 * page although more rows match: then the search goes on after it.
 */
export function useRows(operation: Operation, given: Texts, refetchMs?: number) {
  return useQuery({
    queryKey: [operation.path, operation.method, given],
    queryFn: async ({ signal }): Promise<Page<Row>> => {
      const end = performance.now() + searchMs;
      const [items, limit]: [Row[], number] = [[], Number(given['limit'])];
      for (let place = {}; ;) {
        const wanted = { ...given, limit: String(limit - items.length), ...place };
        const answer = await askOperation({ base: '', credentials: {}, operation, given: wanted });
        if (!answer.ok) throw new CallFailed(answer.error);
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the operation is a list
        const page = answer.value.value as Page<Row>;
        items.push(...page.items);
        const isWhole = page.next === null || items.length >= limit;
        if (isWhole || signal.aborted || performance.now() > end) return { ...page, items };
        place = { after: page.next };
      }
    },
    placeholderData: (before, query) =>
      before?.searchedTo === undefined && isSameSearch(query?.queryKey[2], given) ? before : undefined,
    ...(refetchMs === undefined ? {} : { refetchInterval: refetchMs }),
  });
}

/** Whether only the place of the page differs. Rows of another filter must not be shown while the new rows load. */
function isSameSearch(before: unknown, { after: _after, ...given }: Texts): boolean {
  const { after: _before, ...rest }: Texts = { ...Object(before) };
  return Object.keys({ ...rest, ...given }).every((name) => rest[name] === given[name]);
}

interface RowsProps {
  readonly answer: FieldTable;
  readonly columns: readonly Column<FieldTable>[];
  readonly rows: readonly Row[];
  readonly cells?: Cells;
  readonly actions?: ((row: Row) => ReactNode) | undefined;
}

export function Rows({ answer, columns, rows, cells = {}, actions }: RowsProps) {
  const isKnown = use(KnownContext);
  const hasAmounts = columns.some((column) => typeof column === 'string' && answer[column]?.isAmount === true);
  const shown = columns.filter(
    // Amounts are shown with their currency.
    (column) => !isUsual(answer, column, rows) && !(hasAmounts && column === 'currency'),
  );
  const isRight = (column: Column<FieldTable>) =>
    typeof column === 'string' ? isNumber(answer, column) : column.isNumber === true;
  const isFigure = (column: Column<FieldTable>) => isRight(column) || isState(keyOf(column));
  const heading = (column: Column<FieldTable>) =>
    sentenceOf(typeof column === 'string' ? titleOf(answer, column) : column.title);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it (WCAG 2.1.1)
    <div className={css['scroll']} tabIndex={0} role="group" aria-label={words.table}>
      <table className={css['table']}>
        <thead>
          <tr>
            {shown.map((column) => (
              <th key={keyOf(column)} scope="col" className={isRight(column) ? css['number'] : undefined}>
                {heading(column)}
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
            <tr key={at}>
              {shown.map((column, place) => (
                <td key={keyOf(column)} className={isRight(column) ? css['number'] : undefined}>
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
  const decimals = field.isAmount === true ? decimalsIn(rows, column) : 0;
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

const placeAt = (wanted: string | undefined) => (before: object) => ({ ...before, after: wanted });

interface PagesProps {
  readonly after: string | undefined;
  readonly page: Page<Row>;
}

function Pages({ after, page: { next, searchedTo } }: PagesProps) {
  if (after === undefined && next === null) return null;
  return (
    <nav className={css['pages']} aria-label={words.table}>
      {after !== undefined && (
        <Link className={css['button']} to="." search={placeAt(undefined)}>
          {words.first}
        </Link>
      )}
      {next !== null && (
        <Link className={css['button']} to="." search={placeAt(next)}>
          {searchedTo === undefined ? words.next : words.searched.further}
        </Link>
      )}
    </nav>
  );
}
