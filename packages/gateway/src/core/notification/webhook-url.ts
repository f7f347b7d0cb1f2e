/* Parses the URL of a webhook, and refuses a forbidden URL before any connection. */

import { parseAddress, type AddressRange } from '@morsel/api/values/address-range.ts';
import { reasonToRefuse } from './outward-address.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';

export interface WebhookUrl {
  /** The URL as the URL standard writes it: a number as host has become an IPv4 address. */
  readonly text: string;
  readonly origin: string;
  readonly host: string;
  readonly path: string;
  /** The query without its question mark; empty for no query. */
  readonly query: string;
}

/** What the URLs of a kind of destination may be. `forSecrets` says where a client puts a secret key instead. */
interface UrlRules {
  readonly lengthMax: number;
  readonly forSecrets: string;
}

const ofWebhook: UrlRules = { lengthMax: 2_048, forSecrets: 'give a secret key as a constant of the template' };
/** A client gives the URL of a callback with its message, often with a long query. */
export const ofCallback: UrlRules = { lengthMax: 4_000, forSecrets: 'put a secret key into the query' };

/**
 * Ports of other services, such as mail, DNS, IRC, Redis and SMPP. Such a service could run lines of an HTTP request as
 * commands. A web server may use any other port.
 */
const otherPorts = new Set(
  [
    [1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110],
    [111, 113, 115, 117, 119, 123, 135, 137, 138, 139, 143, 161, 179, 389, 427, 445, 465, 512, 513, 514, 515, 526, 530],
    [531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1_433, 1_719, 1_720, 1_723, 2_049, 2_775],
    [3_306, 3_550, 3_659, 4_045, 4_190, 5_060, 5_061, 5_432, 6_000, 6_379, 6_566, 6_665, 6_666, 6_667, 6_668, 6_669],
    [6_679, 6_697, 10_080, 11_211],
  ].flat(),
);

/** An error repeats only the host and port of the URL, because other parts may contain a secret key. */
export function parseWebhookUrl(text: string, allowed: readonly AddressRange[]): Result<WebhookUrl, string> {
  const url = readWebhookUrl(text);
  const reason = url.ok ? reasonOfHost(url.value.host, allowed) : undefined;
  return reason === undefined ? url : refused(reason);
}

/** Parses the URL. The caller checks its host. */
export function readWebhookUrl(text: string, { lengthMax, forSecrets } = ofWebhook): Result<WebhookUrl, string> {
  if (text.length > lengthMax) return refused(`must have at most ${lengthMax} characters`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return refused('must be an address such as https://example.com/sms');
  }
  if (url.username !== '' || url.password !== '') {
    return refused(`must not contain a user name or password: ${forSecrets}`);
  }
  if (text.includes('#')) return refused('must not have a part after a # sign, because that part is never sent');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  if (port === 0 || otherPorts.has(port)) return refused(`port ${port} is not for web servers: use another port`);
  const host = unbracketed(url.hostname);
  return ok({ text: url.href, origin: url.origin, host, path: url.pathname, query: url.search.slice(1) });
}

/** The host as the URL standard reads it: a number becomes an IPv4 address. Undefined if the text is no host. */
export function webHostOf({ hostname }: URL): string | undefined {
  const text = `http://${hostname}`;
  return URL.canParse(text) ? unbracketed(new URL(text).hostname) : undefined;
}

function unbracketed(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Undefined if the host is allowed. The error is for the operator, who may allow the address. */
export function reasonOfHost(host: string, allowed: readonly AddressRange[]): string | undefined {
  const leads = forbiddenHost(host, allowed);
  const address = isLocalhost(host) ? localhost : host;
  return leads && `it ${leads}: to allow this address, give --allow ${address} or a range that contains it`;
}

/** Undefined if the host is allowed. Host names are checked at each connection, when they are looked up. */
export function forbiddenHost(host: string, allowed: readonly AddressRange[]): string | undefined {
  const literal = literalOf(host);
  const reason = literal && reasonToRefuse(literal, allowed);
  return reason === undefined ? undefined : `leads to ${isLocalhost(host) ? localhost : host}, which is ${reason}`;
}

/** The address in a host that is an IP address or `localhost`; undefined for host names that need a look-up. */
function literalOf(host: string): readonly number[] | undefined {
  return parseAddress(isLocalhost(host) ? localhost : host);
}

/** Whether a host is `localhost`, which is never looked up (RFC 6761, section 6.3). */
export function isLocalhost(host: string): boolean {
  return /^(?:.*\.)?localhost\.?$/i.test(host);
}

export const localhost = '127.0.0.1';
