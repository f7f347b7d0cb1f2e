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

export interface ConnectorNeeds {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly lookup: Lookup;
  readonly allowed: readonly AddressRange[];
  /** Who signs certificates, beside whom the system trusts. */
  readonly ca?: string | undefined;
}

/** A connection that is not open by then is none. Below what a try may take, so that it is said why. */
const openMaxMs = 10_000;

/** One address of several that does not answer: the next is tried. */
const addressMaxMs = 4_000;

/** Many connections that open together ask for their name once, and one after the other once a second. */
const lookupKeptMs = 1_000;

const keepAliveDelayMs = 30_000;

/** We do not go there. Its sentence names the address, never the webhook's path. */
export class OutwardRefused extends Error {}

/** Nothing was reached within the time. */
export class OpenTimeout extends Error {}

/**
 * Opens connections to where a name leads, after each of its addresses was looked at: one that is not for everybody and was
 * not allowed refuses them all. The address that was looked at is the one connected to, so a name that leads elsewhere the
 * next moment (DNS rebinding) leads nowhere.
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
  /** Until the connection has to be open. */
  readonly leftMs: () => number;
}

/** Tries them in turn. */
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
    // The certificate has to be for the name, or where there is none for the address.
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

/** The same answer for whoever asks for the same name while it comes, and shortly after. */
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
