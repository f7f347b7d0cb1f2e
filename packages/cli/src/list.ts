import { printable } from '@morsel/api/fields/shown.ts';
import { writeJson } from '@morsel/api/fields/exact-json.ts';
import { jsonOf } from '@morsel/api/fields/field.ts';
import type { Operation, Page } from '@morsel/api/admin/resource.ts';
import { formatInstant } from '@morsel/api/values/time.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { askGateway } from './admin-client.ts';
import { usage, type Failure, type Report, type Shell } from './command.ts';
import { csvOf, csvHeading, csvRow } from '@morsel/api/admin/csv.ts';
import { tableOf } from './show.ts';
import type { Row } from './table.ts';

/* Prints lists page by page, because the gateway limits the number of rows in an answer. */

/** The largest `--limit` of a list that is not printed as CSV. */
export const rowsMax = 100_000;
const pageMax = 1_000;
/**
 * The most incomplete pages of a search. The gateway reads 50,000 messages for each, so a search ends within seconds.
 */
const looksMax = 10;

interface List {
  readonly operation: Operation;
  readonly given: { readonly [field: string]: string };
}

/** Prints at most `--limit` rows. */
export async function showList(list: List, shell: Shell): Promise<Result<Report, Failure>> {
  const { operation, given } = list;
  const limit = Number(given['limit'] ?? operation.input['limit']?.otherwise?.value);
  if (!Number.isInteger(limit) || limit < 1 || limit > rowsMax) {
    return refused(usage(`limit must be a whole number from 1 to ${rowsMax}`));
  }
  const mayStop = operation.command?.stopsEarly === true && given['since'] === undefined;
  const rows: Row[] = [];
  let last: Page<Row> = { items: [], next: null };
  for await (const page of pagesOf(asking(list, shell), { limit, looks: mayStop ? looksMax : Infinity })) {
    if (!page.ok) return page;
    rows.push(...page.value.items);
    last = page.value;
  }
  const { next, searchedTo = 0 } = last;
  const json = writeJson({ items: rows.map((row) => jsonOf(operation.answer, row)), next });
  const isStopped = mayStop && next !== null && rows.length < limit;
  const whenEmpty = isStopped ? 'no rows found so far' : (operation.command?.whenEmpty ?? 'there are none');
  const text = tableOf(operation, rows, { hasColour: shell.hasColour, whenEmpty });
  if (next === null) return ok({ json, text });
  const more = `--after ${printable(next)}`;
  if (!isStopped) return ok({ json, text: `${text}\nfor more rows: ${more}` });
  shell.warn(`the search stopped at messages from ${formatInstant(searchedTo)}; to search older messages: ${more}`);
  return ok({ json, text });
}

/** Prints all rows as CSV, or at most `--limit` rows. */
export async function printCsv(list: List, shell: Shell): Promise<Result<undefined, Failure>> {
  const { answer } = list.operation;
  // The heading is printed with the first page, so that a refused request prints no heading.
  let heading = [csvHeading(answer)];
  const limit = Number(list.given['limit'] ?? Infinity);
  for await (const page of pagesOf(asking(list, shell), { limit, looks: Infinity })) {
    if (!page.ok) return page;
    const rows = [...heading, ...page.value.items.map((row) => csvRow(answer, row))];
    if (rows.length > 0) shell.report({ json: '', text: csvOf(rows) });
    heading = [];
  }
  return ok(undefined);
}

interface Place {
  readonly limit: string;
  readonly after?: string;
}

type Ask = (place: Place) => Promise<Result<Page<Row>, Failure>>;

function asking({ operation, given }: List, shell: Shell): Ask {
  return async (place) => {
    const answer = await askGateway(shell, operation, { ...given, ...place });
    // The typed client has checked the answer against the declaration of the list.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return answer.ok ? ok(answer.value.value as Page<Row>) : answer;
  };
}

/** Asks for pages until they have `limit` rows, the list ends, or `looks` pages had fewer rows than requested. */
export async function* pagesOf(
  ask: Ask,
  { limit, looks }: { readonly limit: number; readonly looks: number },
): AsyncGenerator<Result<Page<Row>, Failure>> {
  let left = limit;
  let place = {};
  for (let looked = 0; looked < looks;) {
    // If the limit is not a number, the gateway refuses it.
    const count = Math.min(pageMax, left);
    const page = await ask({ ...place, limit: String(count) });
    yield page;
    if (!page.ok) return;
    const { items, next } = page.value;
    left -= items.length;
    if (next === null || left <= 0) return;
    if (items.length < count) looked += 1;
    place = { after: next };
  }
}
