import type { AnyResult, Command, CommandOf } from '../../state/commands.ts';
import type { Journal } from '../../store/journal.ts';
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { refused, ok } from '@morsel/api/values/result.ts';
import { notificationKeptMs, startExpiringNotifications } from './expire.ts';
import { hourMs } from '@morsel/api/values/time.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { quietLog } from '../../../test/support/quiet-log.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('each batch of deletions begins where the last one ended; after a refusal the loop waits, and a stop ends it', async () => {
  const clock = TestClock.still(100 * notificationKeptMs);
  const asked: CommandOf<'forget-notifications'>[] = [];
  const answers: AnyResult[] = [ok({ last: 500, isMore: true }), ok({ last: 1_000, isMore: true })];
  const append = (command: Command): Promise<unknown> => {
    if (command.kind !== 'forget-notifications') return Promise.resolve(ok({ isMore: false }));
    asked.push(command);
    return Promise.resolve(answers.shift() ?? refused({ code: 'unavailable', detail: 'the disk is full' }));
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answers are those of the command
  const journal = { append } as unknown as Journal;
  const log = { ...quietLog, error: () => assert.fail() };
  const expiring = startExpiringNotifications({ journal, clock, log, isHeld: () => false });
  await turn();
  assert.deepEqual(
    asked.map(({ after, before }) => [after, before]),
    [0, 500, 1_000].map((after) => [after, clock.now() - notificationKeptMs]),
  );
  clock.advance(hourMs);
  await turn();
  assert.equal(asked.at(-1)?.after, 1_000);
  assert.equal(asked.length, 4);
  await expiring[Symbol.asyncDispose]();
  clock.advance(hourMs);
  assert.equal(asked.length, 4);
});
