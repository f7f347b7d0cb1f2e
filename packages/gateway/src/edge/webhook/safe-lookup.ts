import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { parseAddress } from '@morsel/api/values/address-range.ts';
import type { AddressRange } from '@morsel/api/values/address-range.ts';
import { reasonToRefuse } from '../../core/notification/outward-address.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Lookup } from './lookup.ts';

/* Looks up the names of webhooks, and refuses addresses that a webhook must not reach, such as those of internal networks. */

export interface SafeLookupNeeds {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly lookup: Lookup;
  readonly allowed: readonly AddressRange[];
}

/** How long the addresses of a name are cached, so that many connections at once need one lookup. */
const lookupKeptMs = 1_000;

/** The address is not allowed. The message names it, never the webhook's path. */
export class OutwardRefused extends Error {}

/**
 * Looks up names for the sockets of an agent. If any address of a name is neither public nor allowed, the connection is refused. The
 * socket connects to an address that was checked, so a name that changes its address in between (DNS rebinding) gains nothing. A
 * socket does not look up IP addresses: `parseWebhookUrl` checks those.
 */
export function safeLookup({ clock, lookup, allowed }: SafeLookupNeeds): LookupFunction {
  const find = keepShortly(clock, lookup);
  const checked = callbackify(async (name: string) => {
    const addresses = await find(name);
    for (const address of addresses) {
      const words = parseAddress(address);
      const reason = words ? reasonToRefuse(words, allowed) : 'no address';
      if (reason !== undefined) throw new OutwardRefused(`${name} leads to ${address}, which is ${reason}`);
    }
    return addresses.map((address) => ({ address, family: isIP(address) }));
  });
  return (name, _options, callback) => checked(name, callback);
}

/** Shares one lookup among all that ask for the same name meanwhile and shortly after. */
function keepShortly(clock: SafeLookupNeeds['clock'], lookup: Lookup): Lookup {
  let kept: { readonly name: string; readonly until: number; readonly found: ReturnType<Lookup> } | undefined;
  return (name) => {
    const now = clock.monotonicMs();
    if (kept && kept.name === name && now < kept.until) return kept.found;
    const found = lookup(name);
    kept = { name, until: now + lookupKeptMs, found };
    return found;
  };
}
