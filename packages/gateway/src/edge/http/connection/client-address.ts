import type { IncomingHttpHeaders } from 'node:http';
import { isWithin, parseAddress } from '@morsel/api/values/address-range.ts';
import type { AddressRange } from '@morsel/api/values/address-range.ts';

/** Proxies that one request comes through; who sends a longer list means harm. */
const hopsMax = 32;

/**
 * The address that a request came from. Behind a trusted proxy that is the last address of X-Forwarded-For that is not a
 * trusted proxy's: each proxy writes down, at the right end, whom it heard from, and what is left of that is whatever the
 * client sent. Without a trusted proxy before us, or where the list cannot be read that far, it is the connection's address.
 * The Forwarded header (RFC 7239) is not read: a proxy that writes only one of the two passes the other on as it came.
 */
export function clientAddress(
  request: { readonly headers: Readonly<IncomingHttpHeaders> },
  peer: string,
  proxies: readonly AddressRange[],
): string {
  if (proxies.length === 0) return peer;
  const forwarded = request.headers['x-forwarded-for'];
  // Several such headers are one list (RFC 9110, section 5.3): node has joined them.
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

/** Whether it is the address of a proxy before us. */
export function isTrusted(address: string, proxies: readonly AddressRange[]): boolean {
  const words = parseAddress(address);
  return words !== undefined && isWithin(proxies, words);
}

const withPort = /^(?:\[([^\]]+)\]|([^:]+))(?::\d{1,5})?$/;

/** Some proxies write the port as well: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function addressIn(hop: string): string {
  const [, v6, v4] = withPort.exec(hop) ?? [];
  return v6 ?? v4 ?? hop;
}
