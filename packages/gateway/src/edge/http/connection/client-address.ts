import type { IncomingHttpHeaders } from 'node:http';
import { isWithin, parseAddress, type AddressRange } from '@morsel/api/values/address-range.ts';

/** The most proxies through which a request may pass. A longer X-Forwarded-For list counts as an attack. */
const hopsMax = 32;

/**
 * The address of the client. Behind a trusted proxy it is the last address in X-Forwarded-For that is no trusted proxy:
 * each proxy appends an address, and earlier ones may be forged. Otherwise, or if X-Forwarded-For is invalid, it is the
 * connection's address. Forwarded (RFC 7239) is ignored, because many proxies pass on a forged one.
 */
export function clientAddress(
  request: { readonly headers: Readonly<IncomingHttpHeaders> },
  peer: string,
  proxies: readonly AddressRange[] = [],
): string {
  if (proxies.length === 0) return peer;
  const forwarded = request.headers['x-forwarded-for'];
  // Several X-Forwarded-For headers form one list (RFC 9110, section 5.3). Node has joined them.
  if (typeof forwarded !== 'string' || !isTrusted(peer, proxies)) return peer;
  const hops = forwarded.split(',');
  let client = peer;
  for (let hop = 1; hop <= Math.min(hops.length, hopsMax); hop++) {
    const address = addressIn((hops.at(-hop) ?? '').trim());
    const words = parseAddress(address);
    if (!words) return peer;
    client = address;
    if (!isWithin(proxies, words)) return client;
  }
  return hops.length > hopsMax ? peer : client;
}

export function isTrusted(address: string, proxies: readonly AddressRange[]): boolean {
  const words = parseAddress(address);
  return words !== undefined && isWithin(proxies, words);
}

const withPort = /^(?:\[([^\]]+)\]|([^:]+))(?::\d{1,5})?$/;

/** Removes the port that some proxies add to an address: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function addressIn(hop: string): string {
  const [, v6, v4] = withPort.exec(hop) ?? [];
  return v6 ?? v4 ?? hop;
}
