import { csvCells, csvHeading, csvOf } from '@morsel/api/admin/csv.ts';
import { writeJson, type Json } from '@morsel/api/fields/exact-json.ts';
import type { FieldTable } from '@morsel/api/fields/field.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { answerJson, perform, type Bound } from './bind.ts';
import type { OperatorNeeds } from './operator-needs.ts';

/*
 * Writes all rows of a list as CSV or as JSON lines, page by page, so that exports of any length need constant memory.
 * The next page is read when the caller has taken the rows of the page before.
 */

type Row = { readonly [field: string]: Json };

interface Form {
  readonly type: string;
  readonly heading: (answer: FieldTable) => string;
  readonly lines: (answer: FieldTable, rows: readonly Row[]) => string;
}

export const csvForm: Form = {
  type: 'text/csv',
  heading: (answer) => `${csvOf([csvHeading(answer)])}\n`,
  lines: (answer, rows) => `${csvOf(rows.map((row) => csvCells(answer, row)))}\n`,
};

const forms: readonly Form[] = [
  csvForm,
  {
    type: 'application/jsonl',
    heading: () => '',
    lines: (_answer, rows) => rows.map((row) => `${writeJson(row)}\n`).join(''),
  },
];

/** The form that a request wants; undefined for one page as JSON. */
export function formOf(accept: string | undefined): Form | undefined {
  return forms.find(({ type }) => accept?.split(',').some((each) => each.split(';')[0]?.trim() === type));
}

/** The most rows of a page. Reading so many rows does not delay messages. */
const pageRows = 250;

/** Starts to read the rows of a list. A refusal is returned before the first row. With `limit`, one page is read. */
export async function startRows(
  each: Bound,
  needs: OperatorNeeds,
  { given, form }: { readonly given: { readonly [field: string]: unknown }; readonly form: Form },
): Promise<Result<AsyncIterable<string>, Rejection>> {
  const isWhole = given['limit'] === undefined;
  const first = await readPage(each, needs, isWhole ? { ...given, limit: pageRows } : given);
  return first.ok ? ok(linesFrom(each, needs, { given, form, first: first.value, isWhole })) : first;
}

interface ReadPage {
  readonly items: readonly Row[];
  readonly next: string | null;
}

async function readPage(each: Bound, needs: OperatorNeeds, given: object): Promise<Result<ReadPage, Rejection>> {
  const done = await perform(each, needs, { ...given });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the operation is a list
  return done.ok ? ok(answerJson(each.operation, done.value, needs.caller.role) as unknown as ReadPage) : done;
}

async function* linesFrom(
  each: Bound,
  needs: OperatorNeeds,
  { given, form, first, isWhole }: { given: object; form: Form; first: ReadPage; isWhole: boolean },
): AsyncGenerator<string> {
  const { answer } = each.operation;
  const heading = form.heading(answer);
  if (heading !== '') yield heading;
  for (let page = first; ;) {
    if (page.items.length > 0) yield form.lines(answer, page.items);
    if (page.next === null || !isWhole) return;
    const following = await readPage(each, needs, { ...given, limit: pageRows, after: page.next });
    // The exception ends the connection early, so the caller sees that the list is incomplete.
    if (!following.ok) throw new Error(`a list ended early: ${following.error.code}`);
    page = following.value;
  }
}
