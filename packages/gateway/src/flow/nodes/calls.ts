/* Calls between nodes. Calls and answers are rows in the database; a hint makes them fast. */

import type { Member } from '../../core/nodes/members.ts';
import { sleep } from '../../runtime/clock.ts';
import type { CallRows } from '../../store/postgres/members/call-rows.ts';
import type { Tools } from '../ports.ts';

export type CallName = 'list-sessions' | 'close-sessions' | 'listen' | 'heard' | 'settled' | 'rebind';

interface NodeAnswer<T> {
  readonly node: string;
  readonly answer: T;
}

export interface NodeAnswers<T> {
  readonly answers: readonly NodeAnswer<T>[];
  /** The names of living nodes that have not answered. */
  readonly waiting: readonly string[];
}

export interface Calls {
  /** Waits neither for a silent node nor longer than `limitMs`. A node that is back within a minute does the call. */
  ask<T>(name: CallName, body: object, limitMs: number): Promise<NodeAnswers<T>>;
  /** `answer` may return at most some thousand rows. */
  onCall(name: CallName, answer: (body: unknown) => Promise<object>): void;
}

export const noCalls: Calls = {
  ask: async () => ({ answers: [], waiting: [] }),
  onCall: () => undefined,
};

/** Without a hint, answers are looked for after this time. */
const lookEveryMs = 500;

const underWayMax = 20;

interface OpenCall {
  readonly name: CallName;
  readonly body: string;
  readonly limitMs: number;
  readonly found: Map<number, string>;
}

export class SharedCalls implements Calls {
  readonly #needs;
  readonly #handlers = new Map<string, (body: unknown) => Promise<object>>();
  /** The calls of other nodes that this one is about to answer. */
  readonly #underWay = new Set<number>();
  readonly #waiting = new Set<() => void>();

  constructor(
    needs: Pick<Tools, 'log' | 'clock'> & {
      readonly rows: CallRows;
      readonly living: () => readonly Member[];
      readonly others: () => readonly Member[];
    },
  ) {
    this.#needs = needs;
  }

  onCall(name: CallName, answer: (body: unknown) => Promise<object>): void {
    this.#handlers.set(name, answer);
  }

  async ask<T>(name: CallName, body: object, limitMs: number): Promise<NodeAnswers<T>> {
    const asked = this.#needs.living();
    if (asked.length === 0) return { answers: [], waiting: [] };
    const found = new Map<number, string>();
    // If the database fails, no node answers.
    await this.#ask({ name, body: JSON.stringify(body), limitMs, found }).catch(() => undefined);
    const answers = asked.flatMap((each) => {
      const answer = found.get(each.node);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- another node of this gateway wrote it
      return answer === undefined ? [] : [{ node: each.name, answer: JSON.parse(answer) as T }];
    });
    return { answers, waiting: asked.filter(({ node }) => !found.has(node)).map((each) => each.name) };
  }

  async #ask({ name, body, limitMs, found }: OpenCall): Promise<void> {
    const { rows, clock, living, others } = this.#needs;
    const until = clock.monotonicMs() + limitMs;
    const call = await rows.call(name, body);
    for (;;) {
      const changed = this.#something();
      for (const answer of await rows.answers(call)) found.set(answer.node, answer.body);
      if (clock.monotonicMs() >= until || others().every(({ node }) => found.has(node))) break;
      await changed;
    }
    // A node that comes back within a minute still does what it was asked.
    if (living().every(({ node }) => found.has(node))) await rows.end(call);
  }

  async look(): Promise<void> {
    const { rows, log } = this.#needs;
    for (const { id, name, body } of await rows.unanswered(underWayMax)) {
      const handler = this.#handlers.get(name);
      if (!handler || this.#underWay.has(id) || this.#underWay.size >= underWayMax) continue;
      this.#underWay.add(id);
      const answered = async () => {
        await rows.answer(id, JSON.stringify(await handler(JSON.parse(body))));
      };
      void answered()
        .catch(() => log.warn({ call: name }, 'a call of another node could not be answered'))
        .finally(() => this.#underWay.delete(id));
    }
  }

  /** Call this when another node may have answered. */
  lookForAnswers(): void {
    for (const wake of this.#waiting) wake();
  }

  async #something(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    await Promise.race([promise, sleep(this.#needs.clock, lookEveryMs)]);
    this.#waiting.delete(resolve);
  }
}
