import { networkOf } from '@morsel/smpp';
import { secondMs, type Instant } from '@morsel/api/values/time.ts';
import type { Config } from './config.ts';
import type { AlarmNotice, AlarmReceiver, NoticeResult } from './core/alarm/notice.ts';
import { messageIdsAfter } from './core/base/message-id.ts';
import { usualSilentMs } from './core/nodes/members.ts';
import type { Snapshot } from './core/snapshot.ts';
import { Counts } from './flow/account/counts.ts';
import { Limits } from './flow/account/limits.ts';
import { owaspCost, Passwords, signInChecks, type HashCost } from './flow/account/passwords.ts';
import { SignInGuard } from './flow/account/sign-in-guard.ts';
import { LedgerWatch } from './flow/alarm/ledger-watch.ts';
import { startBeating, startNotifying } from './flow/alarm/notify.ts';
import { AlarmWatch, startWatching } from './flow/alarm/watch.ts';
import { ClockGuard } from './flow/clock-guard.ts';
import { startDueWork } from './flow/message/due-work.ts';
import { startQueueingDue, wayWhenDue } from './flow/message/due.ts';
import { startExpiring } from './flow/message/expire.ts';
import { followRoutes } from './flow/message/follow-routes.ts';
import { Repeats } from './flow/message/repeats.ts';
import { startFollowingIdRules } from './flow/message/id-rules.ts';
import { Listening } from './flow/notification/listen.ts';
import { Notifier } from './flow/notification/notify.ts';
import { PriceImports } from './flow/price-imports.ts';
import { PriceTableCache } from './flow/price-tables.ts';
import { Jobs } from './flow/jobs.ts';
import { Erasing } from './flow/privacy/erasing.ts';
import { startRetaining } from './flow/privacy/retention.ts';
import { Readiness } from './flow/readiness.ts';
import type { LinkOpener } from './flow/routing/carrier-link.ts';
import { Carriers } from './flow/routing/carriers.ts';
import { keepSnapshot } from './flow/snapshot.ts';
import { StoreRoom } from './flow/store-room.ts';
import type { Store } from './open-store.ts';
import type { StoppedWebhook } from './state/decide/notification/tried.ts';

/* Opens and connects the parts that a message passes between the store and the edge. `startFlow` starts their work. */

/**
 * When the gateway stops, it waits this long for answers of carriers. Parts without an answer are then in doubt (P2).
 */
export const drainMaxMs = 25 * secondMs;

export type Flow = Awaited<ReturnType<typeof openFlow>>;

/** Opens the flow of messages. Until `startFlow`, the flow sends no message, notifies nobody and expires nothing. */
export async function openFlow(
  store: Store,
  given: {
    readonly links: LinkOpener;
    readonly clockAheadMaxMs: number;
    /** Cost of hashing a new password (default: as OWASP recommends). */
    readonly passwordCost: HashCost | undefined;
  },
  opened: AsyncDisposableStack,
) {
  const { tools, begun, nodes, meters, traces, cleaner } = store;
  const trust = openTrust(store, given.clockAheadMaxMs, opened);
  const { clockGuard } = trust;
  const { priceClock } = clockGuard;
  const heldFrom = () => clockGuard.heldFrom;
  /** Whether the clock is not trusted; meanwhile nothing expires. */
  const isHeld = () => heldFrom() !== null;
  const nextId = messageIdsAfter(begun.lastMessageId, begun.node, () => tools.clock.now());
  const carriers = new Carriers({ ...tools, nextId, heldFrom, lease: begun.lease, nodes, links: given.links, traces });
  opened.defer(() => carriers.drain(drainMaxMs));
  const reload = () => kept.settings.reload();
  const notifications = openNotifications(store, { isHeld, reload });
  const kept = await openSettings(store, { priceClock, carriers }, opened);
  const { snapshot } = kept.settings;
  const { limits, counts } = openAccounts(store, snapshot, opened);
  const messages = {
    ...tools,
    ...trust,
    snapshot,
    priceClock,
    isHeld,
    nextId,
    limits,
    meters,
    traces,
    repeats: new Repeats({ ...tools, isHeld }),
    used: (token: string, at: Instant) => counts.tokenRequest(token, at),
    reserveOnRoute: carriers.reserveOnRoute.bind(carriers),
    notifyCarriers: carriers.notifyCarriers.bind(carriers),
  };
  return {
    ...trust,
    ...notifications,
    ...kept,
    ...openPasswords(tools, given.passwordCost ?? owaspCost),
    isHeld,
    nextId,
    carriers,
    messages,
    counts,
    erasing: new Erasing({ ...tools, cleaner }),
    jobs: new Jobs({ ...tools, snapshot, lookForWaiting: () => carriers.lookForWaiting() }),
  };
}

