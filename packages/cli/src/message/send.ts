import { setTimeout as sleep } from 'node:timers/promises';
import { priorities } from '@morsel/api/values/message.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import { call } from '../admin-client.ts';
import type { Reply } from '../admin-client.ts';
import { userOfThisMachine } from '../given.ts';
import { usage } from '../command.ts';
import type { Command, Failure, Option, Report, Shell } from '../command.ts';
import { toRow, word } from '../table.ts';
import type { Row } from '../table.ts';

/** How often `--wait` looks: a person does not notice less, and the store does not notice it. */
const lookEveryMs = 250;
const waitDefault = '60';
const waitMax = 3_600;

/** What a message is made of: for sending it, and for asking its price. */
export const messageOptions: readonly Option[] = [
  { flags: '--account <name>', summary: 'who pays', isRequired: true },
  { flags: '--sender <sender>', summary: 'a number, a short code, or up to 11 characters', isRequired: true },
  { flags: '--receiver <number>', summary: 'in international form', isRequired: true },
  { flags: '--text <text>', summary: 'what it says', isRequired: true },
  { flags: '--dcs <dcs>', summary: 'GSM, UCS, or SMS for whichever fits (SMS)' },
];

export const keyOption: Option = {
  flags: '--key <key>',
  summary: 'an idempotency key: with it, the same is sent once, however often it is tried',
};

export const sendCommands: readonly Command[] = [
  {
    words: 'send',
    summary: 'Send a message for an account, which pays for it',
    options: [
      ...messageOptions,
      { flags: '--client-ref <text>', summary: 'a reference to find it by' },
      { flags: '--validity <seconds>', summary: 'how long it is tried, 60 to 259200 (172800)' },
      {
        flags: '--priority <priority>',
        summary: 'high goes before normal traffic, for one-time codes (normal)',
        choices: priorities,
      },
      { flags: '--send-at <time>', summary: 'when, at most 30 days ahead, such as 2026-01-31T12:00:00Z (now)' },
      { flags: '--flash', summary: 'shown at once and not kept by the phone' },
      keyOption,
      { flags: '--actor <name>', summary: 'who sends it, as message show will say (default: your user name)' },
      { flags: '--wait [seconds]', summary: `wait for its final event, at most so long (${waitDefault})` },
    ],
    examples: [
      ['send --account acme --sender Shop --receiver +41791112233 --text "Hello"', 'one message'],
      ['send --account acme --sender Shop --receiver +41791112233 --text "Hello" --wait', 'and what became of it'],
      [
        'send --account acme --sender Shop --receiver +41791112233 --text "Hello" --send-at 2026-01-31T12:00:00+01:00',
        'one that is sent at noon',
      ],
    ],
    run: async (input, shell) => {
      const { wait, key: idempotencyKey, actor = userOfThisMachine(), ...given } = input.values;
      const draft = { ...given, idempotencyKey, actor };
      const waitMs = input.flags.has('wait') ? waitOf(waitDefault) : waitOf(wait ?? '0');
      if (waitMs === undefined) return refused(usage(`--wait takes whole seconds, at most ${waitMax}`));
      const sent = await call(shell, 'send', input.flags.has('flash') ? { ...draft, flash: 'true' } : draft);
      if (!sent.ok) return sent;
      return waitMs === 0 ? ok(sentReport(sent.value)) : waited(shell, sent.value, waitMs);
    },
  },
];

function waitOf(text: string): number | undefined {
  return /^\d{1,4}$/.test(text) && Number(text) <= waitMax ? Number(text) * secondMs : undefined;
}

function sentReport(sent: Reply): Report {
  return { json: sent.text, text: sentSentence(toRow(sent.value)) };
}

/** The five fields of the answer, and the event that it came to within the wait. */
async function waited(shell: Shell, sent: Reply, waitMs: number): Promise<Result<Report, Failure>> {
  const id = word(toRow(sent.value), 'msgId');
  const deadline = performance.now() + waitMs;
  for (;;) {
    const found = await call(shell, 'message', { id });
    if (!found.ok) return found;
    const message = toRow(found.value.value);
    const event = word(message, 'event');
    const isOver = isFinalEvent(event);
    if (isOver || performance.now() >= deadline) return ok(waitedReport(sent, message, isOver));
    await sleep(lookEveryMs);
  }
}

function isFinalEvent(event: string): boolean {
  return event !== 'scheduled' && event !== 'queued' && event !== 'sent' && event !== 'buffered';
}

function waitedReport(sent: Reply, message: Row, isOver: boolean): Report {
  const event = word(message, 'event');
  const errorCode = word(message, 'errorCode');
  const outcome = { event, eventAt: word(message, 'eventAt'), errorCode: errorCode === '' ? null : errorCode };
  const because = errorCode === '' ? '' : ` (${errorCode})`;
  const end = isOver
    ? `it is ${event}${because}`
    : `it is ${event} so far: look again with message show ${word(message, 'msgId')}`;
  return {
    json: `${sent.text.replace(/\}$/, '')},${JSON.stringify(outcome).slice(1)}`,
    text: `${sentSentence(toRow(sent.value))}\n${end}`,
  };
}

function sentSentence(sent: Row): string {
  const parts = word(sent, 'numParts');
  const currency = word(sent, 'clientCurrency');
  const isReplayed = word(sent, 'isReplayed') === 'true';
  return (
    `message ${word(sent, 'msgId')} ${isReplayed ? 'was accepted before, under this key' : 'is accepted'}: ${parts} ${parts === '1' ? 'part' : 'parts'} for ` +
    `${word(sent, 'totalCost')} ${currency}, which ${isReplayed ? 'left' : 'leaves'} ${word(sent, 'clientBalance')} ${currency}`
  );
}
