import { toMessageId } from '../../core/message-id.ts';
import type { Claim } from '../commands.ts';
import type { QueueRow, Rows } from '../rows.ts';
import { integer, integerOrNull } from './row-readers.ts';
import type { Record } from './row-readers.ts';
import type { Statements } from './statements.ts';

/** One account's waiting parts of one priority on one route. */
interface Line {
  readonly route: number;
  readonly priority: number;
  readonly account: number;
}

/** Loads what a claim may take: a look at the head of each line, however many parts wait in it. */
export class QueueLoader {
  readonly #statements: Statements;
  /** Where the last claim of each carrier began, so that accounts take turns. */
  readonly #turns = new Map<number, number>();

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** The due parts of the most urgent priority of each route, a list an account; and when the next one is due. */
  load(rows: Rows, command: Claim): readonly (readonly QueueRow[])[] {
    const lists: QueueRow[][] = [];
    for (const route of this.#routesWithWork(command)) {
      for (const line of this.#linesOf(route)) {
        const found = this.#statements.all(
          `select due, message, part from queue where route = ? and priority = ? and account = ? and due <= ?
            order by due, message, part limit ?`,
          route,
          line.priority,
          line.account,
          command.at,
          command.max,
        );
        if (found.length > 0) lists.push(found.map((row) => queueRowFrom(row, line)));
        this.#noteNextDue(rows, command, line);
      }
    }
    const turn = (this.#turns.get(command.carrier) ?? 0) % Math.max(1, lists.length);
    this.#turns.set(command.carrier, turn + 1);
    const urgent = Math.min(...lists.map((list) => list[0]?.priority ?? 0));
    const inTurn = [...lists.slice(turn), ...lists.slice(0, turn)].filter((list) => list[0]?.priority === urgent);
    rows.waiting.set(command.carrier, inTurn);
    return inTurn;
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

  *#linesOf(route: number): Generator<Line> {
    for (let priority = -1, account = -1; ;) {
      const row = this.#statements.get(
        'select priority, account from queue where route = ? and (priority, account) > (?, ?) order by priority, account limit 1',
        route,
        priority,
        account,
      );
      if (!row) return;
      priority = integer(row, 'priority');
      account = integer(row, 'account');
      yield { route, priority, account };
    }
  }

  #noteNextDue(rows: Rows, command: Claim, line: Line): void {
    const row = this.#statements.get(
      'select min(due) as due from queue where route = ? and priority = ? and account = ? and due > ?',
      line.route,
      line.priority,
      line.account,
      command.at,
    );
    const due = row ? integerOrNull(row, 'due') : null;
    const known = rows.nextDue.get(command.carrier) ?? Number.POSITIVE_INFINITY;
    if (due !== null && due < known) rows.nextDue.set(command.carrier, due);
  }
}

function queueRowFrom(row: Record, line: Line): QueueRow {
  return {
    ...line,
    due: integer(row, 'due'),
    message: toMessageId(integer(row, 'message')),
    part: integer(row, 'part'),
  };
}
