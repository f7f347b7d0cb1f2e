import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ok } from '@morsel/api/values/result.ts';
import type { Journal } from '../../store/journal.ts';
import { LastBinds } from './last-binds.ts';
import { TestClock } from '../../../test/support/test-clock.ts';

it('the first bind is written at once, and the binds of the next second in one commit', async () => {
  const written: string[][] = [];
  const append = async (command: { binds: readonly { user: string }[] }) => {
    written.push(command.binds.map(({ user }) => user));
    return ok(null);
  };
  // The test appends only touch-logins.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const journal = { append: append as unknown as Journal['append'] };
  {
    await using binds = new LastBinds({ journal, clock: TestClock.still() });
    binds.note('one');
    assert.deepEqual(written, [['one']]);
    for (const name of ['two', 'three', 'two']) binds.note(name);
    assert.deepEqual(written, [['one']]);
  }
  assert.deepEqual(written, [['one'], ['two', 'three']], 'nothing is lost by a stop');
});
