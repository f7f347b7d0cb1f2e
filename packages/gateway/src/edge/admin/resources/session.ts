import { hostAndPort } from '@morsel/api/values/host.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { invalid } from '../../../operator/fields.ts';
import { pageOf } from '../../../store/views/page.ts';
import type { ClientSession, SessionChoice } from '../../smpp/sessions.ts';
import type { Handlers } from '../bind.ts';
import { accountNamed } from '../../../operator/account/known-account.ts';
import type { OperatorNeeds } from '../operator-needs.ts';

/* Lists and closes the SMPP sessions of clients. */

export const sessionHandlers: Handlers<'session'> = {
  list: async (needs, { account, after = '0', limit }) => {
    const chosen = chosenOf(needs, { account });
    if (!chosen.ok) return chosen;
    const rest = chosen.value
      .filter(({ id }) => Number(id) > Number(after))
      .toSorted((one, other) => Number(one.id) - Number(other.id))
      .map((each) => shown(each, needs.clock.now()));
    return ok(pageOf(rest, limit, ({ id }) => id));
  },
  /** Closes the chosen sessions, and answers after they have ended. The clients of the closed sessions may bind again. */
  close: async (needs, choice) => {
    const named = Object.values(choice).filter((each) => each !== undefined);
    if (named.length !== 1)
      return invalid('id', 'give exactly one of these: the id of a session, an account, or a system_id');
    const chosen = chosenOf(needs, choice);
    if (!chosen.ok) return chosen;
    const closed = chosen.value.map((each) => shown(each, needs.clock.now()));
    await needs.sessions.close(chosen.value);
    return ok({ closed });
  },
};

/** Returns the chosen sessions. The list of sessions may be empty, but an unknown account, session or system_id is refused. */
function chosenOf(
  needs: Pick<OperatorNeeds, 'sessions' | 'snapshot'>,
  choice: SessionChoice,
): Result<readonly ClientSession[], Rejection> {
  const { id, account, systemId } = choice;
  const named = accountNamed(needs, account);
  if (!named.ok) return named;
  const found = needs.sessions.list(choice);
  if (id !== undefined && found.length === 0) return missing(`there is no session ${id}`);
  if (systemId !== undefined && found.length === 0 && !needs.snapshot().logins.has(systemId)) {
    return missing(`there is no login with the system_id ${systemId}`);
  }
  return ok(found);
}

const versions: Readonly<Record<number, string>> = { 0x33: '3.3', 0x34: '3.4', 0x50: '5.0' };

function shown({ session, ...each }: ClientSession, now: Instant) {
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
    accepted: each.submits.accepted,
    refused: each.submits.refused,
    surplus: session.peerRefused,
    heardAt: now - Math.max(0, Math.round(session.silentMs)),
  };
}

function missing(detail: string): Result<never, Rejection> {
  return refused({ code: 'does_not_exist', detail });
}
