import { join } from 'node:path';
import type { Config } from './config.ts';
import { makeApis, warnOfBalance } from './apis.ts';
import type { ApiNeeds } from './apis.ts';
import { nextMessageId } from './core/base/message-id.ts';
import type { Rejection } from './core/base/rejection.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { OperatorNeeds } from './edge/admin/operations.ts';
import {
  hasOperatorKey,
  openOperatorKey,
  prepareDataDirectory,
  removeAdminAddress,
  writeAdminAddress,
} from './edge/admin/operator-files.ts';
import { startAdmin } from './edge/admin/server.ts';
import { Carriers } from './flow/routing/carriers.ts';
import { Links } from './edge/carrier/links.ts';
import { openSmppListeners } from './edge/smpp/server.ts';
import { SessionDestinations } from './edge/smpp/session-destinations.ts';
import { answerRequest } from './edge/smpp/requests.ts';
import type { SessionApi } from './edge/smpp/requests.ts';
import { Sessions } from './edge/smpp/sessions.ts';
import { startHttp } from './edge/http/server.ts';
import { lookup } from './edge/webhook/lookup.ts';
import { Webhooks } from './edge/webhook/webhooks.ts';
import { ClockGuard } from './flow/clock-guard.ts';
import { startExpiring } from './flow/message/expire.ts';
import { keepSnapshot } from './flow/snapshot.ts';
import { Limits } from './flow/account/limits.ts';
import { TokenUses } from './flow/account/token-uses.ts';
import { Listening } from './flow/notification/listen.ts';
import { Notifier } from './flow/notification/notify.ts';
import { owaspCost, Passwords } from './flow/account/passwords.ts';
import type { HashCost } from './flow/account/passwords.ts';
import { PriceImports } from './operator/price-imports.ts';
import { PriceTableCache } from './flow/price-tables.ts';
import { Readiness } from './flow/readiness.ts';
import { startQueueingDue, wayWhenDue } from './flow/message/due.ts';
import { startRematching } from './flow/message/rematch.ts';
import { RuleHitCounts } from './flow/account/rule-hits.ts';
import { StoreRoom } from './flow/store-room.ts';
import { sweepNotifications } from './operator/webhooks.ts';
import { followRoutes } from './operator/waiting-messages.ts';
import { machineClock, sleep } from './runtime/clock.ts';
import type { Clock } from './runtime/clock.ts';
import { startSteadyClock } from './runtime/steady-clock.ts';
import { machineRandom } from './runtime/random.ts';
import type { Random } from './runtime/random.ts';
import { descriptorLimit, shareDescriptors } from './runtime/descriptors.ts';
import type { Log } from './runtime/log.ts';
import type { StoppedWebhook } from './store/commands/notification.ts';
import { Journal } from './store/journal.ts';
import type { JournalOptions } from './store/journal.ts';
import { lockDataDirectory } from './store/lock.ts';
import { Reader } from './store/reader.ts';
import { StoreRefused } from './store/sqlite/database.ts';

/** One node for now: the five bits of the message id that tell nodes apart. */
const node = 0;

/** How long a stop waits for the answers of carriers; what has none then is in doubt (P2). */
const drainMaxMs = 25 * secondMs;

/** Of that, how long clients that are bound have to answer our unbind. */
const unbindMaxMs = 3 * secondMs;

const saltBytes = 16;

/** What the store says of a group beside its results. */
type Hears = Pick<JournalOptions, 'onNews' | 'onListenEvents' | 'onNoRoom'>;

/** A gateway that runs. */
export interface Gateway {
  readonly httpPort: number;
  readonly adminPort: number;
  /** Where clients bind over SMPP, and over TLS; null while it is off. */
  readonly smppPort: number | null;
  readonly smppTlsPort: number | null;
  /** What their sessions can do. */
  readonly session: SessionApi;
  /** What the operator's side is made of. */
  readonly operator: Operator;
  /** Stops taking messages, drains, closes the store. */
  stop(): Promise<void>;
}

