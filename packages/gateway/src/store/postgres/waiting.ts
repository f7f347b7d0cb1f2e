/* The waiting parts that a claim may take: the heads of the account queues, asked for all of them at once. */

import { query, type Query, type RowLookup } from '../../state/tables/lookup.ts';
import type { WaitingWanted } from '../../state/rows/reads.ts';
import type { Stored } from '../../state/tables/column.ts';
import type { WaitingFound } from '../../state/tables/message.ts';
import { placesOfRoute } from '../../state/tables/route.ts';
import type { Rows } from '../../state/rows/rows.ts';
import {
  dueAfter,
  earliestDue,
  headOfLine,
  lineShape,
  nextDueOfLine,
  searchHeads,
  waitFor,
  type OpenLine,
} from '../account-queues.ts';
import type { BatchedQuestion } from './questions.ts';

/** Asks a lookup with each of the values, and returns the rows for each. */
export type AskEach = <Row, Values extends readonly Stored[]>(
  of: RowLookup<Row, Values> | Query<Row, Values>,
  values: readonly Values[],
  lock?: BatchedQuestion['lock'],
) => Promise<Row[][]>;

const allLines = query<[]>()('queue.lines', lineShape);

/** Finds the waiting parts that a claim may take, and when the next part is due. */
export async function findWaiting(rows: Rows, wanted: WaitingWanted, ask: AskEach): Promise<WaitingFound> {
  const open = await openTo(rows, wanted, ask);
  if (open.length === 0) return { queues: [], nextDue: null };
  const search = searchHeads(open, wanted);
  let step = search.next([]);
  while (step.done !== true) step = search.next(await ask(headOfLine, step.value, 'for update skip locked'));
  const afters = open.map((line) => dueAfter(line, wanted.at));
  return { queues: step.value, nextDue: earliestDue(open, await ask(nextDueOfLine, afters)) };
}

async function openTo(rows: Rows, wanted: WaitingWanted, ask: AskEach): Promise<OpenLine[]> {
  const lines = (await ask(allLines, [[]]))[0] ?? [];
  const routes = [...new Set(lines.map(({ route }) => route))].filter(
    (route) => !rows.isLoaded(placesOfRoute, [route]),
  );
  const places = await ask(
    placesOfRoute,
    routes.map((route): [number] => [route]),
  );
  for (const [at, route] of routes.entries()) {
    rows.keepValues(placesOfRoute, [route], places[at] ?? []);
  }
  return lines.flatMap((line) => {
    const waitMs = waitFor(rows, line, wanted);
    return waitMs === undefined ? [] : [{ ...line, waitMs }];
  });
}
