import { writeJson } from '@morsel/api/fields/exact-json.ts';
import { jsonOf } from '@morsel/api/fields/field.ts';
import { message } from '@morsel/api/admin/message/message.ts';
import type { AnswerOf, Operation } from '@morsel/api/admin/resource.ts';
import { formatMicros } from '@morsel/api/values/money.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { gatewayCalls } from '../admin-client.ts';
import { commandsOf, type Typed } from '../bind.ts';
import { runBulk } from '../bulk.ts';
import { usage, type Command, type Failure, type Input, type Shell } from '../command.ts';
import { sendAndWait, waitOption } from './send.ts';
import { showTimeLine } from './time-line.ts';

/* The commands of messages, with the code that their declaration cannot contain. */

const { cancelMany, rerouteMany, settleMany, show } = message.operations;
type Message = AnswerOf<typeof show>;

const cancelOne: ForOne = {
  change: (calls, id) => calls.message.cancel({ id }),
  says: ({ msgId, event, refunded, currency }) =>
    `message ${msgId} is ${event}: ${refunded === 0n ? 'nothing' : `${formatMicros(refunded)} ${currency}`} refunded`,
};
const rerouteOne: ForOne = {
  change: (calls, id) => calls.message.reroute({ id }),
  says: ({ msgId }) => `message ${msgId} follows the current routes, unless a carrier has it`,
};
const settleOne: ForOne = {
  change: (calls, id, { as = '', part }) => calls.message.settle({ id, as, part }),
  says: showTimeLine,
  takes: ['as', 'part'],
};
const partOption = {
  flags: '--part <number>',
  summary: 'with an id: settle only the part with this number',
};

export const messageCommands: readonly Command[] = commandsOf(message, {
  send: { run: sendAndWait, options: [waitOption] },
  show: { says: showTimeLine },
  cancelMany: oneOrMany(cancelMany, cancelOne),
  rerouteMany: oneOrMany(rerouteMany, rerouteOne),
  settleMany: { ...oneOrMany(settleMany, settleOne), options: [partOption] },
});

/** How a command changes a single message. */
interface ForOne {
  readonly change: (
    calls: ReturnType<typeof gatewayCalls>,
    id: string,
    given: Typed,
  ) => Promise<Result<Message, Failure>>;
  readonly says: (changed: Message, shell: Shell) => string;
  /** The options that can be combined with an id. */
  readonly takes?: readonly string[];
}

/** A command that changes the message with the given id, or else all messages that match a filter. */
function oneOrMany(many: Operation, { change, says, takes = [] }: ForOne) {
  return {
    arguments: [{ name: 'id', summary: 'msgId of one message', isOptional: true }],
    run: async (given: Typed, shell: Shell, input: Input): ReturnType<Command['run']> => {
      const { id, part } = input.values;
      if (id === undefined && part !== undefined) return refused(usage('give --part with the id of a message'));
      if (id === undefined && many.bulk) return runBulk(many, many.bulk, { given, input, shell });
      if (Object.keys(given).some((name) => !takes.includes(name)))
        return refused(usage('give a message id or a filter, not both'));
      const changed = await change(gatewayCalls(shell), id ?? '', { ...given, ...(part !== undefined && { part }) });
      if (!changed.ok) return changed;
      return ok({ json: writeJson(jsonOf(show.answer, changed.value)), text: says(changed.value, shell) });
    },
  };
}
