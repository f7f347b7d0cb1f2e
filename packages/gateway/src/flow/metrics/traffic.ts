/* Sums of the traffic of this gateway since its start, from the meters. */

import { toMicros, zeroMicros } from '@morsel/api/values/money.ts';
import type { Traffic } from '../../state/tables/alarm/traffic.ts';
import type { Meters } from './meters.ts';

/** The sums of counts, and the sums of money for each currency. */
export function trafficOf(
  { accounts, carriers }: Pick<Meters, 'accounts' | 'carriers'>,
  currencyOf: (account: number) => string,
): readonly [Traffic, ...Traffic[]] {
  const all = { ...none };
  const charged = new Map<string, bigint>();
  for (const [id, account] of accounts) {
    for (const count of Object.values(account.messages)) all.messages += count;
    for (const count of Object.values(account.refused)) all.refused += count;
    all.parts += account.parts;
    if (account.charged !== 0n) {
      const currency = currencyOf(id);
      charged.set(currency, (charged.get(currency) ?? 0n) + account.charged);
    }
  }
  for (const { outcomes, delivered, failed, inbound } of carriers.values()) {
    all.sent += outcomes.accepted ?? 0;
    all.bounced += outcomes.refused ?? 0;
    all.delivered += delivered;
    all.failed += failed;
    all.inbound += inbound;
  }
  const ofMoney = [...charged].map(([currency, sum]) => ({ ...none, currency, charged: toMicros(sum) }));
  return [{ ...all, currency: '' }, ...ofMoney];
}

const none = {
  messages: 0,
  parts: 0,
  refused: 0,
  sent: 0,
  bounced: 0,
  delivered: 0,
  failed: 0,
  inbound: 0,
  charged: zeroMicros,
};
