import type { Rejection } from '../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Snapshot } from '../../core/message/snapshot.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { ascii, invalid, name, optional, readFields, sentence } from '../../operator/fields.ts';
import { systemIdMax } from '@morsel/api/values/login.ts';
import type { Fields } from '../../operator/fields.ts';
import { hostAndPort } from '@morsel/api/values/host.ts';
import type { ClientSession, SessionChoice, Sessions } from '../smpp/sessions.ts';
import type { Json } from '@morsel/api/admin/exact-json.ts';
import { time } from './present.ts';
import type { Answer } from './answer.ts';

export interface SessionNeeds {
  readonly sessions: Pick<Sessions, 'list' | 'close'>;
  readonly snapshot: () => Snapshot;
  readonly clock: { now(): Instant };
}

const idMax = 16;
const versions: Readonly<Record<number, string>> = { 0x33: '3.3', 0x34: '3.4', 0x50: '5.0' };

/** The sessions that are bound, of an account or of all. */
export async function askSessions(needs: SessionNeeds, fields: Fields): Answer {
  const read = readFields({ account: optional(name, undefined) }, fields);
  if (!read.ok) return read;
  const chosen = chosenOf(needs, read.value);
  return chosen.ok ? ok(chosen.value.map((session) => showSession(session, needs.clock.now()))) : chosen;
}

const choiceFields = {
  id: optional(sentence(idMax), undefined),
  account: optional(name, undefined),
  systemId: optional(ascii(1, systemIdMax), undefined),
};

/** Unbinds sessions: one, those of an account or those of a login. Answers when they are gone; their clients may bind again. */
export async function closeSessions(needs: SessionNeeds, fields: Fields): Answer {
  const read = readFields(choiceFields, fields);
  if (!read.ok) return read;
  const said = Object.values(read.value).filter((each) => each !== undefined);
  if (said.length !== 1) return invalid('id', 'say which: the id of a session, or an account, or a system_id');
  if (!/^\d*$/.test(read.value.id ?? '')) return invalid('id', 'an id is a number, as session list shows it');
  const chosen = chosenOf(needs, read.value);
  if (!chosen.ok) return chosen;
  const shown = chosen.value.map((session) => showSession(session, needs.clock.now()));
  await needs.sessions.close(chosen.value);
  return ok(shown);
}

/** None at all is an answer, where the name is that of something. */
function chosenOf(needs: SessionNeeds, choice: SessionChoice): Result<readonly ClientSession[], Rejection> {
  const { accounts, logins } = needs.snapshot();
  const { id, account, systemId: called } = choice;
  const isKnown = account === undefined || [...accounts.values()].some((each) => each.name === account);
  if (!isKnown) return missing(`there is no account named ${account}`);
  const found = needs.sessions.list(choice);
  if (id !== undefined && found.length === 0) return missing(`there is no session ${id}`);
  if (called !== undefined && found.length === 0 && !logins.has(called)) {
    return missing(`there is no login with the system_id ${called}`);
  }
  return ok(found);
}

function showSession(each: ClientSession, now: Instant): Json {
  const { session } = each;
  const { address, port } = session.peer;
  return {
    id: each.id,
    account: each.account().name,
    systemId: each.systemId,
    bind: (session.boundAs ?? '').replace('bind_', ''),
    version: versions[session.version] ?? '',
    address: hostAndPort(address, port),
    tls: each.isTls,
    state: session.phase === 'unbinding' ? 'unbinding' : 'bound',
    since: time(each.boundAt),
    unanswered: session.peerUnanswered,
    inFlight: session.inFlight,
    accepted: each.submits.accepted,
    refused: each.submits.refused,
    surplus: session.peerRefused,
    heardAt: time(now - Math.max(0, Math.round(session.silentMs))),
  };
}

function missing(detail: string): Result<never, Rejection> {
  return refused({ code: 'does_not_exist', detail });
}
