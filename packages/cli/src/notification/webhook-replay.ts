import { notificationKinds } from '@morsel/api/values/notification.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { call } from '../admin-client.ts';
import { usage } from '../command.ts';
import type { Command, Failure, Input, Report, Shell } from '../command.ts';
import { toRow, toRows, word } from '../table.ts';

/** Has dead letters told again, a batch after the other. */
export const webhookReplay: Command = {
  words: 'webhook replay',
  summary: 'Have dead letters told again, by whoever is to be told of such things now',
  arguments: [
    {
      name: 'notification',
      summary: 'one of them, by its id; without it, those that the options say',
      isOptional: true,
    },
  ],
  options: [
    { flags: '--account <name>', summary: 'of this account' },
    { flags: '--webhook <id>', summary: 'that this webhook was not told, removed or not' },
    { flags: '--kind <kind>', summary: 'of this kind', choices: notificationKinds },
    { flags: '--since <time>', summary: 'made not before this time, such as 2026-01-31T12:00:00Z' },
    { flags: '--until <time>', summary: 'made before this time' },
    { flags: '--all', summary: 'all there are' },
  ],
  examples: [
    ['webhook replay 4711', 'one dead letter'],
    ['webhook replay --account acme --since 2026-01-31', 'all of acme since a day'],
  ],
  run: replay,
};

async function replay(input: Input, shell: Shell): Promise<Result<Report, Failure>> {
  const isAll = input.flags.has('all');
  if (Object.keys(input.values).length === 0 && !isAll) {
    return refused(
      usage('say which dead letters: one by its id, some by an option, or --all (see morsel webhook replay --help)'),
    );
  }
  let replayed = 0;
  let left = 0;
  const stopped = new Map<string, string>();
  const told = () => sentenceOf({ replayed, left, stopped });
  for (let after = '0'; after !== '';) {
    const all = isAll ? { all: 'true' } : {};
    const reply = await call(shell, 'replayNotifications', { ...input.values, ...all, after });
    if (!reply.ok) {
      const { detail } = reply.error;
      return replayed === 0 ? reply : refused({ ...reply.error, detail: `${detail} (until then: ${told()})` });
    }
    const batch = toRow(reply.value.value);
    replayed += Number(word(batch, 'replayed'));
    left += Number(word(batch, 'left'));
    for (const row of toRows(batch['stopped'])) stopped.set(word(row, 'webhook'), word(row, 'status'));
    after = word(batch, 'next');
    if (after !== '') shell.progress?.(`${replayed} replayed`);
  }
  if (replayed > 0) shell.progress?.('');
  const webhooks = [...stopped].map(([webhook, status]) => ({ webhook, status }));
  return ok({ json: JSON.stringify({ replayed, left, stopped: webhooks }), text: told() });
}

interface Counts {
  readonly replayed: number;
  readonly left: number;
  /** By the ids of webhooks, why they are told nothing now. */
  readonly stopped: ReadonlyMap<string, string>;
}

/** What is told again, and what is not, and why. */
function sentenceOf({ replayed, left, stopped }: Counts): string {
  if (replayed + left === 0) return 'there are no such dead letters: nothing is told again';
  const letters = replayed === 1 ? 'dead letter is' : 'dead letters are';
  const parts = [`${replayed === 0 ? 'no' : replayed} ${letters} told again`];
  for (const [webhook, status] of stopped) {
    parts.push(`webhook ${webhook} is ${status}: what is for it waits until it is resumed`);
  }
  if (left > 0) {
    const stay = left === 1 ? '1 stays a dead letter' : `${left} stay dead letters`;
    const cure = 'add a webhook or a login, then replay again';
    parts.push(`${stay}, since no webhook is for such a thing now and no session may get it: ${cure}`);
  }
  return parts.join('; ');
}
