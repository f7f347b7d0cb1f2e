/* Loads the waiting parts that a claim may take. */

import { routeInUse } from '../../../state/rows/rows.ts';
import { leaveOf } from '../../../core/routing/carrier-choice.ts';
import { allEligible, allEligibleText, parseEligible } from '../../../core/routing/eligible.ts';
import { wantedBelow, type AccountQueue } from '../../../core/routing/turns.ts';
import type { Reads, WaitingWanted } from '../../../state/rows/reads.ts';
import { queueTable, type QueueRow, type WaitingFound } from '../../../state/tables/message.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { integer, nullable, text } from '../../../state/tables/column.ts';
import { shape, type ShapeOf } from '../../../state/tables/table.ts';
import type { Statements } from '../statements.ts';

/** The parts of a route for which the carrier is eligible, and how long they must have waited for the carrier. */
interface Open {
  readonly route: number;
  readonly eligible: string;
  readonly waitMs: number;
}

interface Waiting {
  readonly priority: number;
  readonly account: number;
  readonly open: Open[];
}

const queueShape = shape({ priority: integer, account: integer });
type Queue = ShapeOf<typeof queueShape>;

type DueSpan = Pick<WaitingWanted, 'at' | 'from'>;

/** A value below every priority. */
const beforeAll = -1_000_000;

/** Reads only the head of each account queue, however many parts wait in it. */
export class QueueLoader {
  readonly #statements: Statements;
  readonly #read: Reads;

  constructor(statements: Statements, read: Reads) {
    this.#statements = statements;
    this.#read = read;
  }

  /** Reads no more parts of each account queue than a claim can need, and when the next part is due. */
  load(command: WaitingWanted): WaitingFound {
    const queues: AccountQueue<QueueRow>[] = [];
    let nextDue: Instant | null = null;
    let loaded = 0;
    const byPriority = Map.groupBy(this.#waiting(command), ({ priority }) => priority);
    for (const priority of [...byPriority.keys()].toSorted((a, b) => a - b)) {
      const waiting = byPriority.get(priority) ?? [];
      for (const each of waiting) nextDue = this.#nextDue(command, each, nextDue);
      const level = this.#levelOf(waiting, wantedBelow(command.max, loaded), command);
      loaded += partsOf(level);
      queues.push(...level);
    }
    return { queues, nextDue };
  }

  /** Takes a fair share of each account queue, then more of the longer queues if some were short. */
  #levelOf(waiting: readonly Waiting[], wanted: number, due: DueSpan): AccountQueue<QueueRow>[] {
    let share = Math.ceil(wanted / waiting.length) + 1;
    for (;;) {
      const queues = waiting.map((each) => this.#queueOf(each, share, due)).filter(({ parts }) => parts.length > 0);
      if (share > wanted || partsOf(queues) >= wanted || !queues.some(({ isCut }) => isCut)) return queues;
      share *= 4;
    }
  }

  /** Queues of one account on several routes share a turn, and their parts are in one order. */
  #queueOf({ priority, account, open }: Waiting, max: number, { at, from = 0 }: DueSpan): AccountQueue<QueueRow> {
    const found = open.flatMap(({ route, eligible, waitMs }) =>
      this.#statements.find(
        queueTable,
        `where route = ? and eligible = ? and priority = ? and account = ? and due <= ? and due >= ?
          order by due, message, part limit ?`,
        route,
        eligible,
        priority,
        account,
        at - waitMs,
        from,
        max,
      ),
    );
    const inOrder = open.length === 1 ? found : found.toSorted(byOrder);
    return { priority, account, parts: inOrder.slice(0, max), isCut: found.length >= max };
  }

  #waiting(command: WaitingWanted): Waiting[] {
    const found = new Map<string, Waiting>();
    for (const open of this.#openTo(command)) {
      for (const { priority, account } of this.#queuesOf(open)) {
        const key = `${priority} ${account}`;
        const known = found.get(key);
        if (known) known.open.push(open);
        else found.set(key, { priority, account, open: [open] });
      }
    }
    return [...found.values()];
  }

  /** Finds the sets of eligible carriers, usually one for each route. Sets without the carrier are not read. */
  *#openTo(command: WaitingWanted): Generator<Open> {
    const up = new Set(command.up);
    const isUp = (carrier: number) => up.has(carrier);
    for (const route of this.#routesWithWork()) {
      const inUse = routeInUse(this.#read, route);
      if (!inUse.everIn.some(({ carrier }) => carrier === command.carrier)) continue;
      for (const eligible of this.#eligiblesOf(route)) {
        const parsed = eligible === allEligibleText ? allEligible : parseEligible(eligible);
        const leave = leaveOf(inUse, parsed, { carrier: command.carrier, isUp });
        if (leave.kind !== 'never') yield { route, eligible, waitMs: leave.kind === 'after' ? leave.waitMs : 0 };
      }
    }
  }

  *#routesWithWork(): Generator<number> {
    for (let route = -1; ;) {
      const next = this.#statements.value(
        integer,
        'select route from queue where route > ? order by route limit 1',
        route,
      );
      if (next === undefined) return;
      route = next;
      yield route;
    }
  }

  *#eligiblesOf(route: number): Generator<string> {
    let eligible = this.#eligibleFrom(route, allEligibleText, '>=');
    while (eligible !== undefined) {
      yield eligible;
      eligible = this.#eligibleFrom(route, eligible, '>');
    }
  }

  #eligibleFrom(route: number, eligible: string, comparison: '>=' | '>'): string | undefined {
    return this.#statements.value(
      text,
      `select eligible from queue where route = ? and eligible ${comparison} ? order by eligible limit 1`,
      route,
      eligible,
    );
  }

  *#queuesOf(open: Open): Generator<Queue> {
    let queue = this.#priorityAfter(open, beforeAll);
    while (queue) {
      yield queue;
      queue = this.#accountAfter(open, queue) ?? this.#priorityAfter(open, queue.priority);
    }
  }

  /* Two queries, because with (priority, account) > (?, ?) SQLite would read every part of the last account. */

  #accountAfter({ route, eligible }: Open, { priority, account }: Queue): Queue | undefined {
    return this.#statements.row(
      queueShape,
      'select priority, account from queue where route = ? and eligible = ? and priority = ? and account > ? order by account limit 1',
      route,
      eligible,
      priority,
      account,
    );
  }

  #priorityAfter({ route, eligible }: Open, priority: number): Queue | undefined {
    return this.#statements.row(
      queueShape,
      `select priority, account from queue where route = ? and eligible = ? and priority > ?
        order by priority, account limit 1`,
      route,
      eligible,
      priority,
    );
  }

  #nextDue(command: WaitingWanted, { priority, account, open }: Waiting, known: Instant | null): Instant | null {
    let next = known ?? Number.POSITIVE_INFINITY;
    for (const { route, eligible, waitMs } of open) {
      const due = this.#statements.value(
        nullable(integer),
        'select min(due) as due from queue where route = ? and eligible = ? and priority = ? and account = ? and due > ?',
        route,
        eligible,
        priority,
        account,
        command.at - waitMs,
      );
      if (due !== null && due !== undefined) next = Math.min(next, due + waitMs);
    }
    return next === Number.POSITIVE_INFINITY ? null : next;
  }
}

function partsOf(queues: readonly AccountQueue<QueueRow>[]): number {
  return queues.reduce((sum, { parts }) => sum + parts.length, 0);
}

/** Sorts by due time, and then by acceptance. */
function byOrder(a: QueueRow, b: QueueRow): number {
  return a.due - b.due || a.message - b.message || a.part - b.part;
}