/** Opens the checks whether the gateway may take messages: whether its clock is right, and the store can be written. */
function openTrust({ tools, begun, nodes }: Store, aheadMaxMs: number, opened: AsyncDisposableStack) {
  const { journal } = tools;
  const clockGuard = new ClockGuard({ ...tools, ...begun, aheadMaxMs });
  opened.defer(() => clockGuard.stop());
  const room = new StoreRoom({ ...tools, node: nodes.name ?? 'gateway' });
  journal.follow({ onNoRoom: (reason) => room.lacked(reason), onAway: (isAway) => room.away(isAway) });
  opened.defer(() => room.stop());
  return { clockGuard, readiness: new Readiness([clockGuard, room], nodes) };
}

/** Opens the delivery of accounts' notifications. The edge stops this delivery before it closes the destinations. */
function openNotifications(
  { tools, nodes, traces }: Store,
  { isHeld, reload }: { readonly isHeld: () => boolean; readonly reload: () => Promise<void> },
) {
  const { journal, reader, log } = tools;
  const stopped = ({ webhook, status }: StoppedWebhook) => {
    log.warn({ webhook, status }, 'a webhook is stopped; see morsel alarm list');
    reload().catch(() =>
      log.error({ webhook }, 'the settings cannot be read: the stopped webhook still gets notifications'),
    );
  };
  const notifier = new Notifier({ ...tools, isHeld, nodes, traces, stopped });
  const listening = new Listening({
    ...tools,
    nodes,
    content: async (event) => {
      const content = await reader.ask('listenEvent', event);
      return content.ok ? content.value : undefined;
    },
  });
  journal.follow({
    onNews: (news) => {
      notifier.hasNews(news);
      listening.take(news.flatMap(({ listened }) => listened ?? []));
    },
  });
  return { notifier, listening };
}

/** Reads the operator's settings, which carriers and the edge then use. */
async function openSettings(
  { tools, nodes }: Store,
  { priceClock, carriers }: { readonly priceClock: ClockGuard['priceClock']; readonly carriers: Carriers },
  opened: AsyncDisposableStack,
) {
  const { reader, prices, log } = tools;
  // Until the listeners open, the general reader is free to read prices too, so the start needs one thread less.
  let isOpen = false;
  const tables = new PriceTableCache(() => (isOpen ? prices : reader));
  const kept = keepSnapshot({ reader, tables, clock: priceClock });
  kept.addUser(carriers);
  // Before the first reading, so that a change by another node in between is read, too.
  nodes.onSettings(kept.reload);
  await kept.reload();
  // A change of settings is done when all nodes use it.
  const reload = async () => {
    await kept.reload();
    const late = await nodes.settled();
    if (late.length > 0)
      log.warn(
        { nodes: late },
        `these nodes do not use the new settings yet: they use them or end within ${usualSilentMs / secondMs} s`,
      );
  };
  isOpen = true;
  const imports = opened.use(new PriceImports({ ...tools, tables }));
  await imports.sweepAll();
  return { settings: { ...kept, reload }, imports };
}

/** Opens the checks of the accounts' rules, and the counters of broken rules and used tokens. */
function openAccounts({ tools, meters }: Store, snapshot: () => Snapshot, opened: AsyncDisposableStack) {
  const { clock } = tools;
  const limits: Limits = new Limits({
    now: clock.now,
    hit: (account, rule, broken) => counts.ruleHit(account, rule, broken),
  });
  const currencyOf = (account: number) => snapshot().accounts.get(account)?.currency ?? '';
  const counts = new Counts({ ...tools, meters, currencyOf });
  opened.defer(() => counts.stop());
  return { limits, counts };
}

/** Opens the password checks of binds and of operators' sign-ins. These checks run on other threads. */
function openPasswords({ clock, random, reader }: Store['tools'], cost: HashCost) {
  const hashing = { random, monotonicMs: clock.monotonicMs, cost };
  const checks = new Passwords({ ...hashing, checks: signInChecks });
  return {
    passwords: new Passwords(hashing),
    signInGuard: new SignInGuard({ reader, clock, networkOf, passwords: checks }),
  };
}

