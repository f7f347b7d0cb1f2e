/* The commands `inbound show`, which also shows notifications, and `inbound replay`, which works in steps. */

import { failureTable, inbound, notificationTable, replayMax } from '@morsel/api/admin/message/inbound.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { gatewayCalls } from '../admin-client.ts';
import { commandsOf } from '../bind.ts';
import { usage, type Command, type Failure, type Input, type Report, type Shell } from '../command.ts';
import { counted } from '../counted.ts';
import { cardOf, tableOf } from '../show.ts';
import { inSteps } from '../steps.ts';

const { show } = inbound.operations;

export const inboundCommands: readonly Command[] = commandsOf(inbound, {
  show: { says: shownText },
  replay: {
    run: replay,
    options: [{ flags: '--all', summary: 'also replay messages that were already delivered' }],
  },
});

function shownText(message: AnswerOf<typeof show>, { hasColour }: Shell): string {
  const { notifications } = message;
  const failures = notifications.flatMap((each) => each.failures.map((one) => ({ ...one, notification: each.id })));
  const shown = { hasColour, whenEmpty: '' };
  const tables = [tableOf(notificationTable, notifications, shown), tableOf(failureTable, failures, shown)];
  return [cardOf(show, message, shown), ...tables].filter((each) => each !== '').join('\n\n');
}

const kinds = ['replayed', 'waiting', 'withoutDestination', 'unmatched', 'rerouted'] as const;
type Counts = { [kind in (typeof kinds)[number]]: number };

async function replay(
  { ids: given = '', reroute, ...filter }: { readonly [field: string]: string },
  shell: Shell,
  { flags }: Input,
): Promise<Result<Report, Failure>> {
  const ids = given.split(/[\s,]+/).filter((id) => id !== '');
  const hasFilter = Object.keys(filter).length > 0;
  if (ids.length > 0 && hasFilter) return refused(usage('give message ids or a filter, not both'));
  if (ids.length === 0 && !hasFilter) {
    return refused(usage('give message ids, or a filter such as --unmatched or --undelivered'));
  }
  const isFew = 'unmatched' in filter || 'undelivered' in filter || flags.has('all');
  if (hasFilter && !isFew) {
    return refused(usage('add --undelivered, or add --all to deliver messages again that were already delivered'));
  }
  const counts: Counts = { replayed: 0, waiting: 0, withoutDestination: 0, unmatched: 0, rerouted: 0 };
  const all = { ...filter, ...(reroute !== undefined && { reroute }) };
  for (let at = 0; at === 0 || at < ids.length; at += replayMax) {
    const some = ids.length === 0 ? all : { ...all, ids: ids.slice(at, at + replayMax) };
    const done = await inSteps((place) => gatewayCalls(shell).inbound.replay({ ...some, ...place }), {
      onStep: (step) => {
        for (const kind of kinds) counts[kind] += step[kind];
        shell.progress?.(`${counts.replayed} replayed`);
      },
      soFar: () => (kinds.some((kind) => counts[kind] > 0) ? sentenceOf(counts) : undefined),
    });
    if (!done.ok) return done;
  }
  return ok({ json: JSON.stringify(counts), text: sentenceOf(counts) });
}

/** Says how many messages are delivered again, and why others are not. */
function sentenceOf({ replayed, rerouted, ...others }: Counts): string {
  const { waiting, withoutDestination, unmatched } = others;
  const all = replayed + waiting + withoutDestination + unmatched;
  if (all === 0) return 'no message fits: nothing is delivered again';
  const parts = [
    [waiting, 'already waits for delivery', 'already wait for delivery'],
    [
      withoutDestination,
      'belongs to an account without a webhook or login for inbound messages',
      'belong to accounts without a webhook or login for inbound messages',
    ],
    [
      unmatched,
      'is unmatched, because no account has its number or keyword',
      'are unmatched, because no account has their number or keyword',
    ],
    [rerouted, 'goes to an account that did not have it before', 'go to an account that did not have them before'],
  ] as const;
  const rest = parts.filter(([count]) => count > 0).map(([count, one, many]) => `; ${counted(count, one, many)}`);
  return `${replayed} of ${counted(all, 'message')} delivered again${rest.join('')}`;
}
