import {
  commandName,
  statuses,
  type CommandName,
  type Fault,
  type Respond,
  type Session,
  type SessionHandlers,
} from '@morsel/smpp';
import type { Clock } from '../../../runtime/clock.ts';
import { UnreadableCount } from '../../unreadable-count.ts';
import { notOffered, saying } from './saying.ts';

/** The commands that the gateway supports. */
const offered: ReadonlySet<CommandName | undefined> = new Set([
  'submit_sm',
  'data_sm',
  'query_sm',
  'cancel_sm',
] as const);

/** Logs, once a minute at most, the number of unreadable PDUs and the latest error. `fields` identify the session. */
export function unreadableHandlers(
  session: Pick<Session, 'version'>,
  { log, clock }: { readonly log: { warn(fields: object, message: string): void }; readonly clock: Clock },
  fields: object,
): Required<Pick<SessionHandlers, 'onFault' | 'onUnreadable'>> {
  const unreadable = new UnreadableCount();
  return {
    onFault: ({ reason }) => {
      const count = unreadable.add(clock.monotonicMs());
      if (count !== undefined) log.warn({ ...fields, reason, count }, 'unreadable PDU from a client');
    },
    onUnreadable: (fault, respond) => answer(session, fault, respond),
  };
}

function answer(session: Pick<Session, 'version'>, fault: Fault, respond: Respond): void {
  const command = commandName(fault.command_id);
  if (offered.has(command)) respond(fault.command_status, saying(session, fault.reason));
  else respond(statuses.ESME_RINVCMDID, command && saying(session, notOffered(command)));
}
