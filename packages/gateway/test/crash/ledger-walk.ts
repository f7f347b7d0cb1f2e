import type { AnyResult, Command, CommandOf } from '../../src/state/commands.ts';
import assert from 'node:assert/strict';
import { refundPolicies } from '@morsel/api/values/account.ts';
import { idempotencyLifeMs } from '../../src/core/message/idempotency.ts';
import { toMessageId } from '../../src/core/base/message-id.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import { hourMs } from '@morsel/api/values/time.ts';
import type { Answer } from '../../src/core/message/outcome.ts';
import type { CarrierState } from '../../src/core/message/receipt.ts';
import { carrierCommand, routeCommand, setCarrierCommand, setRouteCommand } from '../support/store/routing-commands.ts';
import { operate } from '../support/store/operate.ts';
import { attemptsSql, TestStore } from '../support/store/store.ts';
import { Chance } from '../support/chance.ts';
import { Books } from './ledger-model.ts';

/*
 * Random events in the life of messages, on a store: after every step, the store's ledger, balances and messages must
 * agree with the model. In the end, all messages are final.
 */

interface Flight {
  readonly message: number;
  readonly part: number;
  readonly attempt: number;
  readonly carrier: number;
  readonly lease: number;
}

/** One for each rank of the route: a message goes on from alpha after 3 s, and from beta only after a refusal. */
const carriers = [1, 2, 3];

const fullCheckEvery = 100;

/**
 * Makes random steps on a new store. Throws at the first disagreement with the model, and names the seed and the step.
 */
export async function walk(seed: number, steps: number): Promise<void> {
  await using world = await World.open(seed);
  for (let step = 1; step <= steps; step++) {
    const what = world.next();
    try {
      await world.step(what);
      await world.books.compare();
      if (step % fullCheckEvery === 0 || step === steps) await world.books.compareAll();
    } catch (cause) {
      throw new Error(`seed ${seed}, step ${step} (${what})`, { cause });
    }
  }
  await world.end();
}

const outcomes: readonly Answer['outcome'][] = [
  'accepted',
  'accepted',
  'accepted',
  'busy',
  'temporary',
  'refused',
  'in_doubt',
  'unsent',
  'unsendable',
];
const receipts: readonly CarrierState[] = [
  'DELIVERED',
  'DELIVERED',
  'UNDELIVERABLE',
  'EXPIRED',
  'ENROUTE',
  'UNKNOWN',
  'REJECTED',
];

class World implements AsyncDisposable {
  readonly #chance: Chance;
  readonly #store: TestStore;
  readonly books: Books;
  /** The messages that clients have sent, and may send again. */
  readonly #sent: CommandOf<'accept'>[] = [];
  /** The message of each idempotency key that was used in the last seven days. */
  readonly #holders = new Map<string, CommandOf<'accept'>>();
  #lastKey = 0;

  private constructor(seed: number, store: TestStore) {
    this.#chance = new Chance(seed);
    this.#store = store;
    this.books = new Books(store);
  }

