/* Operators of a simulation: they change settings, money and messages while clients send. */

import { ok } from '@morsel/api/values/result.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import { readNumber } from '../../src/core/number/owned-number.ts';
import { changesSettings } from '../../src/state/decide/operate.ts';
import { operate } from '../support/store/operate.ts';
import { pricesOf } from '../support/store/prices.ts';
import {
  carrierStatusCommand,
  removeRouteCommand,
  routeCommand,
  setCarrierCommand,
  setRouteCommand,
  smppSettings,
} from '../support/store/routing-commands.ts';
import type { SimNode } from './node.ts';
import { accountNames, otherOperations, ownNumber, type Operation } from './other-operations.ts';
import { acceptedOf, receiverOf, type Sent } from './clients.ts';
import type { World } from './world.ts';

interface OperatorNeeds {
  readonly world: World;
  readonly node: () => SimNode | undefined;
  readonly sent: readonly Sent[];
}

/** Accounts, carriers and webhooks that must work again when everything ends. */
const goOn = (at: number): Operation[] => [
  ...['alpha', 'beta'].map((carrier) => carrierStatusCommand(carrier, 'active', at)),
  ...accountNames.map((account) => operate('account.resume', { account }, { at })),
  ...['1', '2'].map((webhook) => operate('webhook.resume', { webhook: Number(webhook) }, { at })),
];
const againMs = 1_000;

export class Operators {
  readonly #needs: OperatorNeeds;
  /** Receivers whose data they erased. */
  readonly erased = new Set<string>();
  readonly optedOut = new Set<string>();
  readonly #tokens: string[] = [];

  constructor(needs: OperatorNeeds) {
    this.#needs = needs;
  }

  /** Draws what operators do until this time. */
  draw(untilMs: number): void {
    const { world } = this.#needs;
    const { chance } = world;
    if (!chance.happens(0.6)) return;
    for (let count = chance.between(1, 25); count > 0; count--) {
      world.after(chance.between(0, untilMs), () => void this.#act());
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
    void node.flow.clockGuard.confirm();
    for (const command of goOn(node.flow.messages.clock.now())) void this.#give(node, command);
  }

  async #act(): Promise<void> {
    const { world } = this.#needs;
    const node = this.#needs.node();
    if (!node) return;
    const at = node.flow.messages.clock.now();
    const acts = world.chance.happens(0.7) ? this.#usual(at) : otherOperations(world, at, this.#tokens);
    const command = world.chance.pick(acts)();
    if (command) await this.#give(node, command);
  }

  /** As the operator's API does: a change of settings is done when the gateway uses it. */
  async #give(node: SimNode, command: Operation): Promise<void> {
    const { operation } = command;
    this.#needs.world.tell(`operator: ${operation}`);
    const result = await node.journal.append(command);
    if (!node.clock.isAlive || !result.ok) return;
    if (changesSettings(operation)) await node.flow.settings.reload();
    if (operation === 'privacy.erase') node.flow.erasing.wake();
  }

  #erase(receiver: string, at: number): Operation {
    this.erased.add(receiver);
    const made = { random: new Uint8Array(16), newKey: new Uint8Array(32).fill(1) };
    return operate('privacy.erase', { receiver, reason: 'letter' }, { at, made });
  }

  /** What operators do every day. */
  #usual(at: number): (() => Operation | undefined)[] {
    const { chance } = this.#needs.world;
    const carrier = chance.pick(['alpha', 'beta']);
    const account = chance.pick(accountNames);
    const receiver = receiverOf(chance.between(1, this.#needs.sent.length + 5));
    const optOut = { receiver, sender: undefined, reason: 'letter' };
    // An erasure also forgets the key of a request, so that its repeat would make another message.
    const hasKey = this.#needs.sent.some((message) => message.receiver === receiver && message.key !== undefined);
    const days = { textDays: 1, numberDays: 2, recordDays: 3 };
    return [
      () => setCarrierCommand({ at, carrier, settings: { window: chance.between(1, 10) } }),
      () => setCarrierCommand({ at, carrier, settings: { throughput: chance.pick([0, 1, 5, 50]) } }),
      () => setCarrierCommand({ at, carrier, settings: { links: chance.between(1, 3) } }),
      () => setCarrierCommand({ at, carrier, settings: { inDoubt: chance.pick(['resend', 'hold', 'fail']) } }),
      () => setCarrierCommand({ at, carrier, settings: { idRule: chance.pick(['same', 'auto']) } }),
      () => carrierStatusCommand(carrier, 'paused', at),
      () => carrierStatusCommand(carrier, 'drained', at),
      () => carrierStatusCommand(carrier, 'active', at),
      () => carrierStatusCommand('gamma', 'removed', at),
      () => this.#addGamma(at),
      () => routeCommand({ at, carrier, prefix: '4179', rank: chance.between(1, 2) }),
      () => setRouteCommand({ at, carrier, settings: { weight: chance.between(1, 5), rank: chance.between(1, 2) } }),
      () => setRouteCommand({ at, carrier, prefix: '4179', newCarrier: carrier === 'alpha' ? 'beta' : 'alpha' }),
      () => removeRouteCommand({ at, carrier }),
      () => removeRouteCommand({ at, prefix: '4179' }),
      () => routeCommand({ at, carrier }),
      () => operate('price.set', { list: 'default', prices: pricesOf({ 43: '0.01' }) }, { at }),
      () => operate('posting.topUp', { account, amount: toMicros(BigInt(chance.between(1, 50_000))) }, { at }),
      () => operate('posting.adjust', { account, amount: toMicros(-5_000n), reason: 'error' }, { at }),
      () => operate('account.set', { account, ...days }, { at, made: {} }),
      () => operate('account.set', { account, partsMax: chance.between(1, 3) }, { at, made: {} }),
      () => operate('account.suspend', { account }, { at }),
      () => operate('account.resume', { account }, { at }),
      () => {
        this.optedOut.add(receiver);
        return operate('optOut.add', { account, receiver, reason: 'letter' }, { at, made: ok(optOut) });
      },
      () => operate('optOut.remove', { account, receiver, reason: 'letter' }, { at, made: ok(optOut) }),
      () => operate('number.set', { number: ownNumber, account }, { at, made: owned }),
      () => operate('number.remove', { number: ownNumber }, { at, made: owned }),
      () => operate('number.add', { number: ownNumber, account }, { at, made: owned }),
      () => (hasKey ? undefined : this.#erase(receiver, at)),
      () => this.#settle(at),
    ];
  }

  #addGamma(at: number): Operation {
    const { profile: _profile, ...given } = smppSettings({}, { systemId: 'gamma' });
    const { host, port, systemId, password } = given;
    const shared = { window: 1, throughput: 0, links: 1, inDoubt: 'resend', idRule: 'same' } as const;
    return operate('carrier.add', { name: 'gamma', host, port, systemId, password }, { at, made: { shared, given } });
  }

  #settle(at: number): Operation | undefined {
    const { chance } = this.#needs.world;
    const accepted = this.#needs.sent.flatMap((message) => acceptedOf(message) ?? []);
    if (accepted.length === 0) return undefined;
    const as = chance.pick(['sent', 'unknown'] as const);
    return operate('message.settle', { id: String(chance.pick(accepted).msgId), as }, { at });
  }
}

const owned = readNumber({ number: ownNumber, kind: 'number' });
