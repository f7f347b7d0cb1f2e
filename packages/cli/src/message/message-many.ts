import { formatMicros, parseMicros, toMicros } from '@morsel/api/values/money.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { writeJson } from '@morsel/api/admin/exact-json.ts';
import { call, reportOf } from '../admin-client.ts';
import { usage } from '../command.ts';
import type { Command, Failure, Input, Option, Report, Shell } from '../command.ts';
import { confirmed, dryRunText } from '../confirm.ts';
import { counted } from '../counted.ts';
import { toRow, toRows, word } from '../table.ts';
import type { Row } from '../table.ts';

/* What is done to one message that waits, or to all that a filter finds: counted first, and then done a bounded step at a time. */

const filterOptions: readonly Option[] = [
  { flags: '--account <name>', summary: 'of this account' },
  { flags: '--route <prefix>', summary: 'on the route of this prefix, also one that was removed; "" for every number' },
  { flags: '--carrier <name>', summary: 'on routes that this carrier is in' },
  { flags: '--prefix <digits>', summary: 'to numbers that begin so, country code first' },
  { flags: '--sender <sender>', summary: 'from this sender' },
  { flags: '--since <time>', summary: 'accepted then or later: 2026-01-31 or 2026-01-31T12:00:00Z' },
  { flags: '--until <time>', summary: 'accepted before then (default: now)' },
  { flags: '--all', summary: 'all messages that wait' },
];

const doOptions: readonly Option[] = [
  { flags: '--dry-run', summary: 'count them and change nothing, also with --yes' },
  { flags: '--yes', summary: 'do not ask; without a terminal the command is refused without it' },
];

const idArgument = { name: 'id', summary: 'the msgId of one message', isOptional: true } as const;

export const manyMessageCommands: readonly Command[] = [
  {
    words: 'message cancel',
    summary: 'Cancel what was not sent yet of one message, or of all that a filter finds',
    arguments: [idArgument],
    options: [
      ...filterOptions,
      {
        flags: '--state <state>',
        summary: 'that wait for a carrier, or for their time',
        choices: ['queued', 'scheduled'],
      },
      ...doOptions,
    ],
    examples: [
      ['message cancel 1021568371490816', 'it is not sent, and refunded as its account has agreed'],
      [
        'message cancel --account acme --since 2026-01-31',
        'how many messages of acme wait since that day; it asks first',
      ],
      ['message cancel --account acme --state scheduled --yes', 'for a script: cancel all that acme has planned'],
    ],
    run: (input, shell) =>
      input.values['id'] === undefined ? runMany(canceling, input, shell) : cancelOne(input, shell),
  },
  {
    words: 'message reroute',
    summary: 'Send what waits by the routes of now: one message, or all that a filter finds',
    arguments: [idArgument],
    options: [...filterOptions, ...doOptions],
    examples: [
      ['message reroute --carrier alpha', 'what waits on routes of alpha, by the routes of now; it asks first'],
      ['message reroute --route 41 --yes', 'for a script: what waited on the route for 41 that was removed'],
      ['message reroute 1021568371490816', 'one message'],
    ],
    notes: () => rerouteHelp,
    run: (input, shell) => runMany(rerouting, input, shell),
  },
];

const rerouteHelp = `A message keeps its price. It is tried at once by the carriers of its route, also by those that could not take it. What a carrier
has a part of, or may have, stays where it is; so does what no route leads to now.`;

interface Action {
  readonly endpoint: 'cancelMessages' | 'rerouteMessages';
  readonly question: (messages: string) => string;
  readonly none: string;
  /** What was done, as a sentence. */
  readonly done: (sums: Sums) => string;
}

/** What the steps came to, by the members of their answers. */
interface Sums {
  readonly counts: { readonly [member: string]: number };
  /** By currency, in the digits of the answers. */
  readonly refunds: ReadonlyMap<string, bigint>;
}

const canceling: Action = {
  endpoint: 'cancelMessages',
  question: (messages) => `Cancel ${messages}?`,
  none: 'no such message waits: nothing is canceled',
  done: ({ counts, refunds }) => {
    const { messages = 0, canceled = 0 } = counts;
    const late = Math.max(0, messages - canceled);
    const money = [...refunds].map(([currency, amount]) => `${formatMicros(toMicros(amount))} ${currency}`).join(', ');
    return [
      `${counted(canceled, 'message')} ${canceled === 1 ? 'is' : 'are'} canceled, ${money || 'nothing'} refunded`,
      ...(late > 0 ? [`${late} went to a carrier, or came to an end, before`] : []),
    ].join('; ');
  },
};