  static async open(seed: number): Promise<World> {
    const store = await TestStore.open({ isCompared: true });
    const world = new World(seed, store);
    const settings = { inDoubt: world.#chance.pick(['resend', 'hold', 'fail'] as const) };
    await store.one(setCarrierCommand({ settings }));
    await store.one(setRouteCommand({ at: store.now, carrier: 'alpha', settings: { waitMs: 3_000 } }));
    for (const [at, name] of ['beta', 'gamma'].entries()) {
      await store.one(carrierCommand({ at: store.now, name, ...settings }));
      await store.one(routeCommand({ at: store.now, carrier: name, rank: at + 2 }));
    }
    for (const carrier of ['alpha', 'beta', 'gamma']) await store.one(routeCommand({ prefix: '4179', carrier }));
    // The price list by which the messages are charged.
    const prices = [{ prefix: '41', price: toMicros(10n) }];
    await store.one(operate('price.set', { list: 'default', prices }, { at: 0 }));
    for (const [at, policy] of refundPolicies.entries()) {
      const creditLimit = world.#chance.happens(0.5) ? 0n : BigInt(world.#chance.between(1, 100));
      const balance = world.#chance.between(0, 400);
      await store.addAccount(policy, balance, { refundPolicy: policy, creditLimit: toMicros(creditLimit) });
      world.books.open({ name: policy, id: at + 2, policy, creditLimit }, BigInt(balance));
    }
    return world;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store[Symbol.asyncDispose]();
  }

  next(): (typeof happenings)[number] {
    return this.#chance.pick(happenings);
  }

  async step(what: (typeof happenings)[number]): Promise<void> {
    this.#store.now += this.#chance.between(0, 5_000);
    await this[what]();
    assert.deepEqual(this.#store.faults, [], 'a command failed');
    await this.books.settle();
  }

  /** Lets all validities and waits run out, several times, as one end may start another wait. */
  async end(): Promise<void> {
    for (let round = 0; round < 3; round++) {
      this.#store.now += 100 * hourMs;
      await this.#begin();
      await this.#store.one({ kind: 'expire', at: this.#store.now, max: 10_000 });
    }
    await this.books.settle();
    await this.books.compareAll();
    assert.equal(await this.#store.value('select count(*) from part where deadline is not null'), 0, 'A3');
  }

  /** Sends one to four messages in one commit. */
  async send(): Promise<void> {
    await this.#sendAll(Array.from({ length: this.#chance.between(1, 4) }, () => this.#draft()));
  }

  /** Two messages, a cancel and a top-up in one commit. */
  async together(): Promise<void> {
    const message = this.#anyMessage();
    const drafts = [this.#draft(), this.#draft()];
    const canceled: Command[] = message === undefined ? [] : [this.#cancelOf(message)];
    const [first, second] = drafts;
    if (!first || !second) return;
    const results = await this.#store.apply(first, ...canceled, this.#topUp(3n), second);
    // The model follows the store's order. The cancel's refund, which only the store knows, comes between the messages.
    await this.#note(first, results[0]);
    await this.books.settle();
    this.books.model.move(this.books.payers[0]?.name ?? '', 3n, null);
    await this.#note(second, results.at(-1));
  }

  async claim(): Promise<void> {
    const { at, link } = this.#link();
    const up = carriers.filter((each) => each === link.carrier || this.#chance.happens(0.5));
    await this.#store.one({ kind: 'claim', at, ...link, up, max: this.#chance.between(1, 6) });
  }

  /** The carrier answers a request. */
  async answer(): Promise<void> {
    const flight = await this.#anyFlight('outcome is null');
    if (flight) await this.#answerWith(flight, this.#chance.pick(outcomes));
  }

  /** The carrier answers after the link has given up the request. */
  async answerLate(): Promise<void> {
    const flight = await this.#anyFlight("outcome = 'in_doubt'");
    if (flight) await this.#answerWith(flight, this.#chance.pick(['accepted', 'refused', 'temporary']));
  }

  async receive(): Promise<void> {
    const message = this.#anyMessage();
    if (message === undefined) return;
    const part = this.#chance.between(1, 3);
    const carrier = Number(
      (await this.#store.value('select carrier from part where message = ? and number = ?', message, part)) ?? 1,
    );
    await this.#store.one(this.#store.receipt(`${message}.${part}`, { carrier, state: this.#chance.pick(receipts) }));
  }

  /** The operator settles a part in doubt. */
  async settleDoubt(): Promise<void> {
    const flight = await this.#anyFlight("outcome = 'in_doubt'");
    if (!flight) return;
    const as = this.#chance.pick(['resend', 'sent', 'unknown'] as const);
    await this.#store.one(operate('message.settle', { id: String(flight.message), as }, { at: this.#store.now }));
  }

  /** Messages whose time has come go to the queue, if they have a route. */
  async queueDue(): Promise<void> {
    const sql = 'select message from scheduled where due_at <= ? order by message';
    const route = this.#chance.happens(0.8) ? 1 : null;
    const due = (await this.#store.rows(sql, this.#store.now)).map((row) => toMessageId(Number(row['message'])));
    const messages = due.map((message) => ({ message, route }));
    await this.#store.one({ kind: 'queue-due', at: this.#store.now, messages });
  }

  async reroute(): Promise<void> {
    const message = this.#anyMessage();
    if (message === undefined) return;
    const messages = [{ message: toMessageId(message), route: this.#chance.pick([1, 2]), eligible: '' }];
    await this.#store.one({ kind: 'reroute', at: this.#store.now, messages, forgets: 'nothing' });
  }

  async cancel(): Promise<void> {
    const message = this.#anyMessage();
    if (message !== undefined) await this.#store.one(this.#cancelOf(message));
  }

  async expire(): Promise<void> {
    if (this.#chance.happens(0.1)) this.#store.now += 100 * hourMs;
    else this.#store.now += 40_000;
    await this.#store.one({ kind: 'expire', at: this.#store.now, max: 1_000 });
  }

  async topUp(): Promise<void> {
    const amount = toMicros(BigInt(this.#chance.between(1, 200)));
    const account = this.#chance.pick(this.books.payers).name;
    await this.#store.one(operate('posting.topUp', { account, amount }, { at: this.#store.now }));
    this.books.model.move(account, amount, null);
  }

  async adjust(): Promise<void> {
    const { name, creditLimit } = this.#chance.pick(this.books.payers);
    const amount = BigInt(this.#chance.between(-150, 60)) || 1n;
    const force = this.#chance.happens(0.1);
    const given = { account: name, amount: toMicros(amount), reason: 'model', force };
    const done = await this.#store.one(operate('posting.adjust', given, { at: this.#store.now }));
    assert.equal(done.ok, this.books.model.move(name, amount, force || amount > 0n ? null : -creditLimit));
  }

  /** A group of commands is lost in the middle of its commit, and the process starts again. */
  async crash(): Promise<void> {
    const message = this.#anyMessage();
    const lost: Command[] = [this.#draft(), this.#topUp(7n), this.#draft()];
    if (message !== undefined) lost.splice(1, 0, this.#cancelOf(message));
    await this.#store.crash(...lost);
    await this.#begin();
  }

  /** One command of a group fails, because its id exists already. The others are applied as usual. */
  async fail(): Promise<void> {
    const message = this.#anyMessage();
    if (message === undefined) return;
    const draft = this.#draft();
    const culprit = { ...this.#draft(), id: toMessageId(message) };
    const results = await this.#store.apply(draft, this.#cancelOf(message), culprit);
    await this.#note(draft, results[0]);
    assert.equal(results.at(-1)?.ok, false, 'the culprit');
    this.#store.faults.length = 0;
  }

  async restart(): Promise<void> {
    await this.#store.restart();
    await this.#begin();
  }

  /**
   * A client without an answer repeats its request: with an idempotency key it gets the first answer, without one it
   * pays again.
   */
  async sendAgain(): Promise<void> {
    if (this.#sent.length === 0) return;
    const before = this.#chance.pick(this.#sent);
    const { id: _id, at: _at, dueAt: _dueAt, expiresAt: _expiresAt, ...same } = before;
    const again = this.#store.accept({ ...same, claim: null });
    const holder = this.#holders.get(before.idempotency?.key ?? '');
    if (!before.idempotency || !holder || holder.at <= this.#store.now - idempotencyLifeMs) {
      await this.#sendAll([again]);
      return;
    }
    // The request comes twice in one group, as from a client that lost its connection.
    const results = await this.#store.apply(again, { ...again, id: this.#store.accept().id });
    for (const result of results)
      assert.deepEqual(firstOf(result), await this.#firstOf(holder), 'what the first came to');
    const other = await this.#store.one({
      ...again,
      idempotency: { key: before.idempotency.key, hash: hashOf('other') },
    });
    assert.ok(!other.ok && other.error.code === 'idempotency_conflict', 'another message under the same key');
  }

  async #firstOf({ id: message, numParts, totalCost }: CommandOf<'accept'>): Promise<unknown> {
    const clientBalance = await this.books.amount('select balance_after from message where id = ?', message);
    return { message, numParts, totalCost, clientBalance };
  }

  async #sendAll(drafts: readonly CommandOf<'accept'>[]): Promise<void> {
    const results = await this.#store.apply(...drafts);
    for (const [at, draft] of drafts.entries()) await this.#note(draft, results[at]);
  }

  /** Applies a message to the model. Checks that its answer agrees with the model and the store. */
  async #note(draft: CommandOf<'accept'>, result: AnyResult | undefined): Promise<void> {
    const payer = this.books.payers.find(({ id }) => id === draft.account) ?? assert.fail('a payer');
    const isPaid = this.books.model.move(payer.name, -draft.totalCost, -payer.creditLimit);
    assert.equal(result?.ok, isPaid, `whether ${payer.name} pays ${draft.totalCost}`);
    if (!isPaid || !result?.ok) return;
    this.#sent.push(draft);
    if (draft.idempotency) this.#holders.set(draft.idempotency.key, draft);
    this.books.model.spent.set(draft.id, { account: payer.name, price: draft.unitPrice, parts: draft.numParts });
    const balance = this.books.model.balances.get(payer.name);
    assert.deepEqual({ ...result.value, clientBalance: balance }, result.value, 'the balance that was answered');
    assert.equal(await this.books.amount('select balance_after from message where id = ?', draft.id), balance);
  }

  #draft(): CommandOf<'accept'> {
    const numParts = this.#chance.between(1, 3);
    const unitPrice = BigInt(this.#chance.between(0, 12));
    const dueAt = this.#chance.happens(0.1) ? this.#store.now + this.#chance.between(1, 60_000) : this.#store.now;
    return this.#store.accept({
      dueAt,
      expiresAt: dueAt + 60_000,
      account: this.#chance.pick(this.books.payers).id,
      numParts,
      unitPrice: toMicros(unitPrice),
      totalCost: toMicros(unitPrice * BigInt(numParts)),
      claim: dueAt === this.#store.now && this.#chance.happens(0.6) ? this.#link().link : null,
      ...(this.#chance.happens(0.4) ? { idempotency: { key: `key ${++this.#lastKey}`, hash: hashOf('same') } } : {}),
    });
  }

  #link() {
    const isWhole = this.#chance.happens(0.2);
    const carrier = this.#chance.pick(carriers);
    return { at: this.#store.now, link: { carrier, link: 1, lease: this.#store.lease, isWhole } };
  }

  #topUp(amount: bigint): Command {
    const account = this.books.payers[0]?.name ?? '';
    return operate('posting.topUp', { account, amount: toMicros(amount) }, { at: this.#store.now });
  }

  #cancelOf(message: number): Command {
    return { kind: 'cancel', at: this.#store.now, message: toMessageId(message), account: null };
  }

  async #answerWith({ message, ...flight }: Flight, outcome: Answer['outcome']): Promise<void> {
    const id = outcome === 'accepted' ? `${message}.${flight.part}` : null;
    const scope = outcome === 'busy' || this.#chance.happens(0.3) ? 'carrier' : 'message';
    await this.#store.one(this.#store.outcome(message, { ...flight, outcome, scope, carrierId: id, carrierIdKey: id }));
  }

  async #begin(): Promise<void> {
    await this.#store.one({ kind: 'begin', at: this.#store.now });
  }

  #anyMessage(): number | undefined {
    const recent = [...this.books.model.spent.keys()].slice(-30);
    return recent.length === 0 ? undefined : this.#chance.pick(recent);
  }

  async #anyFlight(where: string): Promise<Flight | undefined> {
    const rows = await this.#store.rows(
      `select message, part, number as attempt, carrier, lease from ${attemptsSql} as attempt where ${where} limit 50`,
    );
    if (rows.length === 0) return undefined;
    const { message, part, attempt, carrier, lease } = this.#chance.pick(rows);
    const [id = 0, ...others] = [message, part, attempt, carrier, lease].map(Number);
    const [ofPart = 0, number = 0, by = 0, of = 0] = others;
    return { message: id, part: ofPart, attempt: number, carrier: by, lease: of };
  }
}

function hashOf(word: string): Uint8Array {
  return new TextEncoder().encode(word);
}

/** The first answer to an idempotency key; undefined if the result is no replay. */
function firstOf(result: AnyResult): unknown {
  return result.ok && result.value !== null && 'first' in result.value ? result.value.first : undefined;
}

const likely = ['send', 'claim', 'answer', 'answer', 'receive'] as const;

/** The events to choose from; likely events are in the list several times. */
const happenings = [
  ...likely,
  ...likely,
  'send',
  'sendAgain',
  'together',
  'answerLate',
  'settleDoubt',
  'cancel',
  'queueDue',
  'reroute',
  'expire',
  'topUp',
  'adjust',
  'crash',
  'fail',
  'restart',
] as const satisfies readonly (keyof World)[];
