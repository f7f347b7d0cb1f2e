import { commandName, STATUSES } from '@morsel/smpp';
import type { CommandName, Fault, SessionHandlers } from '@morsel/smpp';
import { UnreadableCount } from '../unreadable-count.ts';

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
  log: { warn(fields: object, message: string): void },
  fields: object,
): Required<Pick<SessionHandlers, 'onFault' | 'onUnreadable'>> {
  const unreadable = new UnreadableCount();
  return {
    onFault: ({ reason }) => {
      const count = unreadable.add(performance.now());
      if (count !== undefined) log.warn({ ...fields, reason, count }, 'what a client sent cannot be read');
    },
    onUnreadable: (fault, respond) => void respond(statusOf(fault)),
  };
}

function statusOf({ command_id: id, command_status: commandStatus }: Fault): number {
  return offered.has(commandName(id)) ? commandStatus : STATUSES.ESME_RINVCMDID.value;
}
