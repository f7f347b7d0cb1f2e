/* Operators of a simulation: they change settings, money and messages while clients send, and keep what they did. */

import { toMicros } from '@morsel/api/values/money.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../../src/core/base/rejection.ts';
import { isSetting, type Command } from '../../../src/state/commands.ts';
import { pricesOf } from '../../support/store/prices.ts';
import { smppSettings } from '../../support/store/routing-commands.ts';
import { builtInKey, type Watch } from '../edge.ts';
import type { SimNode } from '../node.ts';
import { accountNames, otherOperations, ownNumber, type OperatorHands, type Tokens } from './other-operations.ts';
import type { Sent } from '../clients/clients.ts';
import { receiverOf } from '../clients/requests.ts';
import type { World } from '../world.ts';

interface OperatorNeeds {
  readonly world: World;
  readonly node: () => SimNode | undefined;
  readonly sent: readonly Sent[];
  readonly tokens: Tokens;
  /** The rules by which the ids of a carrier match. */
  readonly idRules: (carrier: string) => readonly ('auto' | 'same' | 'hex-answer' | 'hex-receipt')[];
  /** Called with the code of each refusal. */
  readonly refused: (code: string) => void;
  readonly bugs: unknown[];
}

/** An operation that an operator asked for. */
export interface Deed {
  readonly at: number;
  readonly operation: string;
  readonly given: Readonly<Record<string, unknown>>;
  /** `lost`: no answer has come, so the operation may be done or not. */
  outcome: 'done' | 'refused' | 'lost';
  /** The time of the answer. */
  answeredAt: number | undefined;
}

const fewDays = { textDays: 1, numberDays: 2, recordDays: 3 };
const againMs = 1_000;
const settleEveryMs = 10_000;
/** Of the lines about one thing, an operator leaves some out. */
const shareOfLines = 0.8;

export class Operators {
  readonly done: Deed[] = [];
  readonly #needs: OperatorNeeds;

  constructor(needs: OperatorNeeds) {
    this.#needs = needs;
  }

  /** Draws what operators do until this time. */
  draw(untilMs: number): void {
    const { world } = this.#needs;
    const { chance } = world;
    for (let at = settleEveryMs; at < untilMs; at += settleEveryMs)
      world.plan(at, () => this.#try(() => this.#settle()));
    if (!chance.happens(0.6)) return;
    for (let count = chance.between(1, 25); count > 0; count--) {
      world.plan(chance.between(0, untilMs), () => this.#try(() => this.#act()));
    }
  }

  /** Lets everything go on: what was paused or suspended is resumed. */
  end(): void {
    const { world } = this.#needs;
    const node = this.#needs.node();
    if (!node) {
      world.after(againMs, () => this.end());
      return;
    }
    const { call } = this.#hands(node);
    // The operation would also look at the disk, which no seed decides.
    this.#try(() => node.flow.clockGuard.confirm());
    for (const carrier of ['alpha', 'beta']) this.#try(() => call.carrier.resume({ carrier }));
    for (const account of accountNames) this.#try(() => call.account.resume({ account }));
    for (const webhook of [1, 2, 3]) this.#try(() => call.webhook.resume({ webhook }));
  }

  /** Accounts keep their texts for a day only. */
  keepOneDay(): void {
    const node = this.#needs.node();
    if (!node) throw new Error('no gateway runs');
    const { call } = this.#hands(node);
    for (const account of accountNames) this.#try(() => call.account.set({ account, ...fewDays }));
  }

  /** An exception is a bug of the gateway. */
  #try(act: () => Promise<unknown>): void {
    act().catch((fault: unknown) => this.#needs.bugs.push(fault));
  }

  async #act(): Promise<void> {
    const { world } = this.#needs;
    const { chance } = world;
    const node = this.#needs.node();
    if (!node) return;
    const hands = this.#hands(node);
    if (chance.happens(0.7)) {
      await chance.pick(this.#usual(hands))();
      return;
    }
    for (const act of chance.pick(otherOperations(world, hands))) {
      if (!node.clock.isAlive) return;
      if (chance.happens(shareOfLines)) await act();
    }
  }

  #hands(node: SimNode): OperatorHands {
    const as = (key: string) => node.edge.calls(key, this.#watch(node));
    return {
      call: as(builtInKey),
      as,
      give: (command) => this.#give(node, command),
      tokens: this.#needs.tokens,
      at: node.flow.messages.clock.now(),
    };
  }

  #watch(node: SimNode): Watch {
    const { world, refused } = this.#needs;
    return (operation, given) => {
      world.tell(`operator: ${operation}`);
      const deed: Deed = { at: world.nowMs, operation, given, outcome: 'lost', answeredAt: undefined };
      this.done.push(deed);
      return (answer) => {
        if (!node.clock.isAlive) return;
        deed.outcome = answer.ok ? 'done' : 'refused';
        deed.answeredAt = world.nowMs;
        if (answer.ok) return;
        world.tell(
          `operator: ${operation} is refused: ${'detail' in answer.error ? answer.error.detail : answer.error.code}`,
        );
        refused(answer.error.code);
      };
    };
  }

  /** As the operator's API does: a change of settings is done when the gateway uses it. */
  async #give(node: SimNode, command: Command): Promise<Result<unknown, Rejection>> {
    const result = await node.journal.append(command);
    if (result.ok && isSetting(command)) await node.flow.settings.reload().catch(() => undefined);
    return result;
  }

