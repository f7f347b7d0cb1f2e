/* Loads the waiting parts that a claim may take. Finds the account queues step by step, by the index of the queue. */

import { routeInUse } from '../../../state/rows/rows.ts';
import { allEligibleText } from '../../../core/routing/eligible.ts';
import type { Reads, WaitingWanted } from '../../../state/rows/reads.ts';
import type { WaitingFound } from '../../../state/tables/message.ts';
import { integer, text } from '../../../state/tables/column.ts';
import { shape, type ShapeOf } from '../../../state/tables/table.ts';
import {
  dueAfter,
  earliestDue,
  headOfLine,
  nextDueOfLine,
  searchHeads,
  waitFor,
  type OpenLine,
} from '../../account-queues.ts';
import { sqlOf } from '../../lookups/texts.ts';
import type { Statements } from '../statements.ts';

/** The parts of a route for which the same carriers are eligible. */
type Place = Pick<OpenLine, 'route' | 'eligible'>;

const queueShape = shape({ priority: integer, account: integer });
type Queue = ShapeOf<typeof queueShape>;

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

  /** Finds the waiting parts that a claim may take, and when the next part is due. */
  load(wanted: WaitingWanted): WaitingFound {
    const open = [...this.#openTo(wanted)];
    const statements = this.#statements;
    const search = searchHeads(open, wanted);
    let step = search.next([]);
    while (step.done !== true) {
      step = search.next(step.value.map((each) => statements.find(headOfLine.table, sqlOf(headOfLine), ...each)));
    }
    const { shape: dueShape } = nextDueOfLine;
    const dues = open.map((line) => statements.rows(dueShape, sqlOf(nextDueOfLine), ...dueAfter(line, wanted.at)));
    return { queues: step.value, nextDue: earliestDue(open, dues) };
  }

  /** Finds the sets of eligible carriers, usually one for each route. Sets without the carrier are not read. */
  *#openTo(wanted: WaitingWanted): Generator<OpenLine> {
    for (const route of this.#routesWithWork()) {
      if (!routeInUse(this.#read, route).everIn.some(({ carrier }) => carrier === wanted.carrier)) continue;
      for (const eligible of this.#eligiblesOf(route)) {
        const waitMs = waitFor(this.#read, { route, eligible }, wanted);
        if (waitMs === undefined) continue;
        for (const queue of this.#queuesOf({ route, eligible })) yield { route, eligible, ...queue, waitMs };
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

  *#queuesOf(place: Place): Generator<Queue> {
    let queue = this.#priorityAfter(place, beforeAll);
    while (queue) {
      yield queue;
      queue = this.#accountAfter(place, queue) ?? this.#priorityAfter(place, queue.priority);
    }
  }

  /* Two queries, because with (priority, account) > (?, ?) SQLite would read every part of the last account. */

  #accountAfter({ route, eligible }: Place, { priority, account }: Queue): Queue | undefined {
    return this.#statements.row(
      queueShape,
      'select priority, account from queue where route = ? and eligible = ? and priority = ? and account > ? order by account limit 1',
      route,
      eligible,
      priority,
      account,
    );
  }

  #priorityAfter({ route, eligible }: Place, priority: number): Queue | undefined {
    return this.#statements.row(
      queueShape,
      `select priority, account from queue where route = ? and eligible = ? and priority > ?
        order by priority, account limit 1`,
      route,
      eligible,
      priority,
    );
  }
}
