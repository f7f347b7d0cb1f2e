import type { IncomingHttpHeaders } from 'node:http';
import { isWithin, parseAddress } from '@morsel/api/values/address-range.ts';
import type { AddressRange } from '@morsel/api/values/address-range.ts';

/** Proxies that one request may pass. A longer list is an attack. */
const hopsMax = 32;

/**
 * The address of the client. Behind a trusted proxy it is the last address in X-Forwarded-For that is not a trusted proxy's:
 * each proxy appends the address that it got the request from, and everything before may be forged by the client. Without a
 * trusted proxy, or if the list cannot be read that far, it is the address of the connection. The Forwarded header (RFC 7239)
 * is ignored, because a proxy that writes only X-Forwarded-For passes on a forged Forwarded.
 */
export function clientAddress(
  request: { readonly headers: Readonly<IncomingHttpHeaders> },
  peer: string,
  proxies: readonly AddressRange[],
): string {
  if (proxies.length === 0) return peer;
  const forwarded = request.headers['x-forwarded-for'];
  // Several such headers are one list (RFC 9110, section 5.3). Node has joined them.
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

/** Whether the address is that of a trusted proxy. */
export function isTrusted(address: string, proxies: readonly AddressRange[]): boolean {
  const words = parseAddress(address);
  return words !== undefined && isWithin(proxies, words);
}

const withPort = /^(?:\[([^\]]+)\]|([^:]+))(?::\d{1,5})?$/;

/** The address without the port that some proxies add: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function addressIn(hop: string): string {
  const [, v6, v4] = withPort.exec(hop) ?? [];
  return v6 ?? v4 ?? hop;
}
