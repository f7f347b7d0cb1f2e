import { secondMs } from '@morsel/api/values/time.ts';
import { usualSilentMs } from './core/nodes/members.ts';
import { makeApis } from './edge/apis.ts';
import { tellReceiver } from './edge/alarm/tell.ts';
import { Links } from './edge/carrier/links.ts';
import { answerRequest } from './edge/smpp/requests.ts';
import { SessionDestinations } from './edge/smpp/session-destinations.ts';
import { Sessions } from './edge/smpp/sessions.ts';
import { lookup } from './edge/webhook/lookup.ts';
import { Webhooks } from './edge/webhook/webhooks.ts';
import { Limits } from './flow/account/limits.ts';
import { owaspCost, Passwords, signInChecks, type HashCost } from './flow/account/passwords.ts';
import { SignInGuard } from './flow/account/sign-in-guard.ts';
import { Counts } from './flow/account/counts.ts';
import { startQueueingDue, wayWhenDue } from './flow/message/due.ts';
import { startExpiring } from './flow/message/expire.ts';
import { startRematching } from './flow/message/rematch.ts';
import { Listening } from './flow/notification/listen.ts';
import { Notifier } from './flow/notification/notify.ts';
import { PriceTableCache } from './flow/price-tables.ts';
import { Carriers } from './flow/routing/carriers.ts';
import { startErasing } from './flow/privacy/erasing.ts';
import { startBeating, startTelling } from './flow/alarm/notify.ts';
import { LedgerWatch } from './flow/alarm/ledger-watch.ts';
import { AlarmWatch, startWatching } from './flow/alarm/watch.ts';
import { startRetaining } from './flow/privacy/retention.ts';
import type { Snapshot } from './core/snapshot.ts';
import { keepSnapshot } from './flow/snapshot.ts';
import { drainMaxMs, type Ground } from './open-store.ts';
import { PriceImports } from './flow/price-imports.ts';
import { followRoutes } from './flow/message/follow-routes.ts';
import type { StoppedWebhook } from './state/decide/notification/tried.ts';

/*
 * Creates the parts of a gateway between its store and its listeners, and connects them. `startParts` starts their
 * work.
 */

const saltBytes = 16;

export type Parts = Awaited<ReturnType<typeof openParts>>;

/** Creates the parts. Until `startParts` they send no message, notify nobody and expire nothing. */
export async function openParts(
  ground: Ground,
  needs: { readonly passwordCost?: HashCost | undefined },
  opened: AsyncDisposableStack,
) {
  const { journal, reader, clock, random, readiness, log, nodes } = ground;
  const carriers = new Carriers({
    ...ground,
    links: new Links({
      ...ground,
      isAlive: () => ground.nodes.isAlive(),
      whenCertain: () => ground.nodes.whenCertain(),
    }),
  });
  opened.defer(() => carriers.drain(drainMaxMs));
  const sessions: Sessions = new Sessions({
    snapshot: () => settings.snapshot(),
    clock,
    nodes,
    isTaking: () => readiness.isTaking,
    log,
    answer: (from, pdu, respond) => answerRequest(apis.session, from, { pdu, respond }),
  });
  const notifications = openNotifications(ground, () => settings.reload(), opened);
  sessions.watch(new SessionDestinations({ notifier: notifications.notifier, clock, nodes }));
  // Until the listeners open, the general reader is free to read prices too, so the start needs one thread less.
  let isOpen = false;
  const tables = new PriceTableCache(() => (isOpen ? ground.prices : reader));
  const users = [carriers, sessions, notifications.webhooks];
  const kept = keepSnapshot({ reader, tables, clock: ground.priceClock, users });
  await kept.reload();
  ground.listeners.settingsChanged = kept.reload;
  // A change of settings is done when all nodes use it.
  const reload = async () => {
    await kept.reload();
    const late = await ground.nodes.settled();
    if (late.length > 0)
      log.warn(
        { nodes: late },
        `these nodes do not use the new settings yet: they use them or end within ${usualSilentMs / secondMs} s`,
      );
  };
  const settings = { ...kept, reload };
  isOpen = true;
  const imports = opened.use(new PriceImports({ journal, reader, clock, random: random.bytes, tables }));
  await imports.sweepAll();
  const accounts = openAccounts(ground, settings.snapshot, opened);
  const { monotonicMs } = clock;
  const hashing = { random: random.bytes, monotonicMs, cost: needs.passwordCost ?? owaspCost };
  const passwords = new Passwords(hashing);
  const signInGuard = new SignInGuard({
    reader,
    clock,
    passwords: new Passwords({ ...hashing, checks: signInChecks }),
  });
  const apis = makeApis({ ...ground, ...accounts, carriers, snapshot: settings.snapshot });
  return { carriers, sessions, ...notifications, settings, imports, ...accounts, passwords, signInGuard, apis };
}

