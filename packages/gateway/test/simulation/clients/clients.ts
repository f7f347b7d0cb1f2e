/* Clients of a simulation over HTTP. Each keeps what it saw, for the judge. */

import { hash } from 'node:crypto';
import { endpoints } from '@morsel/api/endpoints.ts';
import type { MessageId } from '../../../src/core/base/message-id.ts';
import { makeToken, tokenRandomBytes, type MadeToken } from '../../../src/core/account/token.ts';
import type { AcceptedMessage } from '../../../src/flow/ports.ts';
import type { SimNode } from '../node.ts';
import { accountNames, type Tokens } from '../operators/other-operations.ts';
import { digitsOf, flawOf, jsonOf, readAccepted, receiverOf, textOf, type Flaw, type SendBody } from './requests.ts';
import { beginning, type World } from '../world.ts';

/** What a client knows of one of its requests. */
export type Outcome =
  | { readonly kind: 'accepted'; readonly answer: AcceptedMessage }
  /** Accepted over SMPP, which tells nothing but the id. */
  | { readonly kind: 'taken'; readonly id: MessageId }
  | {
      readonly kind: 'refused';
      /** A code, or a command_status. */ readonly rejection: { readonly code: string; readonly rule?: string };
    }
  /** The process ended before its answer: the message may have been accepted. */
  | { readonly kind: 'lost' };

interface Canceling {
  readonly at: number;
  /** The account that asked; another account may not cancel the message. */
  readonly account: number;
  /** `canceled`, the code of the refusal, or `lost` without an answer. */
  outcome: string;
}

export interface Sent {
  readonly number: number;
  readonly account: number;
  readonly source: 'http' | 'smpp';
  readonly sender: string;
  readonly text: string;
  readonly dcs: string;
  readonly receiver: string;
  readonly validityMs: number;
  readonly priority: string | undefined;
  /** The time at which the client wants it sent; undefined for at once. Its validity begins then. */
  readonly scheduledFor: number | undefined;
  readonly key: string | undefined;
  readonly sentAt: number;
  /** The receipts that its client wants over SMPP, as `registered_delivery` has them; undefined over HTTP. */
  readonly receipts?: number;
  /** One for each request; a client repeats only requests that have a key. */
  readonly outcomes: (Outcome & { readonly at: number; readonly isAfterCommit: boolean })[];
  /** The events that the client has read, in order. */
  readonly events: { readonly at: number; readonly event: string }[];
  readonly cancels: Canceling[];
}

const sender = '+41791112233';
const askAgainMaxMs = 30_000;
const aheadMaxMs = 100_000;
const unknownId = '904907980800001';

/** The token that each account has from the beginning. */
export function clientToken(account: string): MadeToken {
  return makeToken(hash('sha512', account, 'buffer').subarray(0, tokenRandomBytes));
}

export interface ClientNeeds {
  readonly world: World;
  /** The gateway that answers now; undefined while none runs. */
  readonly node: () => SimNode | undefined;
  readonly tokens: Tokens;
  /** Called with the code of each refusal. */
  readonly refused: (code: string) => void;
}