/** When the clock is trusted again, the gateway sends the messages and notifications that it held. */
export function goOnWithTrustedClock(
  { log }: Store['tools'],
  { clockGuard, carriers, notifier, settings }: Flow,
): void {
  clockGuard.watch(() => {
    carriers.lookForWaiting();
    notifier.wakeAll();
    // The prices in memory were chosen while the clock was wrong.
    settings
      .reload()
      .catch(() => log.error({}, 'the settings cannot be read: messages are charged at the earlier prices'));
  });
}

type AlarmNeeds = ConstructorParameters<typeof AlarmWatch>[0];

/** What the upkeep needs: the work that one node of the store does by itself. */
interface UpkeepParts {
  readonly store: Store;
  readonly flow: Flow;
  readonly config: Config;
  /** How long the reason of an alarm must be gone before it closes (default: a minute). */
  readonly goneMs: number | undefined;
  readonly notify: (receiver: AlarmReceiver, notices: readonly AlarmNotice[]) => Promise<NoticeResult>;
  readonly freeSpace: AlarmNeeds['freeSpace'];
}

/** Starts to bind links, call webhooks and expire messages. After a held start, `morsel resume` calls this. */
export function startFlow(parts: UpkeepParts, opened: AsyncDisposableStack): void {
  const { nodes } = parts.store;
  parts.flow.settings.start();
  let upkeep: AsyncDisposableStack | undefined;
  const stop = async () => {
    await upkeep?.disposeAsync();
    upkeep = undefined;
  };
  opened.defer(stop);
  nodes.wish({
    kind: 'upkeep',
    keys: () => [0],
    isShared: true,
    changed: async () => {
      if (!nodes.holds('upkeep', 0)) await stop();
      else upkeep ??= startUpkeep(parts);
    },
  });
  parts.flow.readiness.open();
}

/** Starts the upkeep, which one node of the store does: expiring messages, queueing due ones, matching receipts. */
function startUpkeep(parts: UpkeepParts): AsyncDisposableStack {
  const { tools, dropOld } = parts.store;
  const { isHeld, nextId, carriers, erasing, jobs, settings } = parts.flow;
  const { snapshot } = settings;
  const lookForWaiting = () => carriers.lookForWaiting();
  const upkeep = new AsyncDisposableStack();
  const way: Parameters<typeof startQueueingDue>[0]['way'] = (message, at) => wayWhenDue(snapshot(), message, at);
  upkeep.use(startDueWork({ ...tools, isHeld, lookForWaiting, partsWait: () => carriers.partsWait() }));
  upkeep.use(startExpiring({ ...tools, nextId, isHeld }));
  upkeep.use(startQueueingDue({ ...tools, settings: snapshot, way, isHeld, lookForWaiting }));
  upkeep.use(startFollowingIdRules({ ...tools, reloadSnapshot: settings.reload }));
  upkeep.use(startRetaining({ ...tools, isHeld, dropOld }));
  startAlarms(parts, upkeep);
  upkeep.use(erasing.start());
  upkeep.use(jobs.start());
  void followRoutes({ ...tools, snapshot, control: carriers });
  return upkeep;
}

function startAlarms(
  { store, flow, config, goneMs, notify, freeSpace }: UpkeepParts,
  upkeep: AsyncDisposableStack,
): void {
  const { tools, nodes } = store;
  const { readiness, settings, carriers, counts } = flow;
  const notifying = upkeep.use(startNotifying({ ...tools, notify }));
  const ledger = upkeep.use(new LedgerWatch(tools));
  const watch = new AlarmWatch({
    ...tools,
    dataDir: config.dataDir,
    freeSpace,
    certificates: [config.adminTls, config.httpTls, config.smppTls].flatMap((listener) => listener?.cert ?? []),
    goneMs,
    readiness,
    nodes,
    snapshot: settings.snapshot,
    wall: () => tools.clock.wall(),
    links: () => carriers.statuses(),
    writeCounts: () => counts.write(),
    turned: () => notifying.wake(),
    ledger: () => ledger.verdict,
  });
  upkeep.use(startWatching(watch, tools));
  const isWell = () => nodes.isAlive() && readiness.ready().ok && watch.isLooking;
  upkeep.use(startBeating({ ...tools, isWell, call: (to) => notify(to, []) }));
}
