import type { session } from '@morsel/api/admin/account/session.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { hostAndPort } from '@morsel/api/values/host.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import { secondMs, type Instant } from '@morsel/api/values/time.ts';
import { accountNamed } from '../../../../core/named.ts';
import { invalid } from '../../../../core/base/rejection.ts';
import { missing } from '../../../../state/decide/decided.ts';
import { pageOf } from '../../../../store/views/page.ts';
import type { ClientSession, SessionChoice } from '../../../clients/smpp/sessions.ts';
import type { Handlers } from '../../bind.ts';
import type { OperatorNeeds } from '../../operator-needs.ts';

/* Lists and closes the SMPP sessions of clients, at this node and at the others. */

type Row = AnswerOf<typeof session.operations.list>['items'][number];

interface Asked extends SessionChoice {
  /** Asks for sessions with ids above `after`, at most `limit` of them. */
  readonly after: string;
  readonly limit: number;
}

type SessionNeeds = Pick<OperatorNeeds, 'sessions' | 'snapshot' | 'clock' | 'nodes'>;

/** How long the operator waits for other nodes to list their sessions. */
const listMaxMs = 3 * secondMs;
/** How long the operator waits for other nodes to close sessions. A node hears of it in 1 s, a session ends in 5 s. */
const closeMaxMs = 8 * secondMs;

export const sessionHandlers: Handlers<'session'> = {
  list: async (needs, { account, after = '0', limit }) => {
    const named = accountNamed(needs.snapshot(), account);
    if (!named.ok) return named;
    // One session more than the page shows whether there is a next page.
    const asked: Asked = { account, after, limit: limit + 1 };
    const { answers, waiting } = await needs.nodes.calls.ask<readonly Row[]>('list-sessions', asked, listMaxMs);
    const late = needs.nodes.others().find(({ name }) => waiting.includes(name));
    if (late) return refused({ code: 'unavailable', detail: `node ${late.name} does not answer: try again` });
    const rows = [...rowsOf(needs, asked), ...answers.flatMap(({ answer }) => answer)];
    return ok(pageOf(inOrder(rows), limit, ({ id }) => id));
  },
  /** Closes the chosen sessions, and answers after they have ended. The clients of the closed sessions may bind again. */
  close: async (needs, choice) => {
    const named = Object.values(choice).filter((each) => each !== undefined);
    if (named.length !== 1)
      return invalid('id', 'give exactly one of these: the id of a session, an account, or a system_id');
    const { account, id, systemId } = choice;
    const known = accountNamed(needs.snapshot(), account);
    if (!known.ok) return known;
    const [own, { answers, waiting }] = await Promise.all([
      close(needs, choice),
      needs.nodes.calls.ask<readonly Row[]>('close-sessions', choice, closeMaxMs),
    ]);
    const closed = [...own, ...answers.flatMap(({ answer }) => answer)];
    if (closed.length === 0 && waiting.length === 0) {
      if (id !== undefined) return missing(`there is no session ${id}`);
      if (systemId !== undefined && !needs.snapshot().logins.has(systemId))
        return missing(`there is no login with the system_id ${systemId}`);
    }
    return ok({ closed, waiting });
  },
};

/** Lists and closes sessions of this node when another node asks for it. */
export function answerForSessions(needs: SessionNeeds): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- another node of this gateway asks
  needs.nodes.calls.onCall('list-sessions', async (asked) => rowsOf(needs, asked as Asked));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- another node of this gateway asks
  needs.nodes.calls.onCall('close-sessions', (choice) => close(needs, choice as SessionChoice));
}

/** The sessions of this node that another node or the operator asked for. */
function rowsOf({ sessions, clock, nodes }: SessionNeeds, { after, limit, ...choice }: Asked): readonly Row[] {
  const rest = sessions.list(choice).filter(({ id }) => Number(id) > Number(after));
  return inOrder(rest)
    .slice(0, limit)
    .map((each) => shown(each, { now: clock.now(), node: nodes.name ?? null }));
}

async function close({ sessions, clock, nodes }: SessionNeeds, choice: SessionChoice): Promise<readonly Row[]> {
  const chosen = sessions.list(choice);
  const closed = chosen.map((each) => shown(each, { now: clock.now(), node: nodes.name ?? null }));
  await sessions.close(chosen);
  return closed;
}

function inOrder<T extends { readonly id: string }>(rows: readonly T[]): T[] {
  return rows.toSorted((one, other) => Number(one.id) - Number(other.id));
}

const versions: Readonly<Record<number, string>> = { 0x33: '3.3', 0x34: '3.4', 0x50: '5.0' };

function shown({ session, ...each }: ClientSession, { now, node }: { now: Instant; node: string | null }): Row {
  const { address, port } = session.peer;
  return {
    id: each.id,
    account: each.account().name,
    systemId: each.systemId,
    bind: (session.boundAs ?? '').replace('bind_', ''),
    version: versions[session.version] ?? '',
    address: hostAndPort(address, port),
    tls: each.isTls,
    state: session.phase === 'unbinding' ? ('unbinding' as const) : ('bound' as const),
    since: each.boundAt,
    unanswered: session.peerUnanswered,
    inFlight: session.inFlight,
    ...each.submits,
    surplus: session.peerRefused,
    heardAt: now - Math.max(0, Math.round(session.silentMs)),
    node,
  };
}
