import { secondMs } from '@morsel/api/values/time.ts';
import type { Config } from './config.ts';
import { removeAdminAddress, writeAdminAddress } from './edge/admin/operator-files.ts';
import type { OperatorNeeds } from './edge/admin/operator-needs.ts';
import { startAdmin } from './edge/admin/server.ts';
import { startHttp } from './edge/http/server.ts';
import type { SessionApi } from './edge/smpp/requests.ts';
import { openSmppListeners } from './edge/smpp/server.ts';
import type { SmppListeners } from './edge/smpp/server.ts';
import type { Sessions } from './edge/smpp/sessions.ts';
import { warnOfBalance } from './flow/account/low-balance.ts';
import type { HashCost } from './flow/account/passwords.ts';
import { drainMaxMs, openGround } from './ground.ts';
import type { Ground } from './ground.ts';
import { openParts, startParts } from './parts.ts';
import type { Parts } from './parts.ts';
import { sleep } from './runtime/clock.ts';
import type { Clock } from './runtime/clock.ts';
import { descriptorLimit, shareDescriptors } from './runtime/descriptors.ts';
import type { ClientConnections } from './runtime/descriptors.ts';
import type { Log } from './runtime/log.ts';
import type { Random } from './runtime/random.ts';
import type { Journal } from './store/journal.ts';
import type { Reader } from './store/reader.ts';
import { StoreRefused } from './store/sqlite/database.ts';

/* Starts and stops a gateway: the ground (store and clock), the parts that work on it, and the listeners around them. */

/** How long bound clients have to answer our unbind at a stop. */
const unbindMaxMs = 3 * secondMs;

/** A gateway that runs. */
export interface Gateway {
  readonly httpPort: number;
  readonly adminPort: number;
  /** Where clients bind over SMPP, and over TLS; null while it is off. */
  readonly smppPort: number | null;
  readonly smppTlsPort: number | null;
  /** What client sessions can do. */
  readonly session: SessionApi;
  readonly operator: Operator;
  /** Stops taking messages, drains, closes the store. */
  stop(): Promise<void>;
}

/** The whole store and its parts, for the operator's functions and for tests. */
export interface Operator extends OperatorNeeds {
  readonly journal: Journal;
  readonly reader: Reader;
  readonly sessions: Sessions;
}

interface StartNeeds {
  readonly log: Log;
  /** Bind, send, notify and expire nothing until `morsel resume`. */
  readonly isHeld?: boolean;
  /** What hashes of new passwords cost. */
  readonly passwordCost?: HashCost;
  /** The clock and the source of chance; tests pass their own (default: the machine's). */
  readonly clock?: Clock;
  readonly random?: Random;
}

/**
 * Opens the store, takes up what was left, and opens the listeners. Whatever may refuse the start comes before the first link
 * is bound: a supervisor repeats a refused start without limit.
 */
export async function startGateway(config: Config, needs: StartNeeds): Promise<Gateway> {
  const connections = shareDescriptors(descriptorLimit());
  if (!connections.ok) throw new StoreRefused(connections.error);
  await using opened = new AsyncDisposableStack();
  const ground = await openGround(config, needs, opened);
  const parts = await openParts(ground, needs, opened);
  const listeners = await openListeners(config, { ground, parts, connections: connections.value }, opened);

  // Nothing refuses the start any more: from here on messages are sent and expire, and webhooks are called.
  const working = opened.use(new AsyncDisposableStack());
  goOnWithTrustedClock(ground, parts);
  const begin = () => startParts(ground, parts, working);
  if (needs.isHeld) ground.readiness.hold(begin);
  else begin();
  const running = opened.move();
  const { smppListeners, operator, httpPort, adminPort } = listeners;
  return {
    httpPort,
    adminPort,
    smppPort: smppListeners.port,
    smppTlsPort: smppListeners.tlsPort,
    session: parts.apis.session,
    operator,
    stop: () => stop(ground, { parts, smppListeners, running }),
  };
}

/** Opens the listeners: HTTP, SMPP, and the operator's API. */
async function openListeners(
  config: Config,
  { ground, parts, connections }: { ground: Ground; parts: Parts; connections: ClientConnections },
  opened: AsyncDisposableStack,
) {
  const { clock, readiness, log, adminKey: key } = ground;
  const { apis, settings } = parts;
  const http = await startHttp({
    api: apis.client,
    clock,
    host: config.httpHost,
    port: config.httpPort,
    readiness,
    connectionsMax: connections.http,
    log,
    trustedProxies: config.trustedProxies,
  });
  opened.defer(() => http.close());
  const smppListeners = await openSmppListeners(config, {
    ...ground,
    ...parts,
    snapshot: settings.snapshot,
    isTaking: () => readiness.isTaking,
    connectionsMax: connections.smpp,
  });
  opened.defer(() => smppListeners.close(unbindMaxMs));
  const operator = operatorOf(ground, parts, smppListeners);
  const { dataDir, adminHost: host } = config;
  const admin = await startAdmin({ host, port: config.adminPort, operator, key, log });
  opened.defer(() => admin.close());
  // The command line finds the operator's API by this file.
  writeAdminAddress(dataDir, { host, port: admin.port });
  opened.defer(() => removeAdminAddress(dataDir));
  return { httpPort: http.port, adminPort: admin.port, smppListeners, operator };
}

function operatorOf(ground: Ground, parts: Parts, smppListeners: SmppListeners): Operator {
  const { carriers, settings, apis } = parts;
  return {
    ...ground,
    ...parts,
    random: ground.random.bytes,
    snapshot: settings.snapshot,
    reloadSnapshot: settings.reload,
    routing: carriers.routing,
    links: () => carriers.statuses(),
    control: carriers,
    smppListeners,
    submit: apis.submitAsOperator,
    quote: apis.quoteAsOperator,
    lowBalance: (account, alert) => warnOfBalance(ground.log, account, alert),
  };
}

/** When the clock is trusted again, held messages may go. */
function goOnWithTrustedClock({ clockGuard, log }: Ground, { carriers, notifier, settings }: Parts): void {
  clockGuard.watch(() => {
    carriers.lookForWaiting();
    notifier.wakeAll();
    // The prices in memory are those of the wrong time.
    settings.reload().catch(() => log.error('the settings cannot be read: prices stay those of the time before'));
  });
}

async function stop(
  { log, clock, readiness }: Ground,
  {
    parts: { listening, carriers },
    smppListeners,
    running,
  }: { parts: Parts; smppListeners: SmppListeners; running: AsyncDisposableStack },
): Promise<void> {
  log.info('stopping: no more messages are taken, and answers of carriers are waited for');
  readiness.stop();
  listening.stop();
  // The listeners stay open meanwhile, so a client gets `unavailable` and can still ask for its messages.
  const drained = carriers.drain(drainMaxMs);
  // Sessions last as long as receipts may come for them, and still end within the limit.
  await Promise.race([drained, sleep(clock, drainMaxMs - unbindMaxMs)]);
  await Promise.all([drained, smppListeners.close(unbindMaxMs)]);
  await running.disposeAsync();
  log.info('stopped');
}
