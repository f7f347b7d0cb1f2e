import { toMessageId } from '../../core/message-id.ts';
import type { Instant } from '../../core/time.ts';
import { newTurns, wantedBelow } from '../../core/turns.ts';
import type { Line, Turns } from '../../core/turns.ts';
import type { Claim } from '../commands.ts';
import type { QueueRow, Rows } from '../rows.ts';
import { integer, integerOrNull } from './row-readers.ts';
import type { Record } from './row-readers.ts';
import type { Statements } from './statements.ts';

/** One account's waiting parts of one priority, on whichever of the routes. */
interface Waiting {
  readonly priority: number;
  readonly account: number;
  readonly routes: number[];
}

/** Below every priority there is. */
const beforeAll = -1_000_000;

/** Loads what a claim may take: a look at the head of each line, however many parts wait in it. */
export class QueueLoader {
  readonly #statements: Statements;
  /** Where the turns of each carrier's accounts stand. After a restart they begin anew. */
  readonly #turns = new Map<number, Turns>();

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** The lines that wait, with no more parts of each than a claim can come to want; and when the next one is due. */
  load(rows: Rows, command: Claim): readonly Line<QueueRow>[] {
    const lines: Line<QueueRow>[] = [];
    let loaded = 0;
    const byPriority = Map.groupBy(this.#waiting(command), ({ priority }) => priority);
    for (const priority of [...byPriority.keys()].toSorted((a, b) => a - b)) {
      const waiting = byPriority.get(priority) ?? [];
      for (const each of waiting) this.#noteNextDue(rows, command, each);
      const level = this.#levelOf(waiting, wantedBelow(command.max, loaded), command.at);
      loaded += partsOf(level);
      lines.push(...level);
    }
    rows.waiting.set(command.carrier, { lines, turns: newTurns(this.#turns.get(command.carrier)) });
    return lines;
  }

  /** After the commit: whose turn it was. */
  committed(rows: Rows): void {
    for (const [carrier, { turns }] of rows.waiting) this.#turns.set(carrier, turns);
  }

  /** The lines of one priority: first a fair share of each, and then, if some were short, more of the others. */
  #levelOf(waiting: readonly Waiting[], wanted: number, at: Instant): Line<QueueRow>[] {
    let share = Math.ceil(wanted / waiting.length) + 1;
    for (;;) {
      const lines = waiting.map((each) => this.#lineOf(each, share, at)).filter(({ parts }) => parts.length > 0);
      if (share > wanted || partsOf(lines) >= wanted || !lines.some(({ isCut }) => isCut)) return lines;
      share *= 4;
    }
  }

  /** The first parts of a line. Routes share an account's turn, and its parts are in order over all of them. */
  #lineOf({ priority, account, routes }: Waiting, max: number, at: Instant): Line<QueueRow> {
    const found = routes.flatMap((route) =>
      this.#statements
        .all(
          `select due, message, part from queue where route = ? and priority = ? and account = ? and due <= ?
            order by due, message, part limit ?`,
          route,
          priority,
          account,
          at,
          max,
        )
        .map((row) => queueRowFrom(row, { route, priority, account })),
    );
    const inOrder = routes.length === 1 ? found : found.toSorted(byOrder);
    return { priority, account, parts: inOrder.slice(0, max), isCut: found.length >= max };
  }

  #waiting(command: Claim): Waiting[] {
    const found = new Map<string, Waiting>();
    for (const route of this.#routesWithWork(command)) {
      for (const { priority, account } of this.#linesOf(route)) {
        const key = `${priority} ${account}`;
        const known = found.get(key);
        if (known) known.routes.push(route);
        else found.set(key, { priority, account, routes: [route] });
      }
    }
    return [...found.values()];
  }

  *#routesWithWork(command: Claim): Generator<number> {
    const wanted = new Set(command.routes);
    for (let route = -1; ;) {
      const row = this.#statements.get('select route from queue where route > ? order by route limit 1', route);
      if (!row) return;
      route = integer(row, 'route');
      if (wanted.has(route)) yield route;
    }
  }

  *#linesOf(route: number): Generator<Pick<Waiting, 'priority' | 'account'>> {
    for (let priority = beforeAll, account = -1; ;) {
      const row = this.#statements.get(
        'select priority, account from queue where route = ? and (priority, account) > (?, ?) order by priority, account limit 1',
        route,
        priority,
        account,
      );
      if (!row) return;
      priority = integer(row, 'priority');
      account = integer(row, 'account');
      yield { priority, account };
    }
  }

  #noteNextDue(rows: Rows, command: Claim, { priority, account, routes }: Waiting): void {
    for (const route of routes) {
      const row = this.#statements.get(
        'select min(due) as due from queue where route = ? and priority = ? and account = ? and due > ?',
        route,
        priority,
        account,
        command.at,
      );
      const due = row ? integerOrNull(row, 'due') : null;
      const known = rows.nextDue.get(command.carrier) ?? Number.POSITIVE_INFINITY;
      if (due !== null && due < known) rows.nextDue.set(command.carrier, due);
    }
  }
}

function partsOf(lines: readonly Line<QueueRow>[]): number {
  return lines.reduce((sum, { parts }) => sum + parts.length, 0);
}

/** The order of the queue itself: when a part is due, and then as it was accepted. */
function byOrder(a: QueueRow, b: QueueRow): number {
  return a.due - b.due || a.message - b.message || a.part - b.part;
}

function queueRowFrom(row: Record, line: Pick<QueueRow, 'route' | 'priority' | 'account'>): QueueRow {
  return {
    ...line,
    due: integer(row, 'due'),
    message: toMessageId(integer(row, 'message')),
    part: integer(row, 'part'),
  };
}
