import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { parseAddress, type AddressRange } from '@morsel/api/values/address-range.ts';
import { reasonToRefuse } from '../../core/notification/outward-address.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Lookup } from './lookup.ts';

/* Looks up the host names of webhooks, and refuses forbidden addresses, such as addresses of internal networks. */

export interface SafeLookupNeeds {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly lookup: Lookup;
  readonly allowed: readonly AddressRange[];
}

/** How long the addresses of a name are cached, so that many connections at once need only one lookup. */
const lookupKeptMs = 1_000;

/** The error text has the address, but never the path of the webhook. */
export class OutwardRefused extends Error {}

/**
 * Refuses the connection if any address is neither public nor allowed. The socket connects to a checked address, so a
 * name cannot change after the check (DNS rebinding). `parseWebhookUrl` checks IP addresses in URLs.
 */
export function safeLookup({ clock, lookup, allowed }: SafeLookupNeeds): LookupFunction {
  const find = keepShortly(clock, lookup);
  const checked = callbackify(async (name: string) => {
    const addresses = await safeAddresses(name, find, allowed);
    return addresses.map((address) => ({ address, family: isIP(address) }));
  });
  return (name, _options, callback) => checked(name, callback);
}

/** Rejects if one of the addresses is neither public nor allowed. */
export async function safeAddresses(
  name: string,
  lookup: Lookup,
  allowed: readonly AddressRange[],
): Promise<readonly string[]> {
  const addresses = await lookup(name);
  for (const address of addresses) {
    const words = parseAddress(address);
    const reason = words ? reasonToRefuse(words, allowed) : 'no address';
    if (reason !== undefined)
      throw new OutwardRefused(`the host name ${name} has the address ${address}, which is ${reason}`);
  }
  return addresses;
}

/** Shares one lookup among all connections to the same name that start within a second. */
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
