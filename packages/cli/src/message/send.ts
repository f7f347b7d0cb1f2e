import { counted, printable } from '@morsel/api/fields/shown.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeJson } from '@morsel/api/fields/exact-json.ts';
import { jsonOf } from '@morsel/api/fields/field.ts';
import { message } from '@morsel/api/admin/message/message.ts';
import type { AnswerOf, GivenOf } from '@morsel/api/admin/resource.ts';
import { formatMicros } from '@morsel/api/values/money.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import { gatewayCalls } from '../admin-client.ts';
import { usage, type Failure, type Input, type Option, type Report, type Shell } from '../command.ts';

/* The command `send` with its option `--wait`. */

/** How often `--wait` asks for the state of the message: often enough for a person, and cheap for the store. */
const lookEveryMs = 250;
const waitDefault = '60';
const waitMax = 3_600;

export const waitOption: Option = {
  flags: '--wait [seconds]',
  summary: `wait for the final event of the message, at most this number of seconds (default: ${waitDefault})`,
};

const { send, show } = message.operations;
type Sent = AnswerOf<typeof send>;

export async function sendAndWait(
  given: GivenOf<typeof send>,
  shell: Shell,
  { values, flags }: Input,
): Promise<Result<Report, Failure>> {
  const wait = flags.has('wait') ? waitDefault : (values['wait'] ?? '0');
  if (!/^\d{1,4}$/.test(wait) || Number(wait) > waitMax) {
    return refused(usage(`--wait must be a whole number of seconds from 0 to ${waitMax}`));
  }
  const sent = await gatewayCalls(shell).message.send(given);
  if (!sent.ok) return sent;
  const json = jsonOf(send.answer, sent.value);
  const text = sentSentence(sent.value);
  if (Number(wait) === 0) return ok({ json: writeJson(json), text });
  const outcome = await outcomeOf(sent.value, shell, Number(wait) * secondMs);
  if (!outcome.ok) return outcome;
  const { event, eventAt, errorCode } = jsonOf(show.answer, outcome.value);
  return ok({
    json: writeJson({ ...json, event, eventAt, errorCode }),
    text: `${text}\n${outcomeSentence(outcome.value)}`,
  });
}

type Message = AnswerOf<typeof show>;

/** Returns the message when it is final, or as it is when the time is over. */
async function outcomeOf({ msgId }: Sent, shell: Shell, waitMs: number): Promise<Result<Message, Failure>> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const found = await gatewayCalls(shell).message.show({ id: String(msgId) });
    if (!found.ok || isFinal(found.value) || performance.now() >= deadline) return found;
    await sleep(lookEveryMs);
  }
}

function isFinal({ event }: Message): boolean {
  return event !== 'scheduled' && event !== 'queued' && event !== 'sent' && event !== 'buffered';
}

function outcomeSentence(sent: Message): string {
  const { msgId, event, errorCode } = sent;
  if (!isFinal(sent)) return `the message is ${event} so far: look again with message show ${msgId}`;
  return `the message is ${event}${errorCode === null ? '' : ` (${printable(errorCode)})`}`;
}

function sentSentence({ msgId, numParts, totalCost, clientBalance, clientCurrency, isReplayed }: Sent): string {
  const cost = `${counted(numParts, 'part')} for ${formatMicros(totalCost)} ${clientCurrency}`;
  const left = `${formatMicros(clientBalance)} ${clientCurrency}`;
  return isReplayed === true
    ? `message ${msgId} was already accepted with this key: ${cost}, with a balance of ${left} after it`
    : `message ${msgId} is accepted: ${cost}; the balance is now ${left}`;
}
