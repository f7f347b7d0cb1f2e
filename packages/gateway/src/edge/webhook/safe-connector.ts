import { connect as connectPlain, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import { parseAddress } from '@morsel/api/values/address-range.ts';
import type { AddressRange } from '@morsel/api/values/address-range.ts';
import { reasonToRefuse } from '../../core/notification/outward-address.ts';
import { literalOf, localhost } from '../../core/notification/webhook-url.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Lookup } from './lookup.ts';
import { withoutContinue } from './without-continue.ts';

/* Opens connections to webhooks, and refuses addresses that a webhook must not reach, such as those of internal networks. */

export interface ConnectorNeeds {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly lookup: Lookup;
  readonly allowed: readonly AddressRange[];
  /** A certificate authority to trust besides those of the system, as PEM. */
  readonly ca?: string | undefined;
}

/** Time to open a connection. Less than a whole try has, so that the failed try can say why. */
const openMaxMs = 10_000;

/** Time for one address if there are several. Then the next one is tried. */
const addressMaxMs = 4_000;

/** How long the addresses of a name are cached, so that many connections at once need one lookup. */
const lookupKeptMs = 1_000;

const keepAliveDelayMs = 30_000;

/** The address is not allowed. The message names it, never the webhook's path. */
export class OutwardRefused extends Error {}

/** No connection was open in time. */
export class OpenTimeout extends Error {}

/**
 * Opens connections to the addresses of a name. If any of them is neither public nor allowed, the connection is refused. The
 * connector connects to an address that it checked, so a name that changes its address in between (DNS rebinding) gains nothing.
 */
export function safeConnector(needs: ConnectorNeeds): buildConnector.connector {
  const { clock } = needs;
  const find = keepShortly(clock, needs.lookup);
  return (options, callback) => {
    const host = options.hostname.replace(/^\[(.*)\]$/, '$1');
    const isTls = options.protocol === 'https:';
    const port = Number(options.port || (isTls ? 443 : 80));
    const endsAtMs = clock.monotonicMs() + openMaxMs;
    const opening = { host, port, isTls, ca: needs.ca, leftMs: () => endsAtMs - clock.monotonicMs() };
    void hand(open(opening, { ...needs, lookup: find }), callback);
  };
}

async function hand(opened: Promise<Opened>, callback: buildConnector.Callback): Promise<void> {
  const [socket, fault] = await opened;
  if (socket) callback(null, socket);
  else callback(fault, null);
}

type Opened = readonly [socket: Socket, fault: null] | readonly [socket: null, fault: Error];

async function open(opening: Opening, needs: ConnectorNeeds): Promise<Opened> {
  try {
    return [await openFirst(await addressesOf(opening.host, needs), opening), null];
  } catch (fault) {
    return [null, fault instanceof Error ? fault : new OpenTimeout()];
  }
}

async function addressesOf(host: string, { lookup, allowed }: ConnectorNeeds): Promise<readonly string[]> {
  const isLiteral = literalOf(host) !== undefined;
  const addresses = isLiteral ? [isIP(host) === 0 ? localhost : host] : await lookup(host);
  for (const address of addresses) {
    const words = parseAddress(address);
    const reason = words ? reasonToRefuse(words, allowed) : 'none';
    if (reason !== undefined) throw new OutwardRefused(`${host} leads to ${address}, which is ${reason}`);
  }
  return addresses;
}

interface Opening {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly ca: string | undefined;
  /** Until the connection must be open. */
  readonly leftMs: () => number;
}

/** Tries the addresses in turn. */
async function openFirst(addresses: readonly string[], opening: Opening): Promise<Socket> {
  let last: unknown = new OpenTimeout();
  for (const address of addresses) {
    const left = opening.leftMs();
    if (left <= 0) break;
    try {
      return await openOne(address, opening, addresses.length === 1 ? left : Math.min(left, addressMaxMs));
    } catch (fault) {
      last = fault;
    }
  }
  throw last;
}

function openOne(address: string, { host, port, isTls, ca }: Opening, limitMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const at = { host: address, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveDelayMs };
    // The certificate must be for the name, or for the address if the URL has no name.
    const name = isIP(host) === 0 ? { servername: host.replace(/\.$/, '') } : {};
    const socket = isTls
      ? connectTls({ ...at, ...name, ALPNProtocols: ['http/1.1'], rejectUnauthorized: true, ca })
      : connectPlain(at);
    const timer = setTimeout(() => socket.destroy(new OpenTimeout()), limitMs);
    const ended = (fault: Error) => {
      clearTimeout(timer);
      reject(fault);
    };
    const closed = () => ended(new Error('closed'));
    socket.once('error', ended);
    socket.once('close', closed);
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer);
      socket.off('error', ended);
      socket.off('close', closed);
      resolve(withoutContinue(socket));
    });
  });
}

/** Shares one lookup among all that ask for the same name meanwhile and shortly after. */
function keepShortly(clock: Pick<Clock, 'monotonicMs'>, lookup: Lookup): Lookup {
  let kept: { readonly name: string; readonly until: number; readonly found: ReturnType<Lookup> } | undefined;
  return (name) => {
    const now = clock.monotonicMs();
    if (kept && kept.name === name && now < kept.until) return kept.found;
    const found = lookup(name);
    kept = { name, until: now + lookupKeptMs, found };
    return found;
  };
}