/** With the whole store at hand, as the operator's functions and the tests need it. */
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
  /** Where time and chance come from: tests hand in their own (the machine's). */
  readonly clock?: Clock;
  readonly random?: Random;
}

/**
 * Opens the store, takes up what was left, and opens the listeners: everything is wired here, by hand. Whatever may refuse the
 * start comes before the first link is bound: under a supervisor a refused start is repeated for ever.
 */
export async function startGateway(config: Config, needs: StartNeeds): Promise<Gateway> {
  const { log, clock: machine = machineClock, random = machineRandom } = needs;
  const connections = shareDescriptors(descriptorLimit());
  if (!connections.ok) throw new StoreRefused(connections.error);
  await using opened = new AsyncDisposableStack();
  let notifier: Notifier | undefined;
  let listening: Listening | undefined;
  let room: StoreRoom | undefined;
  const hears: Hears = {
    onNews: (news) => notifier?.hasNews(news),
    onListenEvents: (events) => listening?.take(events),
    onNoRoom: (reason) => room?.lacked(reason),
  };
  const { journal, reader, prices } = await openStore({ dataDir: config.dataDir, log, hears }, opened);
  const key = openOperatorKey(config.dataDir);
  if (!key.ok) throw new StoreRefused(key.error);
  const stepped = (driftMs: number) => log.warn({ driftMs }, 'the wall clock stepped: deadlines go on as before');
  const clock = startSteadyClock(machine, stepped);
  opened.defer(() => clock.stop());
  const { clockAheadMaxMs: aheadMaxMs } = config;
  const begun = await journal.append<'begin'>({ kind: 'begin', at: clock.now(), aheadMaxMs });
  if (!begun.ok) throw notWritable(config.dataDir, begun.error);
  const guard = new ClockGuard({ ...begun.value, journal, clock, aheadMaxMs, log });
  opened.defer(() => guard.stop());
  const { priceClock } = guard;
  const heldFrom = () => guard.heldFrom;
  const isHeld = () => heldFrom() !== null;
  const storeRoom = new StoreRoom({ journal, clock, log });
  room = storeRoom;
  opened.defer(() => storeRoom.stop());
  const readiness = new Readiness([guard, storeRoom]);
  if (begun.value.inDoubt > 0) log.warn({ parts: begun.value.inDoubt }, 'parts had no answer when the last run ended');

  const nextId = messageIds(begun.value.lastMessageId, clock);
  const links = new Links({ clock, random, log });
  const carriers = new Carriers({ journal, clock, nextId, links, heldFrom, lease: begun.value.lease, log });
  opened.defer(() => carriers.drain(drainMaxMs));
  const tables = new PriceTableCache(prices);
  const sessions: Sessions = new Sessions({
    snapshot: () => settings.snapshot(),
    clock,
    isTaking: () => readiness.isTaking,
    log,
    answer: (from, pdu, respond) => answerRequest(apis.session, from, pdu, respond),
  });
  const stopped = ({ webhook, status }: StoppedWebhook) => {
    log.warn({ webhook, status }, 'a webhook is told nothing any more: it is in morsel alert list, too');
    settings.reload().catch(() => log.error({ webhook }, 'the settings cannot be read: the webhook is told on'));
  };
  const notifications = new Notifier({ journal, reader, clock, isHeld, random, log, stopped });
  notifier = notifications;
  const listeners = new Listening({
    journal,
    content: async (event) => {
      const content = await reader.ask('listenEvent', event);
      return content.ok ? content.value : undefined;
    },
    clock,
  });
  listening = listeners;
  sessions.watch(new SessionDestinations({ notifier: notifications, clock }));
  const webhooks = new Webhooks({ notifier: notifications, clock, lookup });
  opened.defer(() => webhooks.close());
  opened.defer(() => notifications.stop());
  const settings = keepSnapshot({ reader, tables, clock: priceClock, users: [carriers, sessions, webhooks] });
  await settings.reload();
  await sweepNotifications({ journal, clock });
  const imports = opened.use(
    new PriceImports({
      journal,
      reader,
      clock,
      random: random.bytes,
      prepare: (priceList, version) => tables.prepare(priceList, version),
      forget: (priceList, version) => tables.forget(priceList, version),
      reloadSnapshot: settings.reload,
    }),
  );
  await imports.sweepAll();
  const tokenUses = new TokenUses({ journal, clock, log });
  opened.defer(() => tokenUses.stop());
  const { limits, ruleHits } = keepLimits({ journal, clock, log }, random);
  opened.defer(() => ruleHits.stop());
  const apis = makeApis({
    snapshot: settings.snapshot,
    clock,
    priceClock,
    journal,
    reader,
    carriers,
    readiness,
    isHeld,
    used: (id, at) => tokenUses.note(id, at),
    nextId,
    limits,
    log,
  });
  const { httpHost: host, httpPort: port, trustedProxies } = config;
  const http = await startHttp({
    api: apis.client,
    clock,
    host,
    port,
    readiness,
    connectionsMax: connections.value.http,
    log,
    trustedProxies,
  });
  opened.defer(() => http.close());
  const passwords = new Passwords({
    random: random.bytes,
    monotonicMs: clock.monotonicMs,
    cost: needs.passwordCost ?? owaspCost,
  });
  const smppListeners = await openSmppListeners(config, {
    snapshot: settings.snapshot,
    passwords,
    sessions,
    isTaking: () => readiness.isTaking,
    connectionsMax: connections.value.smpp,
    journal,
    clock,
    log,
  });
  opened.defer(() => smppListeners.close(unbindMaxMs));
  const operator: Operator = {
    journal,
    reader,
    prices,
    imports,
    clock,
    nextId,
    random: random.bytes,
    snapshot: settings.snapshot,
    reloadSnapshot: settings.reload,
    routing: carriers.routing,
    links: () => carriers.statuses(),
    control: carriers,
    notifier: notifications,
    listening: listeners,
    webhooks,
    ruleHits,
    passwords,
    sessions,
    smppListeners,
    readiness,
    clockGuard: guard,
    submit: apis.submitAsOperator,
    quote: apis.quoteAsOperator,
    lowBalance: (account, alert) => warnOfBalance(log, account, alert),
  };
  const admin = opened.use(await openAdmin(config, { operator, key: key.value, log }));

  // Nothing refuses the start any more: only from here on is anything sent to a carrier or a webhook, or expires.
  const timers = opened.use(new AsyncDisposableStack());
  const allWait = () => carriers.allWait();
  guard.watch(() => {
    allWait();
    notifications.wakeAll();
    // The prices in memory are those that hold by the time before.
    settings.reload().catch(() => log.error('the settings cannot be read: prices stay those of the time before'));
  });
  const begin = () => {
    settings.start();
    timers.use(startExpiring({ journal, clock, nextId, isHeld, waits: allWait, log }));
    const queueing = startQueueingDue({
      journal,
      reader,
      clock,
      isHeld,
      settings: settings.snapshot,
      way: (message, at) => wayWhenDue(settings.snapshot(), message, at),
      waits: allWait,
      log,
    });
    timers.defer(() => queueing.stop());
    const carrierName = (id: number) => settings.snapshot().carriers.get(id)?.name;
    const rematching = startRematching({ journal, clock, carrierName, log });
    timers.defer(() => rematching.stop());
    void followRoutes({ journal, reader, clock, snapshot: settings.snapshot, control: carriers });
    readiness.open();
  };
  if (needs.isHeld) readiness.hold(begin);
  else begin();
  const running = opened.move();
  const stop = async () => {
    log.info('stopping: no more messages are taken, and answers of carriers are waited for');
    readiness.stop();
    listeners.stop();
    // The listeners stay open meanwhile: a client is told to come back, and may ask for its messages.
    const drained = carriers.drain(drainMaxMs);
    // Sessions last as long as receipts may come for them, and still end within the limit.
    await Promise.race([drained, sleep(clock, drainMaxMs - unbindMaxMs)]);
    await Promise.all([drained, smppListeners.close(unbindMaxMs)]);
    await running.disposeAsync();
    log.info('stopped');
  };
  const { port: smppPort, tlsPort: smppTlsPort } = smppListeners;
  return { httpPort: http.port, adminPort: admin.port, smppPort, smppTlsPort, session: apis.session, operator, stop };
}