  /** What operators do every day. */
  #usual({ call }: OperatorHands): (() => Promise<unknown>)[] {
    const { chance } = this.#needs.world;
    const carrier = chance.pick(['alpha', 'beta']);
    const account = chance.pick(accountNames);
    const receiver = receiverOf(chance.between(1, this.#needs.sent.length + 5));
    const number = ownNumber;
    // An erasure also forgets the key of a request, so that its repeat would make another message.
    const hasKey = this.#needs.sent.some((message) => message.receiver === receiver && message.key !== undefined);
    return [
      () => call.carrier.set({ carrier, window: chance.between(1, 10) }),
      () => call.carrier.set({ carrier, throughput: chance.pick([0, 1, 5, 50]) }),
      () => call.carrier.set({ carrier, links: chance.between(1, 3) }),
      () => call.carrier.set({ carrier, inDoubt: chance.pick(['resend', 'hold', 'fail']) }),
      () => call.carrier.set({ carrier, idRule: chance.pick(this.#needs.idRules(carrier)) }),
      () => call.carrier.pause({ carrier }),
      () => call.carrier.drain({ carrier }),
      () => call.carrier.resume({ carrier }),
      () => call.carrier.remove({ carrier: 'gamma' }),
      () => call.carrier.add({ ...gamma, window: 1, links: 1 }),
      () => call.route.add({ prefix: '4179', carrier, rank: chance.between(1, 2) }),
      () => call.route.set({ prefix: '41', carrier, weight: chance.between(1, 5), rank: chance.between(1, 2) }),
      () => call.route.set({ prefix: '4179', carrier, newCarrier: carrier === 'alpha' ? 'beta' : 'alpha' }),
      () => call.route.remove({ prefix: '41', carrier }),
      () => call.route.remove({ prefix: '4179' }),
      () => call.route.add({ prefix: '41', carrier }),
      () => call.price.set({ list: 'default', prices: pricesOf({ 43: '0.01' }) }),
      () => call.posting.topUp({ account, amount: toMicros(BigInt(chance.between(1, 50_000))) }),
      () => call.posting.adjust({ account, amount: toMicros(-5_000n), reason: 'error' }),
      () => call.account.set({ account, ...fewDays }),
      () => call.account.set({ account, partsMax: chance.between(1, 3) }),
      () => call.account.suspend({ account }),
      () => call.account.resume({ account }),
      () => call.optOut.add({ account, receiver, reason: 'letter' }),
      () => call.optOut.remove({ account, receiver, reason: 'letter' }),
      () => call.number.set({ number, account }),
      () => call.number.remove({ number }),
      () => call.number.add({ number, account }),
      async () => (hasKey ? undefined : call.privacy.erase({ receiver, reason: 'letter' })),
    ];
  }

  /** Settles the oldest part in doubt. */
  async #settle(): Promise<void> {
    const node = this.#needs.node();
    if (!node) return;
    const { call } = this.#hands(node);
    const listed = await call.message.inDoubt({ limit: 1 });
    const oldest = listed.ok ? listed.value.items[0] : undefined;
    const as = this.#needs.world.chance.pick(['resend', 'sent', 'unknown'] as const);
    if (oldest) await call.message.settle({ id: String(oldest.msgId), part: oldest.part, as });
  }
}

const { host, port, systemId, password } = smppSettings({}, { systemId: 'gamma' });
const gamma = { name: 'gamma', host, port, systemId, password };
