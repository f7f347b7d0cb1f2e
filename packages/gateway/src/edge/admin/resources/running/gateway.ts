import { pageOf } from '../../../../store/views/page.ts';
import type { gateway } from '@morsel/api/admin/running/gateway.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import { invalid, type Rejection } from '../../../../core/base/rejection.ts';
import { usualQuietMs, type Member } from '../../../../core/nodes/members.ts';
import { receiversMax } from '../../../../state/decide/alarm/receiver.ts';
import { missing } from '../../../../state/decide/decided.ts';
import { sleep } from '../../../../runtime/clock.ts';
import { version } from '../../../../runtime/version.ts';
import { readDisk } from '../../../metrics/frame.ts';
import type { Handlers } from '../../bind.ts';
import { carrierRows } from '../../carrier-rows.ts';
import { viewed } from '../../direct.ts';
import type { OperatorNeeds } from '../../operator-needs.ts';

/* The handlers of the running gateway and of its nodes. An operation that changes the gateway returns its new status. */

export const gatewayHandlers: Handlers<'gateway'> = {
  status: statusOf,
  /** Confirms the machine's clock. If the clock is behind the newest record, `behind` must confirm this, too. */
  confirmClock: async (needs, { behind }) => {
    if (needs.clockGuard.isBehind && !behind) return invalid('behind', behindText);
    await needs.clockGuard.confirm();
    return statusOf(needs);
  },
  resume: async (needs) => (needs.readiness.resume() ? statusOf(needs) : missing(nothingToResume)),
};

const nothingToResume =
  'there is nothing to resume, because the gateway was not started with --hold, or has been resumed already';
const behindText =
  'the clock of this machine is behind the newest record: set the clock, or set behind to true if the clock is right';

type Status = AnswerOf<typeof gateway.operations.status>;

/** The status of the process, with the settings that decide how safely a commit is stored. */
async function statusOf(needs: OperatorNeeds): Promise<Result<Status, Rejection>> {
  const carriers = await carrierRows(needs);
  if (!carriers.ok) return carriers;
  const now = needs.clock.now();
  const alarms = await needs.reader.ask('openAlarms', undefined);
  if (!alarms.ok) return alarms;
  const receivers = await viewed('alarmReceiver.list')(needs, { limit: receiversMax });
  if (!receivers.ok) return receivers;
  const present = await needs.present.read();
  if (!present.ok) return present;
  const { freeBytes = null, databaseBytes = null, walBytes = null } = await readDisk(needs);
  const { durability, statistics } = needs.journal;
  const uptimeMs = process.uptime() * secondMs;
  const memory = process.memoryUsage();
  const { troubles, isHeld: held } = needs.readiness;
  const { port, tlsPort, unbound } = needs.smppListeners;
  return ok({
    version,
    node: process.version,
    pid: process.pid,
    startedAt: now - uptimeMs,
    uptimeSeconds: Math.floor(uptimeMs / secondMs),
    ready: needs.readiness.ready().ok,
    troubles,
    held,
    ...present.value,
    store: { ...durability, ...statistics },
    disk: { freeBytes, databaseBytes, walBytes },
    smpp: { port, tlsPort, unbound, sessions: needs.sessions.size },
    openAlarms: alarms.value,
    alarmReceivers: receivers.value.items,
    memory: { residentBytes: memory.rss, heapBytes: memory.heapUsed },
    carriers: carriers.value,
    nodes: nodeRows(needs),
  });
}

/** How long `node drain` waits. Clients stay 5 s and have 5 s to unbind, and links wait for the carriers' answers. */
const drainWaitMs = 30 * secondMs;
const drainLookMs = 200;

export const nodeHandlers: Handlers<'node'> = {
  list: async (needs, { after = '', limit }) => {
    const rest = nodeRows(needs).filter(({ name }) => name > after);
    return ok(pageOf(rest, limit, ({ name }) => name));
  },
  /**
   * Drains a node. Answers when load balancers have seen the drain and the node has no duties and sessions left. If no
   * other node can take them over, does not wait for that.
   */
  drain: async ({ nodes, clock }, { name }) => {
    const from = clock.monotonicMs();
    if (!(await nodes.drain(name, true))) return noNode(name);
    for (;;) {
      const waitedMs = clock.monotonicMs() - from;
      const members = nodes.list();
      const member = members.find((each) => each.name === name);
      const others = members.filter((each) => each.name !== name && stateOf(each) === 'running').length;
      const { duties = 0, sessions = 0, agoMs = 0 } = member ?? {};
      // The figures of the node count only if the node reported them after the drain began.
      const isNews = member?.isDraining === true && agoMs < waitedMs;
      const isEmpty = duties + sessions === 0 && waitedMs >= nodes.clientsStayMs;
      const isDone = isNews && (isEmpty || others === 0);
      if (isDone || waitedMs > drainWaitMs) return ok({ name, duties, sessions, others });
      await sleep(clock, drainLookMs);
    }
  },
  resume: async ({ nodes }, { name }) => ((await nodes.drain(name, false)) ? ok({ name }) : noNode(name)),
};

function nodeRows({ nodes, clock }: Pick<OperatorNeeds, 'nodes' | 'clock'>) {
  const members = nodes.list().toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const newest = Math.max(...members.map(({ settings }) => settings));
  return members.map((member) => ({
    ...member,
    number: member.node,
    state: stateOf(member),
    renewedAt: clock.now() - member.agoMs,
    newestSettings: member.settings === newest,
    links: member.boundLinks.length,
  }));
}

function noNode(name: string): Result<never, Rejection> {
  return missing(`there is no running node named ${name}`);
}

type NodeState = 'running' | 'draining' | 'silent' | 'stopped' | 'replaced';

function stateOf({ isStopped, hasLease, agoMs, isDraining }: Member): NodeState {
  if (isStopped) return 'stopped';
  if (!hasLease) return 'replaced';
  if (agoMs > usualQuietMs) return 'silent';
  return isDraining ? 'draining' : 'running';
}