const rerouting: Action = {
  endpoint: 'rerouteMessages',
  question: (messages) => `Send ${messages} by the routes of now?`,
  none: 'no such message waits: nothing is changed',
  done: ({ counts }) => {
    const { messages = 0, moved = 0, held = 0, withoutRoute = 0 } = counts;
    const same = Math.max(0, messages - moved - held - withoutRoute);
    return [
      `${counted(moved, 'message')} ${moved === 1 ? 'goes' : 'go'} by the routes of now`,
      ...(same > 0 ? [`${same} did before, or left meanwhile`] : []),
      ...(held > 0
        ? [
            `${held === 1 ? '1 stays: a carrier has a part of it' : `${held} stay: a carrier has a part of them`}, or may have`,
          ]
        : []),
      ...(withoutRoute > 0
        ? [
            withoutRoute === 1
              ? '1 stays: no route leads to its receiver'
              : `${withoutRoute} stay: no route leads to their receivers`,
          ]
        : []),
    ].join('; ');
  },
};

/** Counts, asks, and does it step by step; what was done stays done, also if a step fails. */
async function runMany(action: Action, input: Input, shell: Shell): Promise<Result<Report, Failure>> {
  const fields = { ...input.values, ...(input.flags.has('all') && { all: 'true' }) };
  if (Object.keys(fields).every((field) => field === 'until')) {
    return refused(usage('say which messages: by an option such as --account or --carrier, or --all'));
  }
  const found = await walk(action, { ...fields, dryRun: 'true' }, shell);
  if (!found.ok) return found;
  const { messages = 0, parts = 0 } = found.value.sums.counts;
  if (messages === 0) return ok(reported(action.none, found.value.sums, false));
  const sentence = `${counted(messages, 'message')} of ${counted(parts, 'part')} that wait${messages === 1 ? 's' : ''}`;
  if (input.flags.has('dryRun')) return ok(reported(`${sentence}: ${dryRunText}`, found.value.sums, false));
  const isOne = input.values['id'] !== undefined;
  const meant = isOne
    ? ok(undefined)
    : await confirmed(input, shell, { sentence, question: action.question(sentence) });
  if (!meant.ok) return meant;
  const done = await walk(action, { ...fields, until: found.value.until }, shell);
  if (!done.ok) return done;
  // A message that was moved may be met again where it waits now: what was counted before is how many there are.
  const sums = { ...done.value.sums, counts: { ...done.value.sums.counts, messages, parts } };
  return ok(reported(action.done(sums), sums, true));
}

function reported(text: string, { counts, refunds }: Sums, isApplied: boolean): Report {
  const amounts = [...refunds].map(([currency, amount]) => ({ currency, amount }));
  return { text, json: writeJson({ ...counts, ...(amounts.length > 0 && { refunds: amounts }), applied: isApplied }) };
}

interface Walked {
  readonly sums: Sums;
  readonly until: string;
}

async function walk(
  { endpoint, done }: Action,
  fields: { readonly [field: string]: string },
  shell: Shell,
): Promise<Result<Walked, Failure>> {
  const counts: { [member: string]: number } = {};
  const refunds = new Map<string, bigint>();
  const isDryRun = fields['dryRun'] !== undefined;
  for (let place: { readonly [field: string]: string } = {}; ;) {
    const step = await call(shell, endpoint, { ...fields, ...place });
    if (!step.ok) {
      const isBegun = !isDryRun && (counts['messages'] ?? 0) > 0;
      const detail = `${step.error.detail} (until then: ${done({ counts, refunds })})`;
      return isBegun ? refused({ ...step.error, detail }) : step;
    }
    const answer = toRow(step.value.value);
    addTo(counts, answer);
    for (const refund of toRows(answer['refunds'])) {
      const amount = parseMicros(word(refund, 'amount'));
      const currency = word(refund, 'currency');
      if (amount.ok) refunds.set(currency, (refunds.get(currency) ?? 0n) + amount.value);
    }
    shell.progress?.(counted(counts['messages'] ?? 0, 'message'));
    const next = word(answer, 'next');
    const until = word(answer, 'until');
    if (next === '') {
      shell.progress?.('');
      return ok({ sums: { counts, refunds }, until });
    }
    place = { after: next, until };
  }
}

function addTo(counts: { [member: string]: number }, answer: Row): void {
  for (const member of Object.keys(answer)) {
    if (['next', 'until', 'refunds'].includes(member)) continue;
    counts[member] = (counts[member] ?? 0) + Number(word(answer, member));
  }
}

async function cancelOne({ values, flags }: Input, shell: Shell): Promise<Result<Report, Failure>> {
  if (Object.keys(values).length > 1 || flags.has('all') || flags.has('dryRun')) {
    return refused(usage('name a message by its id alone, or messages by a filter'));
  }
  const reply = await call(shell, 'cancelMessage', values);
  if (!reply.ok) return reply;
  return ok(
    reportOf(reply.value, (value) => {
      const message = toRow(value);
      const refund = word(message, 'refunded');
      const money = refund === '0' ? 'nothing' : `${refund} ${word(message, 'currency')}`;
      return `message ${word(message, 'msgId')} is ${word(message, 'event')}: ${money} refunded`;
    }),
  );
}
