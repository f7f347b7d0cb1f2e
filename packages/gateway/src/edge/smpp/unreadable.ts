import { commandName, statuses } from '@morsel/smpp';
import type { CommandName, Fault, Respond, Session, SessionHandlers } from '@morsel/smpp';
import type { Clock } from '../../runtime/clock.ts';
import { UnreadableCount } from '../unreadable-count.ts';
import { notOffered, saying } from './saying.ts';

/** Whose body can be wrong: of any other command nothing is read, as it is not to be had here. */
const offered: ReadonlySet<CommandName | undefined> = new Set([
  'submit_sm',
  'data_sm',
  'query_sm',
  'cancel_sm',
] as const);

/**
 * What becomes of PDUs of one session that cannot be read: a request has its answer, and the log, at most once a minute, what was
 * wrong with the last one and how many there were. `fields` name the session there.
 */
export function unreadableHandlers(
  session: Pick<Session, 'version'>,
  { log, clock }: { readonly log: { warn(fields: object, message: string): void }; readonly clock: Clock },
  fields: object,
): Required<Pick<SessionHandlers, 'onFault' | 'onUnreadable'>> {
  const unreadable = new UnreadableCount();
  return {
    onFault: ({ reason }) => {
      const count = unreadable.add(clock.monotonicMs());
      if (count !== undefined) log.warn({ ...fields, reason, count }, 'what a client sent cannot be read');
    },
    onUnreadable: (fault, respond) => answer(session, fault, respond),
  };
}

function answer(session: Pick<Session, 'version'>, fault: Fault, respond: Respond): void {
  const command = commandName(fault.command_id);
  if (offered.has(command)) respond(fault.command_status, saying(session, fault.reason));
  else respond(statuses.ESME_RINVCMDID, command && saying(session, notOffered(command)));
}
