import { writeJson } from '@morsel/api/admin/exact-json.ts';
import { jsonOf } from '@morsel/api/admin/field.ts';
import { message } from '@morsel/api/admin/message/message.ts';
import type { GivenOf } from '@morsel/api/admin/resource.ts';
import { formatMicros, toMicros, type Micros } from '@morsel/api/values/money.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { gatewayCalls } from '../admin-client.ts';
import { usage, type Failure, type Input, type Option, type Report, type Shell } from '../command.ts';
import { confirmed, dryRunText } from '../confirm.ts';
import { counted } from '../counted.ts';
import { inSteps, type StepPlace } from '../steps.ts';

/*
 * The commands `message cancel` and `message reroute`. Both commands first count the messages, and then change the
 * messages in limited steps.
 */

export const yesOption: Option = {
  flags: '--yes',
  summary: 'do not ask for confirmation; needed if there is no terminal',
};

type Done = Promise<Result<Report, Failure>>;

export function cancelMany(given: GivenOf<typeof message.operations.cancelMany>, shell: Shell, input: Input): Done {
  const { id } = input.values;
  if (id !== undefined) return cancelOne(id, given, shell);
  const calls = gatewayCalls(shell).message;
  const action: Action = {
    step: (place) => calls.cancelMany({ ...given, ...place }),
    question: (messages) => `Cancel ${messages}?`,
    none: 'no waiting message matches: nothing is canceled',
    done: canceledText,
  };
  return changeMany(action, { isOne: false, input, shell });
}

export function reroute(given: GivenOf<typeof message.operations.reroute>, shell: Shell, input: Input): Done {
  const calls = gatewayCalls(shell).message;
  const action: Action = {
    step: (place) => calls.reroute({ ...given, ...place }),
    question: (messages) => `Move ${messages} to the current routes?`,
    none: 'no waiting message matches: nothing is changed',
    done: reroutedText,
  };
  return changeMany(action, { isOne: given.id !== undefined, input, shell });
}

async function cancelOne(id: string, filter: object, shell: Shell): Done {
  if (Object.keys(filter).length > 0) return refused(usage('give a message id or a filter, not both'));
  const canceled = await gatewayCalls(shell).message.cancel({ id });
  if (!canceled.ok) return canceled;
  const { msgId, event, refunded, currency } = canceled.value;
  const money = refunded === 0n ? 'nothing' : `${formatMicros(refunded)} ${currency}`;
  return ok({
    json: writeJson(jsonOf(message.operations.cancel.answer, canceled.value)),
    text: `message ${msgId} is ${event}: ${money} refunded`,
  });
}

interface Step {
  readonly next: string | null;
  readonly until: Instant;
  readonly refunds?: readonly { readonly currency: string; readonly amount: Micros }[];
  /** All other members of the answer are counts of messages or parts. */
  readonly [count: string]: unknown;
}

interface Action {
  readonly step: (place: StepPlace & { readonly dryRun?: true }) => Promise<Result<Step, Failure>>;
  readonly question: (messages: string) => string;
  readonly none: string;
  /** Describes the result in a sentence. */
  readonly done: (sums: Sums) => string;
}

/** The sums over all steps, by the names of the members of an answer. */
interface Sums {
  readonly counts: { [member: string]: number };
  readonly refunds: Map<string, bigint>;
}

/**
 * Counts the messages, asks for confirmation, and changes the messages step by step. If a step fails, the changes of
 * earlier steps stay.
 */
async function changeMany(
  action: Action,
  { isOne, input, shell }: { readonly isOne: boolean; readonly input: Input; readonly shell: Shell },
): Done {
  const found = await walk(action, { dryRun: true }, shell);
  if (!found.ok) return found;
  const { messages = 0, parts = 0 } = found.value.sums.counts;
  if (messages === 0) return ok(reported(action.none, found.value.sums, false));
  const sentence = `${counted(messages, 'waiting message')} (${counted(parts, 'part')})`;
  if (input.flags.has('dryRun')) return ok(reported(`${sentence}: ${dryRunText}`, found.value.sums, false));
  const meant = isOne
    ? ok(undefined)
    : await confirmed(input, shell, { sentence, question: action.question(sentence) });
  if (!meant.ok) return meant;
  const done = await walk(action, { until: found.value.until }, shell);
  if (!done.ok) return done;
  // A later step may find a moved message again, so the total is the count from before the change.
  const sums = { ...done.value.sums, counts: { ...done.value.sums.counts, messages, parts } };
  return ok(reported(action.done(sums), sums, true));
}

function reported(text: string, { counts, refunds }: Sums, isApplied: boolean): Report {
  const amounts = [...refunds].map(([currency, amount]) => ({ currency, amount }));
  return { text, json: writeJson({ ...counts, ...(amounts.length > 0 && { refunds: amounts }), applied: isApplied }) };
}

async function walk(
  { step, done }: Action,
  from: StepPlace & { readonly dryRun?: true },
  { progress }: Shell,
): Promise<Result<{ readonly sums: Sums; readonly until: Instant }, Failure>> {
  const sums: Sums = { counts: {}, refunds: new Map() };
  const last = await inSteps((place) => step({ ...from, ...place }), {
    onStep: ({ next: _next, until: _until, refunds = [], ...counts }) => {
      for (const [member, count] of Object.entries(counts)) {
        sums.counts[member] = (sums.counts[member] ?? 0) + Number(count);
      }
      for (const { currency, amount } of refunds) {
        sums.refunds.set(currency, (sums.refunds.get(currency) ?? 0n) + amount);
      }
      progress?.(counted(sums.counts['messages'] ?? 0, 'message'));
    },
    soFar: () => (from.dryRun === true || (sums.counts['messages'] ?? 0) === 0 ? undefined : done(sums)),
  });
  if (!last.ok) return last;
  progress?.('');
  return ok({ sums, until: last.value.until });
}

function canceledText({ counts, refunds }: Sums): string {
  const { messages = 0, canceled = 0 } = counts;
  const late = Math.max(0, messages - canceled);
  const money = [...refunds].map(([currency, amount]) => `${formatMicros(toMicros(amount))} ${currency}`).join(', ');
  const done = `${counted(canceled, 'message')} ${canceled === 1 ? 'is' : 'are'} canceled, ${money || 'nothing'} refunded`;
  return late === 0 ? done : `${done}; ${late} ${late === 1 ? 'was' : 'were'} already sent to a carrier, or final`;
}

function reroutedText({ counts }: Sums): string {
  const { messages = 0, moved = 0, held = 0, withoutRoute = 0 } = counts;
  const same = Math.max(0, messages - moved - held - withoutRoute);
  return [
    counted(moved, 'message now follows the current routes', 'messages now follow the current routes'),
    ...(same > 0 ? [`${same} already followed the current routes, or no longer ${same === 1 ? 'waits' : 'wait'}`] : []),
    ...(held > 0 ? [`${stay(held)}: a carrier has, or may have, a part of ${held === 1 ? 'it' : 'them'}`] : []),
    ...(withoutRoute > 0
      ? [`${stay(withoutRoute)}: no route matches ${withoutRoute === 1 ? 'its receiver' : 'their receivers'}`]
      : []),
  ].join('; ');
}

function stay(count: number): string {
  return count === 1 ? '1 stays on its route' : `${count} stay on their routes`;
}
