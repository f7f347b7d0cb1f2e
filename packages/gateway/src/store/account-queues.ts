/* The search for the waiting parts that a claim may take. Each engine finds the account queues and reads their heads. */

import { leaveOf } from '../core/routing/carrier-choice.ts';
import { allEligible, allEligibleText, parseEligible } from '../core/routing/eligible.ts';
import { wantedBelow, type AccountQueue } from '../core/routing/turns.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { LoadedRows } from '../state/rows/loaded.ts';
import type { WaitingWanted } from '../state/rows/reads.ts';
import { routeInUse } from '../state/rows/rows.ts';
import { integer, nullable, text, type Stored } from '../state/tables/column.ts';
import { query, search } from '../state/tables/lookup.ts';
import { queueTable, type QueueRow } from '../state/tables/message.ts';
import { shape, type ShapeOf } from '../state/tables/table.ts';

/** The waiting parts of an account with one priority on a route, for which the same carriers are eligible. */
export const lineShape = shape({ route: integer, eligible: text, priority: integer, account: integer });
type Line = ShapeOf<typeof lineShape>;

/** A line that is open to the carrier, and how long its parts must have waited for the carrier. */
export interface OpenLine extends Line {
  readonly waitMs: number;
}

export const headOfLine = search<Stored[]>()('queue.head', queueTable);
export const nextDueOfLine = query<Stored[]>()('queue.next-due', shape({ due: nullable(integer) }));

/** How long parts must have waited for the carrier; undefined if it may not have them. */
export function waitFor(
  rows: Pick<LoadedRows, 'values'>,
  { route, eligible }: Pick<Line, 'route' | 'eligible'>,
  { carrier, up }: Pick<WaitingWanted, 'carrier' | 'up'>,
): number | undefined {
  const inUse = routeInUse(rows, route);
  if (!inUse.everIn.some((each) => each.carrier === carrier)) return undefined;
  const parsed = eligible === allEligibleText ? allEligible : parseEligible(eligible);
  const leave = leaveOf(inUse, parsed, { carrier, isUp: (each) => up.includes(each) });
  if (leave.kind === 'never') return undefined;
  return leave.kind === 'after' ? leave.waitMs : 0;
}

/** The values for `nextDueOfLine`. */
export function dueAfter({ route, eligible, priority, account, waitMs }: OpenLine, at: Instant): Stored[] {
  return [route, eligible, priority, account, at - waitMs];
}

/** When the next part of a line is due to the carrier. `dues`: the answers of `nextDueOfLine` for each line. */
export function earliestDue(
  open: readonly OpenLine[],
  dues: readonly (readonly { readonly due: Instant | null }[])[],
): Instant | null {
  const instants = open.flatMap(({ waitMs }, at) => {
    const due = dues[at]?.[0]?.due ?? null;
    return due === null ? [] : [due + waitMs];
  });
  return instants.length === 0 ? null : Math.min(...instants);
}

/** Yields the values for `headOfLine`, and goes on with the rows for each of them. */
type HeadSearch = Generator<readonly Stored[][], AccountQueue<QueueRow>[], readonly (readonly QueueRow[])[]>;

/** Reads no more parts of each account queue than a claim can need. */
export function* searchHeads(open: readonly OpenLine[], wanted: WaitingWanted): HeadSearch {
  const queues: AccountQueue<QueueRow>[] = [];
  let loaded = 0;
  const byPriority = Map.groupBy(open, ({ priority }) => priority);
  for (const priority of [...byPriority.keys()].toSorted((a, b) => a - b)) {
    const max = wantedBelow(wanted.max, loaded);
    const level = yield* searchLevel(byPriority.get(priority) ?? [], { ...wanted, max });
    loaded += partsOf(level);
    queues.push(...level);
  }
  return queues;
}

/** Takes a fair share of each account queue, then more of the longer queues if some were short. */
function* searchLevel(open: readonly OpenLine[], wanted: WaitingWanted): HeadSearch {
  const byAccount = [...Map.groupBy(open, ({ account }) => account).values()];
  let share = Math.ceil(wanted.max / byAccount.length) + 1;
  for (;;) {
    const queues = (yield* searchQueues(byAccount, { ...wanted, max: share })).filter(({ parts }) => parts.length > 0);
    if (share > wanted.max || partsOf(queues) >= wanted.max || !queues.some(({ isCut }) => isCut)) return queues;
    share *= 4;
  }
}

/** Queues of one account on several routes share a turn, and their parts are in one order. */
function* searchQueues(byAccount: readonly (readonly OpenLine[])[], { at, from = 0, max }: WaitingWanted): HeadSearch {
  const heads = yield byAccount.flat().map((line) => [...dueAfter(line, at), from, max]);
  let next = 0;
  return byAccount.map((lines) => {
    const found = lines.flatMap(() => heads[next++] ?? []);
    const { priority = 0, account = 0 } = lines[0] ?? {};
    const inOrder = lines.length === 1 ? found : found.toSorted(byOrder);
    return { priority, account, parts: inOrder.slice(0, max), isCut: found.length >= max };
  });
}

function partsOf(queues: readonly AccountQueue<QueueRow>[]): number {
  return queues.reduce((sum, { parts }) => sum + parts.length, 0);
}

/** Sorts by due time, and then by acceptance. */
function byOrder(a: QueueRow, b: QueueRow): number {
  return a.due - b.due || a.message - b.message || a.part - b.part;
}
