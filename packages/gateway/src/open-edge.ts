import { hostAndPort } from '@morsel/api/values/host.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import type { Config } from './config.ts';
import { localOwner } from './core/account/caller.ts';
import { Disclosures } from './edge/admin/access/disclosures.ts';
import { OperatorRepeats } from './edge/admin/access/repeats.ts';
import { SignInLinks } from './edge/admin/console/links.ts';
import { removeAdminAddress, writeAdminAddress } from './edge/admin/operator-files.ts';
import type { OperatorNeeds } from './edge/admin/operator-needs.ts';
import { answerForSessions } from './edge/admin/resources/account/session.ts';
import { startAdmin } from './edge/admin/server.ts';
import { clientApi } from './edge/clients/client-api.ts';
import { startClientListener } from './edge/clients/listener.ts';
import { clientRoutes } from './edge/clients/apis.ts';
import type { ReadyNeeds } from './edge/http/probes.ts';
import { RefusalLog } from './edge/refusal-log.ts';
import { openSmppListeners } from './edge/clients/smpp/server.ts';
import { Scrapes } from './edge/metrics/scrape.ts';
import { answerRequest, type SessionApi } from './edge/clients/smpp/requests.ts';
import { SessionDestinations } from './edge/clients/smpp/session-destinations.ts';
import { Sessions } from './edge/clients/smpp/sessions.ts';
import { lookup } from './edge/webhook/lookup.ts';
import { Webhooks } from './edge/webhook/webhooks.ts';
import { PresentFigures } from './flow/metrics/present.ts';
import type { Flow } from './open-flow.ts';
import type { Store } from './open-store.ts';
import type { ClientConnections } from './runtime/descriptors.ts';

/* Opens the interfaces for clients and operators: sessions, webhooks, and listeners for HTTP, SMPP and operators. */

/** When the gateway stops, clients have this long to answer its unbind. */
export const unbindMaxMs = 3 * secondMs;

/** Everything that the operator's API and the tests need from a running gateway. */
export interface Operator extends OperatorNeeds {
  readonly journal: Store['tools']['journal'];
  readonly sessions: Sessions;
}

interface Inside {
  readonly store: Store;
  readonly flow: Flow;
}

export async function openEdge(
  config: Config,
  { store, flow, connections }: Inside & { readonly connections: ClientConnections },
  opened: AsyncDisposableStack,
) {
  const { tools, meters, traces } = store;
  const { counts, readiness, carriers, passwords } = flow;
  const { snapshot } = flow.settings;
  const { api, session, sessions, webhooks } = openClients({ store, flow }, opened);
  const ready = { readiness, hasBoundLink: () => carriers.hasBoundLink };
  const http = await startClientListener({
    routes: clientRoutes(api),
    ...tools,
    ...ready,
    counts,
    meters,
    traces,
    host: config.httpHost,
    port: config.httpPort,
    tls: config.httpTls,
    connectionsMax: connections.http,
    trustedProxies: config.trustedProxies,
    balancers: config.httpBalancers,
  });
  opened.defer(() => http.close());
  const smppListeners = await openSmppListeners(config, {
    ...tools,
    nodes: store.nodes,
    snapshot,
    sessions,
    passwords,
    isTaking: () => readiness.isTaking,
    connectionsMax: connections.smpp,
  });
  opened.defer(() => smppListeners.close(unbindMaxMs));
  const clients = { sessions, webhooks, smppListeners };
  const operator = operatorOf(config, { store, flow, clients });
  answerForSessions(operator);
  const adminPorts = await openOperatorApi(config, { store, ready, operator }, opened);
  return { httpPort: http.port, httpTlsPort: http.tlsPort, ...adminPorts, smppListeners, operator, session };
}

/** Opens the operations of clients, their sessions, and the webhooks. */
function openClients({ store: { tools, nodes }, flow }: Inside, opened: AsyncDisposableStack) {
  const { clock, log } = tools;
  const { notifier, readiness, settings, counts } = flow;
  const { snapshot } = settings;
  const api = clientApi(flow.messages);
  const session: SessionApi = { ...api, now: () => clock.now(), log, refusals: new RefusalLog(log, clock, counts) };
  const sessions: Sessions = new Sessions({
    snapshot,
    clock,
    nodes,
    isTaking: () => readiness.isTaking,
    log,
    answer: (from, pdu, respond) => answerRequest(session, from, { pdu, respond }),
  });
  sessions.watch(new SessionDestinations({ notifier, clock, nodes }));
  const webhooks = new Webhooks({ notifier, clock, nodes, lookup });
  opened.defer(() => webhooks.close());
  // The notifier waits for webhook requests that still run.
  opened.defer(() => notifier.stop());
  settings.addUser(sessions);
  settings.addUser(webhooks);
  return { api, session, sessions, webhooks };
}

/** `clients`: the interfaces of clients, as the operator's API shows them. */
export function operatorOf(
  { dataDir }: Pick<Config, 'dataDir'>,
  {
    store: { tools, nodes, meters, replays },
    flow,
    clients,
  }: Inside & { readonly clients: Pick<Operator, 'sessions' | 'webhooks' | 'smppListeners'> },
): Operator {
  const { carriers, settings } = flow;
  return {
    ...tools,
    ...flow,
    ...clients,
    dataDir,
    nodes,
    meters,
    replays,
    present: new PresentFigures({ ...tools, meters }),
    caller: localOwner,
    signInLinks: new SignInLinks(tools.random.bytes),
    repeats: new OperatorRepeats(),
    disclosures: new Disclosures(),
    snapshot: settings.snapshot,
    reloadSnapshot: settings.reload,
    links: () => carriers.statuses(),
    control: carriers,
  };
}

async function openOperatorApi(
  config: Config,
  { store, ready, operator }: { readonly store: Store; readonly ready: ReadyNeeds; readonly operator: Operator },
  opened: AsyncDisposableStack,
) {
  const { dataDir, adminHost: host } = config;
  const admin = await startAdmin({
    host,
    port: config.adminPort,
    names: [...(config.adminNames ?? []), host.toLowerCase()],
    trustedProxies: config.trustedProxies,
    tls: config.adminTls,
    ...store.tools,
    ...ready,
    operator,
    scrapes: new Scrapes({ ...operator, ...store }),
    key: store.operatorKey,
  });
  opened.defer(() => admin.close());
  // The command line reads the address of the operator's API from this file.
  writeAdminAddress(dataDir, { host, port: admin.port });
  opened.defer(() => removeAdminAddress(dataDir));
  const ports = { adminPort: admin.port, adminTlsPort: admin.tlsPort };
  operator.signInLinks.base = consoleBase(config, ports);
  return ports;
}

/** The address at which operators open the console. Browsers keep the cookie of a session over TLS, and at localhost. */
function consoleBase(
  { adminHost, adminTls }: Config,
  { adminPort, adminTlsPort }: { readonly adminPort: number; readonly adminTlsPort: number | null },
): string {
  if (adminTls && adminTlsPort !== null) return `https://${hostAndPort(adminTls.host, adminTlsPort)}`;
  const isHere = ['127.0.0.1', '::1', '0.0.0.0', '::'].includes(adminHost);
  return `http://${hostAndPort(isHere ? 'localhost' : adminHost, adminPort)}`;
}
