/* A list of declared rows. Its filters and its place are in the URL, and the viewer can export it as CSV. */

import { askOperation } from '@morsel/api/admin/client.ts';
import type { Column, FieldTable } from '@morsel/api/fields/field.ts';
import type { Operation, Page } from '@morsel/api/admin/resource.ts';
import { labelOf } from '@morsel/api/fields/shown.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { inputsIn, useTexts } from '../app/search.ts';
import { CallFailed } from '../app/client.ts';
import { useMay } from '../app/session.ts';
import { localTime } from '../app/format.ts';
import { periodOf, rangeFor } from '../app/range.ts';
import { csvPathOf } from '../app/paths.ts';
import { words } from '../words/words.ts';
import { Filters } from './list/filters.tsx';
import { Rows, type Cells, type Row, type RowsProps } from './list/rows.tsx';
import { Card, css, Empty, Failure, Loading, Note } from './ui.tsx';

export type Texts = Readonly<Record<string, string>>;

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
  /** Whether the list is one of several on a page: it has no filters, and no further pages. */
  readonly isPart?: boolean;
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
  const { isOldestFirst = false, isPart = false } = props;
  const search = useTexts();
  const { input } = operation;
  const { given: chosen, wrong } = inputsIn(input, search);
  const given: Texts = { limit: rowsOfPage, ...chosen, ...rangeFor(input, search), ...fixed };
  const page = useRows(operation, given, refetchMs);
  const columns = (props.columns ?? operation.columns).filter(
    (column) => typeof column !== 'string' || !Object.hasOwn(fixed, column),
  );
  const isFiltered = Object.keys(chosen).length > 0 || periodOf(search).some((at) => at !== undefined);
  const unfiltered = isFiltered ? words.nothingFound : (whenEmpty ?? words.nothingYet);
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
      {hasFilters && !isPart && <Filters operation={operation} fixed={fixed} given={given} />}
      {wrong.length > 0 && (
        <Note>{words.wrongInAddress(wrong.map((name) => labelOf(operation.input, name)).join(', '))}</Note>
      )}
      {page.error && <Failure error={page.error} />}
      {page.isPending && <Loading />}
      {page.data && (
        <Found
          page={page.data}
          isOldestFirst={isOldestFirst || given['order'] === 'oldest'}
          whenEmpty={given['after'] === undefined ? unfiltered : words.nothingMore}
          next={isFiltered ? <Everything /> : next}
          isWhole={search['after'] === undefined && page.data.next === null}
          {...{ answer: operation.answer, columns, cells, actions }}
        />
      )}
      {page.data && !isPart && <Pages after={search['after']} page={page.data} />}
    </Card>
  );
}

/** The link to the list without filters and range, at its first page. */
function Everything() {
  const { tab, after } = useTexts();
  const search = { ...(tab !== undefined && { tab }), range: undefined, from: undefined, to: undefined };
  return (
    <Link className={css['button']} to="." search={search}>
      {after === undefined ? words.clearFilter : words.first}
    </Link>
  );
}

interface FoundProps extends Omit<RowsProps, 'rows'> {
  readonly page: Page<Row>;
  readonly isOldestFirst?: boolean;
  readonly whenEmpty: ReactNode;
  readonly next?: ReactNode;
}

/** The rows of a page. The page says that nothing matches only when the gateway has searched everything. */
function Found({ page: { items, searchedTo }, isOldestFirst = false, whenEmpty, next, ...rows }: FoundProps) {
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
function useRows(operation: Operation, given: Texts, refetchMs?: number) {
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
