import { writeJson } from '@morsel/api/fields/exact-json.ts';
import { jsonOf } from '@morsel/api/fields/field.ts';
import { message } from '@morsel/api/admin/message/message.ts';
import { formatMicros } from '@morsel/api/values/money.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import { gatewayCalls } from '../admin-client.ts';
import { commandsOf, type Typed } from '../bind.ts';
import { usage, type Command, type Input, type Shell } from '../command.ts';
import { countAndRun } from '../whole.ts';
import { sendAndWait, waitOption } from './send.ts';
import { showTimeLine } from './time-line.ts';

/* The commands of messages, with the code that their declaration cannot contain. */

const { cancel, cancelMany } = message.operations;

export const messageCommands: readonly Command[] = commandsOf(message, {
  send: { run: sendAndWait, options: [waitOption] },
  show: { says: showTimeLine },
  cancelMany: {
    run: cancelOneOrMany,
    arguments: [{ name: 'id', summary: 'msgId of one message', isOptional: true }],
  },
  settle: { says: showTimeLine },
});

async function cancelOneOrMany(given: Typed, shell: Shell, input: Input): ReturnType<Command['run']> {
  const { id } = input.values;
  const { counts } = cancelMany.command ?? {};
  if (id === undefined && counts) return countAndRun(cancelMany, counts, { given, input, shell });
  if (Object.keys(given).length > 0) return refused(usage('give a message id or a filter, not both'));
  const canceled = await gatewayCalls(shell).message.cancel({ id: id ?? '' });
  if (!canceled.ok) return canceled;
  const { msgId, event, refunded, currency } = canceled.value;
  const money = refunded === 0n ? 'nothing' : `${formatMicros(refunded)} ${currency}`;
  return ok({
    json: writeJson(jsonOf(cancel.answer, canceled.value)),
    text: `message ${msgId} is ${event}: ${money} refunded`,
  });
}