/** Accounts by their ids. The one with rules sends less than the first. */
const senders = [1, 1, 1, 1, 2, 3, 3, 3];
const ruled = 3;

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
  send(validity = this.#needs.world.chance.pick(['60', '120', '300', '300', '300', '600'])): void {
    const { world } = this.#needs;
    const { chance } = world;
    const number = this.sent.length + 1;
    const flaw = chance.happens(0.12) ? flawOf(chance, digitsOf(number)) : {};
    const account = flaw.isOfRuled ? ruled : chance.pick(senders);
    const waitMs = chance.happens(0.15) ? chance.between(1_000, aheadMaxMs) : undefined;
    const body: SendBody = {
      sender,
      receiver: receiverOf(number),
      ...textOf(chance, number, chance.happens(0.15) ? chance.between(2, 3) : 1),
      validity,
      ...flaw,
    };
    const message: Sent = {
      number,
      account,
      source: 'http',
      ...body,
      validityMs: Number(validity) * 1_000,
      priority: chance.happens(0.2) ? 'high' : undefined,
      scheduledFor: waitMs === undefined ? undefined : Math.floor((world.nowMs + waitMs) / 1_000) * 1_000,
      key: chance.happens(0.3) ? this.#keyOf(account, number) : undefined,
      sentAt: world.nowMs,
      outcomes: [],
      events: [],
      cancels: [],
    };
    this.sent.push(message);
    world.after(message.validityMs - 1, () => this.look(message));
    this.#request(message, flaw);
  }

  /** Reads the report of a message that was accepted. */
  look(message: Sent): void {
    const node = this.#needs.node();
    const id = idOf(message);
    if (!node || id === undefined) return;
    const path = `${endpoints.dlr.path}?messageId=${id}`;
    void node.edge.ask({ method: 'GET', path, headers: this.#headers(message.account) }).then((report) => {
      if (!node.clock.isAlive) return;
      if (!report.ok) this.#needs.refused(report.error.code);
      else {
        const event = String(jsonOf(report.value)['event']);
        if (message.events.at(-1)?.event !== event) message.events.push({ at: this.#needs.world.nowMs, event });
      }
    });
  }

  /** Tries to cancel a message. Some clients name an unknown message, or one of another account. */
  cancel(): void {
    const { chance, nowMs } = this.#needs.world;
    const node = this.#needs.node();
    const [message, id = unknownId] = this.#some() ?? [];
    if (!node || !message) return;
    const isOther = chance.happens(0.1);
    const account = isOther ? (message.account % accountNames.length) + 1 : message.account;
    const asked = chance.happens(0.1) ? unknownId : String(id);
    const canceling: Canceling = { at: nowMs, account, outcome: 'lost' };
    if (asked !== unknownId) message.cancels.push(canceling);
    const body = JSON.stringify({ messageId: asked });
    void node.edge.ask({ path: endpoints.cancel.path, headers: this.#headers(account), body }).then((answer) => {
      if (!node.clock.isAlive) return;
      canceling.outcome = answer.ok ? 'canceled' : answer.error.code;
      this.#needs.world.tell(`client: to cancel message ${message.number} is answered ${canceling.outcome}`);
      if (!answer.ok) this.#needs.refused(answer.error.code);
    });
  }

  /** A message whose id its client knows; half of the time, one that may not be due yet. */
  #some(): [Sent, MessageId] | undefined {
    const { chance, nowMs } = this.#needs.world;
    const known = this.sent.flatMap((message): [Sent, MessageId][] => {
      const id = idOf(message);
      return id === undefined ? [] : [[message, id]];
    });
    const early = known.filter(([{ scheduledFor = 0 }]) => scheduledFor > nowMs);
    if (early.length > 0 && chance.happens(0.5)) return chance.pick(early);
    return known.length === 0 ? undefined : chance.pick(known);
  }

  /** A new key. Some clients use a key again, for another message. */
  #keyOf(account: number, number: number): string {
    const { chance } = this.#needs.world;
    const used = this.sent.filter((message) => message.account === account && message.key !== undefined);
    return (chance.happens(0.1) && used.length > 0 ? chance.pick(used).key : undefined) ?? `key ${number}`;
  }

  #headers(account: number, token?: string): { readonly authorization: string } {
    const tokens = this.#needs.tokens.get(accountNames[account - 1] ?? '') ?? [];
    const { chance } = this.#needs.world;
    // Operators may have revoked all tokens but the first.
    return { authorization: `Bearer ${token ?? (chance.happens(0.8) ? tokens[0] : chance.pick(tokens))}` };
  }

  #request(message: Sent, flaw: Flaw): void {
    const { world } = this.#needs;
    const node = this.#needs.node();
    const again = () => {
      this.#underWay += 1;
      world.soon(100, askAgainMaxMs, () => {
        this.#underWay -= 1;
        this.#request(message, flaw);
      });
    };
    if (!node) {
      // Nobody listens, so the client tries again.
      again();
      return;
    }
    const { key } = message;
    let isOver = false;
    const { commits } = world;
    this.#underWay += 1;
    const end = (outcome: Outcome) => {
      if (isOver) return;
      isOver = true;
      this.#underWay -= 1;
      const why = outcome.kind === 'refused' ? ` (${outcome.rejection.code})` : '';
      world.tell(`client: message ${message.number} is ${outcome.kind}${why}`);
      message.outcomes.push({ ...outcome, at: world.nowMs, isAfterCommit: world.commits > commits });
      if (outcome.kind === 'refused') this.#needs.refused(outcome.rejection.code);
      if (outcome.kind === 'lost' && key !== undefined) again();
      else if (outcome.kind === 'accepted' && key !== undefined && world.chance.happens(0.2)) again();
    };
    node.whenCrashed(() => end({ kind: 'lost' }));
    const headers = this.#headers(message.account, flaw.token);
    const body = flaw.isCut ? '{' : JSON.stringify(bodyOf(message, flaw));
    void node.edge.ask({ path: endpoints.send.path, headers, body }).then((answer) => {
      if (!node.clock.isAlive) return;
      if (answer.ok) end({ kind: 'accepted', answer: readAccepted(answer.value) });
      else end({ kind: 'refused', rejection: answer.error });
    });
  }
}

function bodyOf(message: Sent, flaw: Flaw): SendBody {
  const { receiver, text, dcs, priority, scheduledFor, key } = message;
  return {
    sender: message.sender,
    receiver,
    text,
    dcs,
    validity: flaw.validity ?? String(message.validityMs / 1_000),
    ...(priority !== undefined && { priority }),
    ...(scheduledFor !== undefined && { sendAt: new Date(beginning + scheduledFor).toISOString() }),
    ...(key !== undefined && { idempotencyKey: key }),
  };
}

export function acceptedOf({ outcomes }: Sent): AcceptedMessage | undefined {
  for (const outcome of outcomes) if (outcome.kind === 'accepted') return outcome.answer;
  return undefined;
}

/** The id of a message that was accepted over HTTP or over SMPP. */
export function idOf({ outcomes }: Pick<Sent, 'outcomes'>): MessageId | undefined {
  for (const outcome of outcomes) {
    if (outcome.kind === 'accepted') return outcome.answer.msgId;
    if (outcome.kind === 'taken') return outcome.id;
  }
  return undefined;
}
