/* Clients of a simulation. Each keeps what it saw, for the judge. */

import { hash } from 'node:crypto';
import { makeToken, tokenRandomBytes, type MadeToken } from '../../src/core/account/token.ts';
import type { AcceptedMessage } from '../../src/flow/ports.ts';
import type { Rejection } from '../../src/core/base/rejection.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { SimNode } from './node.ts';
import type { World } from './world.ts';

/** What a client knows of one of its requests. */
type Outcome =
  | { readonly kind: 'accepted'; readonly answer: AcceptedMessage }
  | { readonly kind: 'refused'; readonly rejection: Rejection }
  /** The process ended before its answer: the message may have been accepted. */
  | { readonly kind: 'lost' };

export interface Sent {
  readonly number: number;
  readonly account: number;
  readonly text: string;
  readonly receiver: string;
  readonly validityMs: number;
  readonly key: string | undefined;
  readonly sentAt: number;
  /** One for each request; a client repeats only requests that have a key. */
  readonly outcomes: (Outcome & { readonly at: number; readonly isAfterCommit: boolean })[];
  /** The events that the client has read, in order. */
  readonly events: { readonly at: number; readonly event: string }[];
  /** The client tried to cancel it. */
  readonly isCanceled: boolean;
}

const sender = '+41791112233';
const partLetters = 153;
const letters = 'abcdefghijklmnopqrstuvwxyz ';
const askAgainMaxMs = 30_000;

export interface ClientNeeds {
  readonly world: World;
  /** The gateway that answers now; undefined while none runs. */
  readonly node: () => SimNode | undefined;
  readonly accounts: readonly number[];
  /** Called with the code of each refusal. */
  readonly refused: (code: string) => void;
}

/** The token that each account has from the beginning. */
export function clientToken(account: string): MadeToken {
  return makeToken(hash('sha512', account, 'buffer').subarray(0, tokenRandomBytes));
}

export class Clients {
  readonly sent: Sent[] = [];
  readonly #needs: ClientNeeds;
  #underWay = 0;

  constructor(needs: ClientNeeds) {
    this.#needs = needs;
  }

  /** Requests that wait for an answer or for their repeat. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Sends a message, and repeats the request if it has a key and its answer was lost. */
  send(): void {
    const { chance } = this.#needs.world;
    const number = this.sent.length + 1;
    const parts = chance.happens(0.15) ? chance.between(2, 3) : 1;
    const receiver = receiverOf(number);
    const message: Sent = {
      number,
      account: chance.pick(this.#needs.accounts),
      text: this.#text(number, parts),
      receiver,
      validityMs: chance.pick([60_000, 120_000, 300_000]),
      key: chance.happens(0.3) ? `key ${number}` : undefined,
      sentAt: this.#needs.world.nowMs,
      outcomes: [],
      events: [],
      isCanceled: false,
    };
    this.sent.push(message);
    this.#needs.world.after(message.validityMs - 1, () => this.look(message));
    this.#request(message);
  }

  /** Reads the report of a message that was accepted. */
  look(message: Sent): void {
    const node = this.#needs.node();
    const accepted = acceptedOf(message);
    const account = node?.flow.settings.snapshot().accounts.get(message.account);
    if (!node || !accepted || !account) return;
    void node.api.report(account, String(accepted.msgId)).then((report) => {
      if (!node.clock.isAlive) return;
      const said = report.ok ? report.value.event : report.error.code;
      if (said === 'unavailable' || message.events.at(-1)?.event === said) return;
      message.events.push({ at: this.#needs.world.nowMs, event: said });
    });
  }

  #request(message: Sent): void {
    const { world } = this.#needs;
    const node = this.#needs.node();
    const account = node?.flow.settings.snapshot().accounts.get(message.account);
    const again = () => {
      this.#underWay += 1;
      world.soon(100, askAgainMaxMs, () => {
        this.#underWay -= 1;
        this.#request(message);
      });
    };
    if (!node || !account) {
      // Nobody listens, so the client tries again.
      again();
      return;
    }
    const { text, receiver, validityMs, key } = message;
    const idempotency = key === undefined ? {} : { idempotencyKey: key };
    const draft = { sender, receiver, text, dcs: 'GSM', validity: validityMs / 1_000, ...idempotency };
    let isOver = false;
    const { commits } = world;
    this.#underWay += 1;
    const end = (outcome: Outcome) => {
      if (isOver) return;
      isOver = true;
      this.#underWay -= 1;
      world.tell(`client: message ${message.number} is ${outcome.kind}`);
      message.outcomes.push({ ...outcome, at: world.nowMs, isAfterCommit: world.commits > commits });
      if (outcome.kind === 'refused') this.#needs.refused(outcome.rejection.code);
      if (outcome.kind === 'lost' && key !== undefined) again();
      else if (outcome.kind === 'accepted' && key !== undefined && world.chance.happens(0.2)) again();
    };
    node.whenCrashed(() => end({ kind: 'lost' }));
    void node.api.submit(account, { draft, source: 'http' }).then((answer) => {
      if (node.clock.isAlive) end(outcomeOf(answer));
    });
  }

  #text(number: number, parts: number): string {
    const { chance } = this.#needs.world;
    const length = parts === 1 ? chance.between(5, 100) : (parts - 1) * partLetters + chance.between(20, 100);
    const filler = Array.from({ length }, () => letters[chance.between(0, letters.length - 1)]).join('');
    return `m${number} ${filler}`;
  }
}

/** Each message has a receiver of its own. */
export function receiverOf(number: number): string {
  return `+4179${String(2_000_000 + number)}`;
}

function outcomeOf(answer: Result<AcceptedMessage, Rejection>): Outcome {
  return answer.ok ? { kind: 'accepted', answer: answer.value } : { kind: 'refused', rejection: answer.error };
}

export function acceptedOf({ outcomes }: Sent): AcceptedMessage | undefined {
  for (const outcome of outcomes) if (outcome.kind === 'accepted') return outcome.answer;
  return undefined;
}