/** Takes the data directory for this process alone and opens the database in it, for writing and for reading. */
async function openStore(
  { dataDir, log, hears }: { dataDir: string; log: Log; hears: Hears },
  opened: AsyncDisposableStack,
): Promise<{ journal: Journal; reader: Reader; prices: Reader }> {
  openDataDirectory(dataDir, log);
  opened.use(lockDataDirectory(dataDir));
  const needs = {
    file: join(dataDir, 'morsel.db'),
    isExpected: hasOperatorKey(dataDir),
    onFatal: (reason: string) => die(log, reason),
    onFault: reportFault(log),
  };
  const journal = opened.use(await Journal.open({ ...needs, ...hears }));
  // Reading a whole price list takes a second: no report of a client waits for that.
  return { journal, reader: opened.use(new Reader(needs)), prices: opened.use(new Reader(needs)) };
}

function notWritable(dataDir: string, { code }: Rejection): Error {
  if (code !== 'unavailable') return new Error('the store took no first commit');
  return new StoreRefused(`the disk with ${dataDir} is full or read-only: make room, or remount it, and start again`);
}

/** Opens the operator's API and leaves its address for the command line, for as long as it is open. */
async function openAdmin(
  config: Config,
  needs: { readonly operator: OperatorNeeds; readonly key: string; readonly log: Log },
): Promise<AsyncDisposable & { readonly port: number }> {
  const { dataDir, adminHost: host } = config;
  await using opened = new AsyncDisposableStack();
  const admin = await startAdmin({ host, port: config.adminPort, ...needs });
  opened.defer(() => admin.close());
  writeAdminAddress(dataDir, { host, port: admin.port });
  opened.defer(() => removeAdminAddress(dataDir));
  const open = opened.move();
  return { port: admin.port, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** Ids in growing order, from above everything that was ever kept. */
function messageIds(last: number, clock: { now(): Instant }): ApiNeeds['nextId'] {
  let newest = last;
  return () => {
    const id = nextMessageId(newest, clock.now(), node);
    newest = id;
    return id;
  };
}

/** The rules of accounts, with what they count, and how often they were broken. */
function keepLimits(
  needs: { readonly journal: Journal; readonly clock: Clock; readonly log: Log },
  random: Random,
): { limits: Limits; ruleHits: RuleHitCounts } {
  const limits: Limits = new Limits({
    monotonicMs: needs.clock.monotonicMs,
    salt: random.bytes(saltBytes).toString('base64'),
    hit: (account, rule, broken) => ruleHits.count(account, rule, broken),
  });
  const ruleHits = new RuleHitCounts({ ...needs, sweep: () => limits.sweep() });
  return { limits, ruleHits };
}

function openDataDirectory(folder: string, log: Log): void {
  const prepared = prepareDataDirectory(folder);
  if (!prepared.ok) throw new StoreRefused(prepared.error);
  if (prepared.value.warning !== undefined) log.warn(prepared.value.warning);
}

function reportFault(log: Log): (reason: string) => void {
  return (reason) => log.error({ reason }, 'the store refused a command');
}

/** P4: nothing that was written can be trusted, so nothing more is promised to anybody. */
function die(log: Log, reason: string): never {
  log.fatal({ reason }, 'the store failed: the process ends now');
  process.exit(70);
}
