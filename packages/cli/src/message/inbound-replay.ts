import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { call } from '../admin-client.ts';
import { usage } from '../command.ts';
import { counted } from '../counted.ts';
import type { Command, Failure, Input, Report, Shell } from '../command.ts';
import { filterOf, filterOptions } from './inbound.ts';
import { toRow, word } from '../table.ts';

/** Ids of one question: they are one commit. */
const idsMax = 250;

export const inboundReplayCommands: readonly Command[] = [
  {
    words: 'inbound replay',
    summary: 'Tell accounts anew of messages from phones, by the numbers, keywords and destinations of now',
    arguments: [{ name: 'ids', summary: 'their msgIds', isOptional: true, isMany: true }],
    options: [
      ...filterOptions,
      { flags: '--all', summary: 'of what the filter finds what was delivered, too' },
      { flags: '--reroute', summary: 'what has an account, too, goes to whose it is by now' },
    ],
    examples: [
      ['inbound replay 1021568371490816', 'one message, also if it was delivered'],
      ['inbound replay --unmatched', "what was nobody's, to those who have its number or keyword now"],
      ['inbound replay --account acme --undelivered', 'what acme has not taken, dead letters among it'],
    ],
    notes: () => replayHelp,
    run: replay,
  },
];

const replayHelp = `A message keeps its msgId, by which a receiver knows what it was told already. What was given up is told under its own
webhook-id; what was delivered has another, or its receiver would drop it. What waits to be told is not told twice. The oldest come first.`;

const kinds = ['replayed', 'waiting', 'withoutDestination', 'unmatched', 'rerouted'] as const;
type Counts = { [kind in (typeof kinds)[number]]: number };

async function replay(input: Input, shell: Shell): Promise<Result<Report, Failure>> {
  const { ids: given = '', ...filter } = filterOf(input);
  const ids = given.split(/[\s,]+/).filter((id) => id !== '');
  if (ids.length > 0 && Object.keys(filter).length > 0)
    return refused(usage('name messages by their ids, or by a filter'));
  if (ids.length === 0 && Object.keys(filter).length === 0)
    return refused(usage('say which messages: their ids, or a filter such as --unmatched or --undelivered'));
  const isFew = 'unmatched' in filter || 'undelivered' in filter || input.flags.has('all');
  if (ids.length === 0 && !isFew)
    return refused(usage('give --undelivered as well, or --all if what was delivered is to be told once more'));
  const isRerouted = input.flags.has('reroute');
  const counts: Counts = { replayed: 0, waiting: 0, withoutDestination: 0, unmatched: 0, rerouted: 0 };
  for (const fields of ids.length > 0 ? batchesOf(ids) : [filter]) {
    const done = await replayAll(shell, { ...fields, ...(isRerouted && { reroute: 'true' }) }, counts);
    if (!done.ok) return done;
  }
  return ok({ json: JSON.stringify(counts), text: sentenceOf(counts, isRerouted) });
}

function batchesOf(ids: readonly string[]): { readonly ids: readonly string[] }[] {
  const count = Math.ceil(ids.length / idsMax);
  return Array.from({ length: count }, (_, at) => ({ ids: ids.slice(at * idsMax, (at + 1) * idsMax) }));
}

/** Step after step until there are no more; what was counted stays counted, also if a step fails. */
async function replayAll(
  shell: Shell,
  fields: { readonly [field: string]: unknown },
  counts: Counts,
): Promise<Result<undefined, Failure>> {
  for (let place = {}; ;) {
    const step = await call(shell, 'replayInbound', { ...fields, ...place });
    if (!step.ok) {
      const isBegun = kinds.some((kind) => counts[kind] > 0);
      return isBegun
        ? refused({
            ...step.error,
            detail: `${step.error.detail} (until then: ${sentenceOf(counts, 'reroute' in fields)})`,
          })
        : step;
    }
    const answer = toRow(step.value.value);
    for (const kind of kinds) counts[kind] += Number(word(answer, kind));
    shell.progress?.(`${counts.replayed} replayed`);
    const next = word(answer, 'next');
    if (next === '') return ok(undefined);
    place = { after: next, until: word(answer, 'until') };
  }
}

/** What is told anew, and what is not, and why. */
function sentenceOf(counts: Counts, isRerouted: boolean): string {
  const { replayed, waiting, withoutDestination, unmatched, rerouted } = counts;
  const all = replayed + waiting + withoutDestination + unmatched;
  if (all === 0) return 'there are no such messages: nothing is told anew';
  const others = reasonsOf(isRerouted)
    .map(({ kind, one, many }) => ({ count: counts[kind], why: counts[kind] === 1 ? one : many }))
    .filter(({ count }) => count > 0);
  const told =
    replayed === 0
      ? noneOf(all, others)
      : `${replayed} of ${counted(all, 'message')} ${replayed === 1 ? 'is' : 'are'} told anew` +
        others.map(({ count, why }) => `; ${count} ${count === 1 ? 'is' : 'are'} not, since ${why}`).join('');
  const anew = `; ${rerouted} of them ${rerouted === 1 ? 'has' : 'have'} an account now, or another than before`;
  return rerouted === 0 ? told : told + anew;
}

interface Reason {
  readonly kind: keyof Counts;
  readonly one: string;
  readonly many: string;
}

function reasonsOf(isRerouted: boolean): readonly Reason[] {
  // What waits for an account that lost the number is somebody's still: it is not routed to nobody.
  const its = isRerouted ? ', and no other account has its number or keyword now' : '';
  const their = isRerouted ? ', and no other account has their number or keyword now' : '';
  return [
    { kind: 'waiting', one: `it waits to be told already${its}`, many: `they wait to be told already${their}` },
    {
      kind: 'withoutDestination',
      one: 'its account has no webhook and no login for it',
      many: 'their accounts have no webhook and no login for them',
    },
    { kind: 'unmatched', one: "it is nobody's still", many: "they are nobody's still" },
  ];
}

function noneOf(all: number, others: readonly { readonly count: number; readonly why: string }[]): string {
  const [only] = others;
  if (all === 1 && only) return `the message is not told anew, since ${only.why}`;
  const none = `none of the ${counted(all, 'message')} is told anew`;
  if (others.length === 1 && only) return `${none}, since ${only.why}`;
  return `${none}: ${others.map(({ count, why }) => `${count} since ${why}`).join(', ')}`;
}