/** Starts to bind links, call webhooks and expire messages. After a held start, `morsel resume` calls this. */
export function startParts(ground: Ground, parts: Parts, opened: AsyncDisposableStack): void {
  const { readiness, nodes } = ground;
  parts.settings.start();
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
      else upkeep ??= startUpkeep(ground, parts);
    },
  });
  readiness.open();
}

/** What one node of the store does by itself: it expires messages, queues due ones, and matches receipts again. */
function startUpkeep(ground: Ground, { settings, carriers, counts, apis }: Parts): AsyncDisposableStack {
  const { snapshot } = settings;
  const lookForWaiting = () => carriers.lookForWaiting();
  const destinationNeeds = { ...ground, snapshot, submit: apis.submitAsOperator };
  const upkeep = new AsyncDisposableStack();
  upkeep.use(startExpiring({ ...ground, lookForWaiting }));
  upkeep.use(
    startQueueingDue({
      ...ground,
      settings: snapshot,
      way: (message, at) => wayWhenDue(snapshot(), message, at),
      lookForWaiting,
    }),
  );
  upkeep.use(startRematching({ ...ground, carrierName: (id) => snapshot().carriers.get(id)?.name }));
  upkeep.use(startRetaining(ground));
  const telling = upkeep.use(
    startTelling({ ...ground, tell: (to, notices) => tellReceiver(destinationNeeds, to, notices) }),
  );
  const ledger = upkeep.use(new LedgerWatch(ground));
  const watch = new AlarmWatch({
    ...ground,
    wall: () => ground.clock.wall(),
    snapshot,
    links: () => carriers.statuses(),
    writeCounts: () => counts.write(),
    turned: () => telling.wake(),
    ledger: () => ledger.verdict,
  });
  upkeep.use(startWatching(watch, ground));
  upkeep.use(
    startBeating({
      ...ground,
      isWell: () => ground.nodes.isAlive() && ground.readiness.ready().ok && watch.isLooking,
      call: (to) => tellReceiver(destinationNeeds, to, []),
    }),
  );
  const erasing = startErasing(ground);
  upkeep.use(erasing.loop);
  ground.listeners.wakeErasing = () => erasing.loop.wake();
  ground.listeners.lookAgain = () => erasing.lookAgain();
  void followRoutes({ ...ground, snapshot, control: carriers });
  return upkeep;
}

/** Opens what delivers the notifications of accounts to webhooks and bound sessions. */
function openNotifications(ground: Ground, reload: () => Promise<void>, opened: AsyncDisposableStack) {
  const { journal, reader, clock, isHeld, random, log, listeners, nodes, traces } = ground;
  const stopped = ({ webhook, status }: StoppedWebhook) => {
    log.warn({ webhook, status }, 'a webhook is stopped; see morsel alarm list');
    reload().catch(() =>
      log.error({ webhook }, 'the settings cannot be read: the stopped webhook still gets notifications'),
    );
  };
  const notifier = new Notifier({ journal, reader, clock, isHeld, random, log, nodes, traces, stopped });
  const listening = new Listening({
    nodes,
    journal,
    clock,
    content: async (event) => {
      const content = await reader.ask('listenEvent', event);
      return content.ok ? content.value : undefined;
    },
  });
  listeners.notifier = notifier;
  listeners.listening = listening;
  const webhooks = new Webhooks({ notifier, clock, nodes, lookup });
  opened.defer(() => webhooks.close());
  opened.defer(() => notifier.stop());
  return { notifier, listening, webhooks };
}

/** Opens the checks of the accounts' rules, and the counters of broken rules and used tokens. */
function openAccounts(ground: Ground, snapshot: () => Snapshot, opened: AsyncDisposableStack) {
  const { clock, random } = ground;
  const limits: Limits = new Limits({
    monotonicMs: clock.monotonicMs,
    salt: random.bytes(saltBytes).toString('base64'),
    hit: (account, rule, broken) => counts.ruleHit(account, rule, broken),
  });
  const currencyOf = (account: number) => snapshot().accounts.get(account)?.currency ?? '';
  const counts = new Counts({ ...ground, currencyOf, sweep: () => limits.sweep() });
  opened.defer(() => counts.stop());
  return { limits, counts };
}
