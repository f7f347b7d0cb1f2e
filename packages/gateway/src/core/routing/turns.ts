/**
 * Shares the room of one carrier between accounts with waiting parts. Urgent parts are sent first, but while less
 * urgent parts wait, they get every tenth place. Within a priority, accounts take turns, and each account's parts keep
 * their order.
 */

/** Every tenth part is a less urgent part, so that bulk messages do not wait without limit behind one-time codes. */
const lowerEvery = 10;

/** The first waiting parts of one account and priority, in order. */
export interface AccountQueue<T> {
  readonly priority: number;
  readonly account: number;
  readonly parts: readonly T[];
  /** Whether more parts wait than are listed here. */
  readonly isCut: boolean;
}

export interface Turns {
  /** The account whose part was sent last. */
  readonly served: Map<number, number>;
  /** Number of parts sent in a row while less urgent parts waited. */
  readonly inRow: Map<number, number>;
}

export function newTurns(from?: Turns): Turns {
  return { served: new Map(from?.served), inRow: new Map(from?.inRow) };
}

/** The most parts of a priority that one claim can use, if `taken` more urgent parts are waiting. */
export function wantedBelow(max: number, taken: number): number {
  return Math.min(max, Math.max(0, max - taken) + Math.ceil(max / lowerEvery));
}

interface Level<T> {
  readonly priority: number;
  /** Sorted by account id, the smallest first. */
  readonly queues: Queue<T>[];
}

interface Queue<T> {
  readonly waiting: AccountQueue<T>;
  next: number;
}

/** Returns waiting parts one by one, accounts in turn, and updates `turns`. */
export class TurnTaker<T> {
  readonly #levels: Level<T>[];
  readonly #turns: Turns;
  #cutAt: number | undefined;

  constructor(queues: readonly AccountQueue<T>[], turns: Turns) {
    this.#turns = turns;
    const byPriority = Map.groupBy(queues, ({ priority }) => priority);
    this.#levels = [...byPriority]
      .map(([priority, each]) => ({
        priority,
        queues: each.toSorted((a, b) => a.account - b.account).map((waiting) => ({ waiting, next: 0 })),
      }))
      .toSorted((a, b) => a.priority - b.priority);
  }

  next(): T | undefined {
    const level = this.#levelInTurn(0);
    return level && this.#from(level);
  }

  /** The most urgent priority that still has waiting parts. */
  get left(): number | undefined {
    const waiting = this.#levels[0]?.priority;
    if (waiting === undefined || this.#cutAt === undefined) return waiting ?? this.#cutAt;
    return Math.min(waiting, this.#cutAt);
  }

  /** The priority of the next part: the most urgent, unless it is the turn of a less urgent priority. */
  #levelInTurn(at: number): Level<T> | undefined {
    const level = this.#levels[at];
    if (!level || at === this.#levels.length - 1) return level;
    const inRow = (this.#turns.inRow.get(level.priority) ?? 0) + 1;
    const isTurnOfLower = inRow >= lowerEvery;
    this.#turns.inRow.set(level.priority, isTurnOfLower ? 0 : inRow);
    return isTurnOfLower ? this.#levelInTurn(at + 1) : level;
  }

  #from(level: Level<T>): T | undefined {
    const served = this.#turns.served.get(level.priority) ?? -1;
    const after = level.queues.findIndex(({ waiting }) => waiting.account > served);
    const place = after === -1 ? 0 : after;
    const queue = level.queues[place];
    if (!queue) return undefined;
    const part = queue.waiting.parts[queue.next++];
    this.#turns.served.set(level.priority, queue.waiting.account);
    if (queue.next >= queue.waiting.parts.length) this.#end(level, place);
    return part;
  }

  #end(level: Level<T>, place: number): void {
    const [ended] = level.queues.splice(place, 1);
    if (ended?.waiting.isCut) this.#cutAt = Math.min(this.#cutAt ?? level.priority, level.priority);
    if (level.queues.length === 0) this.#levels.splice(this.#levels.indexOf(level), 1);
  }
}
