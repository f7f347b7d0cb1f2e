import { statfs } from 'node:fs/promises';
import type { Config } from './config.ts';
import { notifyReceiver } from './edge/alarm/notify-receiver.ts';
import { linkOpener } from './edge/carriers/kinds.ts';
import type { SessionApi } from './edge/clients/smpp/requests.ts';
import type { SmppListeners } from './edge/clients/smpp/server.ts';
import type { HashCost } from './flow/account/passwords.ts';
import { openEdge, unbindMaxMs, type Operator } from './open-edge.ts';
import { drainMaxMs, goOnWithTrustedClock, openFlow, startFlow, type Flow } from './open-flow.ts';
import { openStore, type Store, type StoreOptions } from './open-store.ts';
import { sleep } from './runtime/clock.ts';
import { descriptorLimit, shareDescriptors } from './runtime/descriptors.ts';
import { StoreRefused } from './state/sealing/refused.ts';

/* Starts and stops a gateway: its store, the flow of messages, and the interfaces for clients and operators. */

export interface Gateway {
  readonly httpPort: number;
  /** Where clients send over HTTP with TLS; null while that listener is off. */
  readonly httpTlsPort: number | null;
  readonly adminPort: number;
  /** Where operators of other machines connect with TLS; null while that listener is off. */
  readonly adminTlsPort: number | null;
  /** Ports where clients bind over SMPP, without and with TLS; null while that listener is off. */
  readonly smppPort: number | null;
  readonly smppTlsPort: number | null;
  /** The address of the console. While there is no operator, it is a link that makes its user the first owner. */
  consoleUrl(): Promise<string>;
  /** The operations that client sessions call. */
  readonly session: SessionApi;
  readonly operator: Operator;
  /** Takes no more messages, waits for outstanding answers of carriers, and closes the store. */
  stop(): Promise<void>;
}

interface StartOptions extends StoreOptions {
  /** Whether the gateway waits for `morsel resume` before it binds links, sends, notifies and expires messages. */
  readonly isHeld?: boolean;
  /** The cost of hashing passwords, which tests lower (default: as OWASP recommends). */
  readonly passwordCost?: HashCost;
  /** How long its reason must be gone before an alarm closes, which tests shorten (default: a minute). */
  readonly goneMs?: number;
}

/**
 * Opens the store, continues the work of the last run, and opens the listeners. All steps that can fail come before the
 * first link is bound, because a supervisor repeats a failed start without limit.
 */
export async function startGateway(config: Config, options: StartOptions): Promise<Gateway> {
  const connections = shareDescriptors(descriptorLimit());
  if (!connections.ok) throw new StoreRefused(connections.error);
  await using opened = new AsyncDisposableStack();
  const store = await openStore(config, options, opened);
  const { tools, nodes } = store;
  const links = linkOpener({ ...tools, isAlive: () => nodes.isAlive(), whenCertain: () => nodes.whenCertain() });
  const { clockAheadMaxMs } = config;
  const flow = await openFlow(store, { links, clockAheadMaxMs, passwordCost: options.passwordCost }, opened);
  const edge = await openEdge(config, { store, flow, connections: connections.value }, opened);
  const { smppListeners, operator, session, httpPort, httpTlsPort, adminPort, adminTlsPort } = edge;

  // The start can no longer fail. From here on the gateway sends and expires messages and calls webhooks.
  const working = opened.use(new AsyncDisposableStack());
  goOnWithTrustedClock(tools, flow);
  const notify: Parameters<typeof startFlow>[0]['notify'] = (to, notices) => notifyReceiver(operator, to, notices);
  const begin = () => startFlow({ store, flow, config, goneMs: options.goneMs, notify, freeSpace }, working);
  if (options.isHeld) flow.readiness.hold(begin);
  else begin();
  const running = opened.move();
  return {
    httpPort,
    httpTlsPort,
    adminPort,
    adminTlsPort,
    smppPort: smppListeners.port,
    smppTlsPort: smppListeners.tlsPort,
    consoleUrl: async () => {
      const { signInLinks, reader, clock } = operator;
      const canSignIn = await reader.ask('ownerSignIn', undefined);
      return canSignIn.ok && !canSignIn.value ? signInLinks.make(null, clock.now()) : signInLinks.base;
    },
    session,
    operator,
    stop: () => stop({ tools, flow, smppListeners, running }),
  };
}

/** Free space of the disk with this folder, in octets; undefined if it is unknown. Never rejects. */
async function freeSpace(folder: string): Promise<number | undefined> {
  const space = await statfs(folder).catch(() => undefined);
  return space && space.bavail * space.bsize;
}

async function stop(parts: {
  readonly tools: Store['tools'];
  readonly flow: Flow;
  readonly smppListeners: SmppListeners;
  readonly running: AsyncDisposableStack;
}): Promise<void> {
  const { log, clock } = parts.tools;
  const { readiness, listening, carriers } = parts.flow;
  log.info({}, 'stopping: the gateway takes no more messages and waits for answers of carriers');
  readiness.stop();
  listening.stop();
  // The listeners stay open while the gateway waits: clients get `unavailable` for new messages and can still query old
  // ones.
  const drained = carriers.drain(drainMaxMs);
  // Client sessions stay open to get late receipts, but close early enough to unbind before `drainMaxMs` ends.
  await Promise.race([drained, sleep(clock, drainMaxMs - unbindMaxMs)]);
  await Promise.all([drained, parts.smppListeners.close(unbindMaxMs)]);
  await parts.running.disposeAsync();
  log.info({}, 'stopped');
}
