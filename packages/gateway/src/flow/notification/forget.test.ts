import assert from 'node:assert/strict';
import { it } from 'node:test';
import { refused, ok } from '@morsel/api/values/result.ts';
import type { AnyResult, Command, CommandOf, ResultOf } from '../../store/commands/commands.ts';
import { forgetNotifications, notificationKeptMs } from './forget.ts';

it('batch follows batch from where the last ended; it waits after a refusal, and ends when it is stopped', async () => {
  const now = 100 * notificationKeptMs;
  const asked: CommandOf<'forget-notifications'>[] = [];
  const stopping = new AbortController();
  const answers: AnyResult[] = [ok({ last: 500, isMore: true }), ok({ last: 1_000, isMore: true })];
  function append<K extends Command['kind']>(command: CommandOf<K>): Promise<ResultOf<K>>;
  async function append(command: Command): Promise<AnyResult> {
    await Promise.resolve();
    if (command.kind === 'forget-notifications') asked.push(command);
    return (
      answers.shift() ??
      (setImmediate(() => stopping.abort()), refused({ code: 'unavailable', detail: 'the disk is full' }))
    );
  }
  await forgetNotifications({ journal: { append }, clock: { now: () => now }, isHeld: () => false }, stopping.signal);
  assert.deepEqual(
    asked.map(({ after, before }) => [after, before]),
    [0, 500, 1_000].map((after) => [after, now - notificationKeptMs]),
  );
});
