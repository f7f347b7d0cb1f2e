import { hostAndPort } from '@morsel/api/values/host.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import type { Config } from './config.ts';
import { removeAdminAddress, writeAdminAddress } from './edge/admin/operator-files.ts';
import type { OperatorNeeds } from './edge/admin/operator-needs.ts';
import { answerForSessions } from './edge/admin/resources/account/session.ts';
import { OperatorRepeats } from './edge/admin/access/repeats.ts';
import { SignInLinks } from './edge/admin/console/links.ts';
import { Disclosures } from './edge/admin/access/disclosures.ts';
import { startAdmin } from './edge/admin/server.ts';
import { startHttp } from './edge/http/server.ts';
import { PresentFigures } from './flow/metrics/present.ts';
import { Scrapes } from './edge/metrics/scrape.ts';
import type { SessionApi } from './edge/smpp/requests.ts';
import { openSmppListeners, type SmppListeners } from './edge/smpp/server.ts';
import type { Sessions } from './edge/smpp/sessions.ts';
import type { HashCost } from './flow/account/passwords.ts';
import type { NodeTimes } from './flow/nodes/nodes.ts';
import { localOwner } from './core/account/caller.ts';
import { drainMaxMs, openGround, type Ground } from './open-store.ts';
import { openParts, startParts, type Parts } from './open-flow.ts';
import { sleep, type Clock } from './runtime/clock.ts';
import { descriptorLimit, shareDescriptors, type ClientConnections } from './runtime/descriptors.ts';
import type { Log } from './runtime/log.ts';
import type { Random } from './runtime/random.ts';
import type { Journal } from './store/journal.ts';
import type { Reader } from './store/reader.ts';
import { StoreRefused } from './state/sealing/refused.ts';

/* Starts and stops a gateway: its store and clock, its parts such as carriers and webhooks, and its listeners. */

/** When the gateway stops, clients have this long to answer its unbind. */
const unbindMaxMs = 3 * secondMs;

