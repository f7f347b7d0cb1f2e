/* What operators have set before a simulation begins. */

import { toMicros } from '@morsel/api/values/money.ts';
import type { RefundPolicy } from '@morsel/api/values/account.ts';
import type { Command } from '../../src/state/commands.ts';
import { addNumber } from '../support/clients/inbound-messages.ts';
import { addWebhook, operate } from '../support/store/operate.ts';
import { routeCommand, smppSettings } from '../support/store/routing-commands.ts';
import { pricesOf } from '../support/store/prices.ts';
import type { SimCarrier } from './carriers/carrier.ts';
import { clientToken } from './clients/clients.ts';
import { clientLogins } from './clients/smpp-clients.ts';
import { accountNames, ownNumber } from './operators/other-operations.ts';
import { beginning, type World } from './world.ts';

export const unitPrice = toMicros(7_500n);
/** The limits of the third account. */
export const rules = {
  senders: ['+4179*'],
  allowCountries: ['CH', '+4930', '+420'],
  rate: { count: 3, seconds: 30 },
  burst: 3,
  prefixVelocity: { count: 2, seconds: 60, digits: 10 },
};
/** The second account soon has too little money. The third one has rules. */
export const accounts = [
  { name: accountNames[0], paidIn: toMicros(100_000_000n) },
  { name: accountNames[1], paidIn: toMicros(40_000n) },
  { name: accountNames[2], paidIn: toMicros(1_000_000n), dayCap: toMicros(45_000n), rules },
];

export type InDoubt = 'resend' | 'hold' | 'fail';

/** Draws the settings: the commands that make them, and what each carrier's parts without an answer become. */
export function settingsOf(
  world: World,
  {
    carriers,
    throughputs,
    refundPolicy,
  }: {
    readonly carriers: readonly SimCarrier[];
    readonly throughputs: { readonly [carrier: string]: number };
    readonly refundPolicy: RefundPolicy;
  },
): { readonly commands: readonly Command[]; readonly inDoubt: { readonly [carrier: string]: InDoubt } } {
  const inDoubt: { [carrier: string]: InDoubt } = {};
  const at = beginning;
  const commands: Command[] = [
    ...accounts.map(({ paidIn: balance, rules: made = {}, ...rest }) =>
      operate(
        'account.add',
        { ...rest, currency: 'EUR', balance, receiptWaitSeconds: 120, refundPolicy },
        { at, made },
      ),
    ),
    operate('price.set', { list: 'default', currency: 'EUR', prices: pricesOf({ 41: '0.0075' }) }, { at }),
    ...accounts.map(({ name: account }) => operate('token.add', { account }, { at, made: clientToken(account) })),
    ...clientLogins(at),
    ...accounts.map(({ name: account }) => addWebhook(at, { account, on: ['inbound', 'receipt', 'alert'] })),
    addNumber(ownNumber, 'acme'),
  ];
  for (const { name, idRule } of carriers) {
    const doubts = world.chance.pick(['resend', 'hold', 'fail'] as const);
    inDoubt[name] = doubts;
    const { profile: _profile, ...given } = smppSettings({}, { systemId: name });
    const { host, port, systemId, password } = given;
    const shared = {
      window: world.chance.between(1, 10),
      throughput: throughputs[name] ?? 0,
      links: 1,
      inDoubt: doubts,
      idRule,
    } as const;
    commands.push(operate('carrier.add', { name, host, port, systemId, password }, { at, made: { shared, given } }));
  }
  const rank = world.chance.pick([1, 2]);
  commands.push(routeCommand({ at, carrier: 'alpha' }), routeCommand({ at, carrier: 'beta', rank }));
  // There is no price for these receivers.
  commands.push(routeCommand({ at, carrier: 'alpha', prefix: '420' }));
  return { commands, inDoubt };
}
