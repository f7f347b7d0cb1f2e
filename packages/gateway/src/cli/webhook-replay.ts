import { noticeKinds } from '../core/notice.ts';
import { ok, refused } from '../core/result.ts';
import type { Result } from '../core/result.ts';
import { call } from './admin-client.ts';
import { usage } from './command.ts';
import type { Command, Failure, Input, Report, Shell } from './command.ts';
import { toRow, word } from './table.ts';

/** Has dead letters told again, a batch after the other. */
export const webhookReplay: Command = {
  words: 'webhook replay',
  summary: 'Have dead letters told again, by whoever is to be told of such things now',
  arguments: [
    { name: 'notice', summary: 'one of them, by its id; without it, those that the options say', isOptional: true },
  ],
  options: [
    { flags: '--account <name>', summary: 'of this account' },
    { flags: '--webhook <id>', summary: 'that this webhook was not told, removed or not' },
    { flags: '--kind <kind>', summary: 'of this kind', choices: noticeKinds },
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
  for (let after = '0'; after !== '';) {
    const all = isAll ? { all: 'true' } : {};
    const reply = await call(shell, 'replayNotices', { ...input.values, ...all, after });
    if (!reply.ok) {
      const { detail } = reply.error;
      return replayed === 0
        ? reply
        : refused({ ...reply.error, detail: `${detail} (until then: ${sentenceOf(replayed, left)})` });
    }
    const batch = toRow(reply.value.value);
    replayed += Number(word(batch, 'replayed'));
    left += Number(word(batch, 'left'));
    after = word(batch, 'next');
    if (after !== '') shell.progress?.(`${replayed} replayed`);
  }
  if (replayed > 0) shell.progress?.('');
  return ok({ json: JSON.stringify({ replayed, left }), text: sentenceOf(replayed, left) });
}

/** What is tried again, and what is not, and why. */
function sentenceOf(replayed: number, left: number): string {
  if (replayed + left === 0) return 'there are no such dead letters: nothing is told again';
  const again = replayed === 1 ? 'is told again' : 'are told again';
  const done = `${replayed === 0 ? 'no' : replayed} ${replayed === 1 ? 'dead letter' : 'dead letters'} ${again}`;
  if (left === 0) return done;
  const stay = left === 1 ? '1 stays a dead letter' : `${left} stay dead letters`;
  const cure = 'add a webhook or a login, then replay again';
  return `${done}; ${stay}, since no webhook is for such a thing now and no session may get it: ${cure}`;
}
