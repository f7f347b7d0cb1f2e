/* The waiting parts that a claim may take: the heads of the account queues, asked for all of them at once. */

import { leaveOf } from '../../core/routing/carrier-choice.ts';
import { allEligible, allEligibleText, parseEligible } from '../../core/routing/eligible.ts';
import { wantedBelow, type AccountQueue } from '../../core/routing/turns.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { query, search, type Query, type RowLookup } from '../../state/tables/lookup.ts';
import type { WaitingWanted } from '../../state/rows/reads.ts';
import { integer, nullable, text, type Stored } from '../../state/tables/column.ts';
import { queueTable, type QueueRow, type WaitingFound } from '../../state/tables/message.ts';
import { placesOfRoute } from '../../state/tables/route.ts';
import { routeInUse, type Rows } from '../../state/rows/rows.ts';
import { shape, type ShapeOf } from '../../state/tables/table.ts';
import type { BatchedQuestion } from './questions.ts';

/** Asks a lookup with each of the values, and returns the rows for each. */
export type AskEach = <Row, Values extends readonly Stored[]>(
  of: RowLookup<Row, Values> | Query<Row, Values>,
  values: readonly Values[],
  lock?: BatchedQuestion['lock'],
) => Promise<Row[][]>;

const lineShape = shape({ route: integer, eligible: text, priority: integer, account: integer });
type Line = ShapeOf<typeof lineShape>;

const allLines = query<[]>()('queue.lines', lineShape);
const head = search<Stored[]>()('queue.head', queueTable);
const nextDue = query<Stored[]>()('queue.next-due', shape({ due: nullable(integer) }));

/** An account queue that is open to the carrier, and how long parts must have waited for it. */
interface Open extends Line {
  readonly waitMs: number;
}

/** Reads no more parts of each account queue than a claim can need, and when the next part is due. */
export async function findWaiting(rows: Rows, wanted: WaitingWanted, ask: AskEach): Promise<WaitingFound> {
  const open = await openTo(rows, wanted, ask);
  if (open.length === 0) return { queues: [], nextDue: null };
  const queues: AccountQueue<QueueRow>[] = [];
  let loaded = 0;
  const byPriority = Map.groupBy(open, ({ priority }) => priority);
  for (const priority of [...byPriority.keys()].toSorted((a, b) => a - b)) {
    const level = await levelOf(
      byPriority.get(priority) ?? [],
      { ...wanted, max: wantedBelow(wanted.max, loaded) },
      ask,
    );
    loaded += partsOf(level);
    queues.push(...level);
  }
  return { queues, nextDue: await earliest(open, wanted.at, ask) };
}

async function openTo(rows: Rows, { carrier, up }: WaitingWanted, ask: AskEach): Promise<Open[]> {
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
  const isUp = (each: number) => up.includes(each);
  return lines.flatMap((line) => {
    const inUse = routeInUse(rows, line.route);
    if (!inUse.everIn.some((each) => each.carrier === carrier)) return [];
    const eligible = line.eligible === allEligibleText ? allEligible : parseEligible(line.eligible);
    const leave = leaveOf(inUse, eligible, { carrier, isUp });
    return leave.kind === 'never' ? [] : [{ ...line, waitMs: leave.kind === 'after' ? leave.waitMs : 0 }];
  });
}

/** Takes a fair share of each account queue, then more of the longer queues if some were short. */
async function levelOf(open: readonly Open[], wanted: WaitingWanted, ask: AskEach): Promise<AccountQueue<QueueRow>[]> {
  const byAccount = [...Map.groupBy(open, ({ account }) => account).values()];
  let share = Math.ceil(wanted.max / byAccount.length) + 1;
  for (;;) {
    const all = await queuesOf(byAccount, { ...wanted, max: share }, ask);
    const queues = all.filter(({ parts }) => parts.length > 0);
    if (share > wanted.max || partsOf(queues) >= wanted.max || !queues.some(({ isCut }) => isCut)) return queues;
    share *= 4;
  }
}

/** Queues of one account on several routes share a turn, and their parts are in one order. */
async function queuesOf(
  byAccount: readonly (readonly Open[])[],
  { at, from = 0, max }: WaitingWanted,
  ask: AskEach,
): Promise<AccountQueue<QueueRow>[]> {
  const values = byAccount.flat().map((line) => [...placeOf(line), at - line.waitMs, from, max]);
  const heads = await ask(head, values, 'for update skip locked');
  let next = 0;
  return byAccount.map((lines) => {
    const found = lines.flatMap(() => heads[next++] ?? []);
    const { priority = 0, account = 0 } = lines[0] ?? {};
    return { priority, account, parts: found.toSorted(byOrder).slice(0, max), isCut: found.length >= max };
  });
}

async function earliest(open: readonly Open[], at: Instant, ask: AskEach): Promise<Instant | null> {
  const dues = await ask(
    nextDue,
    open.map((line) => [...placeOf(line), at - line.waitMs]),
  );
  const instants = open.flatMap(({ waitMs }, place) => {
    const { due } = dues[place]?.[0] ?? { due: null };
    return due === null ? [] : [due + waitMs];
  });
  return instants.length === 0 ? null : Math.min(...instants);
}

function placeOf({ route, eligible, priority, account }: Line): Stored[] {
  return [route, eligible, priority, account];
}

function partsOf(queues: readonly AccountQueue<QueueRow>[]): number {
  return queues.reduce((sum, { parts }) => sum + parts.length, 0);
}

/** Sorts by due time, and then by acceptance. */
function byOrder(a: QueueRow, b: QueueRow): number {
  return a.due - b.due || a.message - b.message || a.part - b.part;
}
