import { message } from '@morsel/api/admin/message/message.ts';
import { instantOf, parseMessageId } from '@morsel/gateway/core/base/message-id.ts';
import { formatInstant } from '@morsel/api/values/time.ts';
import { commandsOf } from '../bind.ts';
import type { Command } from '../command.ts';
import { cancelMany, reroute, yesOption } from './message-many.ts';
import { sendAndWait, showQuote, waitOption } from './send.ts';
import { showTimeLine } from './time-line.ts';

/* The commands of messages, with the code that their declaration cannot contain. */

export const messageCommands: readonly Command[] = commandsOf(message, {
  send: { run: sendAndWait, options: [waitOption] },
  quote: { says: showQuote },
  show: { says: showTimeLine },
  cancelMany: {
    run: cancelMany,
    arguments: [{ name: 'id', summary: 'msgId of one message', isOptional: true }],
    options: [yesOption],
  },
  reroute: { run: reroute, options: [yesOption] },
  settle: { says: showTimeLine },
  find: { lookedTo: timeOf },
});

/** The time at which the message with this id was accepted. */
function timeOf(id: string): string {
  const parsed = parseMessageId(id);
  return parsed === undefined ? '' : formatInstant(instantOf(parsed));
}