/** A gateway that runs. */
export interface Gateway {
  readonly httpPort: number;
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

/** Everything that the operator's API and the tests need from a running gateway. */
export interface Operator extends OperatorNeeds {
  readonly journal: Journal;
  readonly reader: Reader;
  readonly sessions: Sessions;
}

interface StartNeeds {
  readonly log: Log;
  /** Whether the gateway waits for `morsel resume` before it binds links, sends, notifies and expires messages. */
  readonly isHeld?: boolean;
  /** Whether the operator accepts that the database has lost commits. */
  readonly isLossAccepted?: boolean;
  /** Cost of hashing a new password (default: as OWASP recommends). */
  readonly passwordCost?: HashCost;
  /** Tests pass their own clock and random numbers (default: those of the machine). */
  readonly clock?: Clock;
  readonly random?: Random;
  /** Tests of several nodes are faster. */
  readonly nodeTimes?: NodeTimes;
  /** How long the reason of an alarm must be gone before it closes (default: a minute). */
  readonly goneMs?: number;
}

/**
 * Opens the store, continues the work of the last run, and opens the listeners. All steps that can fail come before the
 * first link is bound, because a supervisor repeats a failed start without limit.
 */
export async function startGateway(config: Config, needs: StartNeeds): Promise<Gateway> {
  const connections = shareDescriptors(descriptorLimit());
  if (!connections.ok) throw new StoreRefused(connections.error);
  await using opened = new AsyncDisposableStack();
  const ground = await openGround(config, needs, opened);
  const parts = await openParts(ground, needs, opened);
  const listeners = await openListeners(config, { ground, parts, connections: connections.value }, opened);

  // The start can no longer fail. From here on the gateway sends and expires messages and calls webhooks.
  const working = opened.use(new AsyncDisposableStack());
  goOnWithTrustedClock(ground, parts);
  const begin = () => startParts(ground, parts, working);
  if (needs.isHeld) ground.readiness.hold(begin);
  else begin();
  const running = opened.move();
  const { smppListeners, operator, httpPort, adminPort, adminTlsPort } = listeners;
  return {
    httpPort,
    adminPort,
    adminTlsPort,
    smppPort: smppListeners.port,
    smppTlsPort: smppListeners.tlsPort,
    consoleUrl: async () => {
      const { signInLinks, reader, clock } = operator;
      const canSignIn = await reader.ask('ownerSignIn', undefined);
      return canSignIn.ok && !canSignIn.value ? signInLinks.make(null, clock.now()) : signInLinks.base;
    },
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
  const ready = { readiness, hasBoundLink: () => parts.carriers.hasBoundLink };
  const http = await startHttp({
    api: apis.client,
    counts: parts.counts,
    clock,
    host: config.httpHost,
    port: config.httpPort,
    ...ready,
    connectionsMax: connections.http,
    log,
    meters: ground.meters,
    traces: ground.traces,
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
  answerForSessions(operator);
  const { dataDir, adminHost: host } = config;
  const admin = await startAdmin({
    host,
    port: config.adminPort,
    names: [...(config.adminNames ?? []), host.toLowerCase()],
    trustedProxies: config.trustedProxies,
    tls: config.adminTls,
    clock,
    ...ready,
    operator,
    scrapes: new Scrapes({ ...operator, ...ground, dataDir }),
    key,
    log,
  });
  opened.defer(() => admin.close());
  // The command line reads the address of the operator's API from this file.
  writeAdminAddress(dataDir, { host, port: admin.port });
  opened.defer(() => removeAdminAddress(dataDir));
  const { port: adminPort, tlsPort: adminTlsPort } = admin;
  operator.signInLinks.base = consoleBase(config, { adminPort, adminTlsPort });
  return { httpPort: http.port, adminPort, adminTlsPort, smppListeners, operator };
}

function operatorOf(ground: Ground, parts: Parts, smppListeners: SmppListeners): Operator {
  const { carriers, settings, apis } = parts;
  return {
    ...ground,
    ...parts,
    caller: localOwner,
    random: ground.random.bytes,
    signInLinks: new SignInLinks(ground.random.bytes),
    repeats: new OperatorRepeats(),
    disclosures: new Disclosures(),
    present: new PresentFigures(ground),
    wakeErasing: () => ground.listeners.wakeErasing?.(),
    lookAgain: async () => ground.listeners.lookAgain?.(),
    snapshot: settings.snapshot,
    reloadSnapshot: settings.reload,
    routing: carriers.routing,
    links: () => carriers.statuses(),
    control: carriers,
    smppListeners,
    submit: apis.submitAsOperator,
    quote: apis.quoteAsOperator,
  };
}

/** The address at which operators open the console. Browsers keep the cookie of a session over TLS, and at localhost. */
function consoleBase(
  { adminHost, adminTls }: Config,
  { adminPort, adminTlsPort }: Pick<Gateway, 'adminPort' | 'adminTlsPort'>,
): string {
  if (adminTls && adminTlsPort !== null) return `https://${hostAndPort(adminTls.host, adminTlsPort)}`;
  const isHere = ['127.0.0.1', '::1', '0.0.0.0', '::'].includes(adminHost);
  return `http://${hostAndPort(isHere ? 'localhost' : adminHost, adminPort)}`;
}

/** When the clock is trusted again, the gateway sends the messages and notifications that it held. */
function goOnWithTrustedClock({ clockGuard, log }: Ground, { carriers, notifier, settings }: Parts): void {
  clockGuard.watch(() => {
    carriers.lookForWaiting();
    notifier.wakeAll();
    // The prices in memory were chosen while the clock was wrong.
    settings.reload().catch(() => log.error('the settings cannot be read: messages are charged at the earlier prices'));
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
  log.info('stopping: the gateway takes no more messages and waits for answers of carriers');
  readiness.stop();
  listening.stop();
  // The listeners stay open while the gateway waits: clients get `unavailable` for new messages and can still query old
  // ones.
  const drained = carriers.drain(drainMaxMs);
  // Client sessions stay open to get late receipts, but close early enough to unbind before `drainMaxMs` ends.
  await Promise.race([drained, sleep(clock, drainMaxMs - unbindMaxMs)]);
  await Promise.all([drained, smppListeners.close(unbindMaxMs)]);
  await running.disposeAsync();
  log.info('stopped');
}
