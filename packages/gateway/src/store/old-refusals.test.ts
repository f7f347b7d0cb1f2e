import assert from 'node:assert/strict';
import { it } from 'node:test';
import { toMessageId } from '../core/base/message-id.ts';
import type { Command } from '../state/commands.ts';
import { OldRefusals } from './old-refusals.ts';

const cancel = (account: number): Command => ({ kind: 'cancel', at: 0, account, message: toMessageId(1) });
const seeClock: Command = { kind: 'see-clock', at: 0, isForced: false };

function numbersOf(refusals: OldRefusals): readonly number[] {
  return refusals.take(100).map(({ number }) => number);
}

it('the refused commands of an account are decided again at once, and then all together after a rest', async () => {
  const woken = Promise.withResolvers<void>();
  const refusals = new OldRefusals(woken.resolve);
  refusals.hold([cancel(1), cancel(2), cancel(1)]);
  assert.deepEqual(numbersOf(refusals), [0, 2, 1]);
  for (const command of [cancel(1), seeClock, cancel(1), cancel(3)]) refusals.hold([command]);
  assert.deepEqual(numbersOf(refusals), [4, 6], 'what belongs to no account that rests');
  await woken.promise;
  assert.deepEqual(numbersOf(refusals), [3, 5]);
  refusals.hold([cancel(1)]);
  assert.equal(refusals.isDue, false, 'the account rests again');
});

it('held new work can be given up', () => {
  const refusals = new OldRefusals(() => undefined);
  refusals.hold([cancel(1), seeClock]);
  refusals.hold([cancel(1)]);
  assert.deepEqual(refusals.refuseNewWork(), [0, 2]);
  assert.deepEqual(numbersOf(refusals), [1]);
});
