import assert from 'node:assert/strict';
import { it } from 'node:test';
import { networkOf } from '@morsel/smpp';
import { minuteMs } from '@morsel/api/values/time.ts';
import { gateway } from '../../../test/support/gateway/admin-api.ts';
import { done } from '../../../test/support/done.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { operatorCalls } from '../../edge/admin/handlers.ts';
import { Passwords, signInChecks } from './passwords.ts';
import { SignInGuard } from './sign-in-guard.ts';
import { setOwnPassword } from '../../edge/admin/access/operators.ts';
import { machineRandom } from '../../runtime/random.ts';

/* A sign-in guard with a clock of its own, and the operators and passwords of a real gateway. */

const right = 'correct horse battery';
const cheap = { cost: 1_024, block: 8, lanes: 1 };

/** Makes a guard, and an operator with a password. `signIn` returns the answer to a sign-in from an address. */
async function guarded(operator: string) {
  done(await operatorCalls(gateway.operator).operator.add({ operator, role: 'viewer' }));
  const clock = TestClock.still();
  const passwords = new Passwords({
    random: machineRandom,
    // No check waits for too long, however far the clock goes while it runs.
    monotonicMs: TestClock.still().monotonicMs,
    cost: cheap,
    checks: signInChecks,
  });
  const caller = { ...gateway.operator.caller, name: operator };
  done(await setOwnPassword({ ...gateway.operator, passwords, caller }, right, null));
  const guard = new SignInGuard({ reader: gateway.operator.reader, clock, passwords, networkOf });
  const signIn = async (password: string, address: string): Promise<string> => {
    const checked = await guard.inTurn(address, () => guard.check({ operator, password }, address));
    return checked.ok ? 'ok' : checked.error.code;
  };
  /** Moves the clock until each sign-in has its answer, because refusals are delayed. */
  const all = async (signIns: readonly Promise<string>[]): Promise<readonly string[]> => {
    let isOver = false;
    const answers = Promise.all(signIns).finally(() => (isOver = true));
    await clock.advanceUntil('all are answered', () => isOver, 10_000);
    return answers;
  };
  /** Sends ten wrong passwords, one after the other. */
  const guessTen = async (address: string): Promise<string> => {
    for (let at = 0; at < 10; at += 1) assert.equal(await signIn(`wrong ${at}`, address), 'unauthorized');
    return address;
  };
  return { clock, signIn, all, guessTen };
}

it('guesses from one address are checked one at a time, and no other address waits for them', async () => {
  const { signIn, all } = await guarded('waits');
  const guesses = Array.from({ length: 5 }, (_, at) => signIn(`wrong ${at}`, '192.0.2.1'));
  assert.equal(await signIn(right, '192.0.2.1'), 'too_many_tries');
  assert.equal(await signIn(right, '2001:db8::1'), 'ok', 'the clock stands still, so all guesses are under way');
  guesses.push(...Array.from({ length: 5 }, (_, at) => signIn(`wrong ${at}`, `2001:db8:0:1::${at}`)));
  assert.equal(await signIn(right, '2001:db8:0:1::9'), 'too_many_tries', 'a /64 network counts as one address');
  assert.deepEqual(new Set(await all(guesses)), new Set(['unauthorized']));
  assert.equal(await signIn(right, '192.0.2.1'), 'ok');
});

it('ten wrong passwords for an operator block an address, and a hundred block all unusual addresses', async () => {
  const { clock, signIn, all, guessTen } = await guarded('wrong');
  assert.equal(await signIn(right, '192.0.2.2'), 'ok');
  clock.advance(20 * minuteMs);
  await all([guessTen('192.0.2.1')]);
  assert.deepEqual(await all([signIn(right, '192.0.2.1')]), ['too_many_tries'], 'the password is not even checked');
  assert.equal(await signIn(right, '192.0.2.3'), 'ok', 'one address locks nobody out');
  clock.advance(20 * minuteMs);
  assert.equal(await signIn(right, '192.0.2.1'), 'ok', 'a quarter of an hour is over');
  clock.advance(20 * minuteMs);
  await all(Array.from({ length: 10 }, (_, at) => guessTen(`198.51.100.${at}`)));
  assert.deepEqual(await all([signIn(right, '192.0.2.4')]), ['too_many_tries']);
  assert.equal(await signIn(right, '192.0.2.2'), 'ok', 'the operator signed in from here before');
});

it('behind a limit, a remembered password is refused like a wrong one: late, and later each time', async () => {
  const { clock, signIn, all, guessTen } = await guarded('remembered');
  assert.equal(await signIn(right, '192.0.2.1'), 'ok');
  await all([guessTen('192.0.2.1')]);
  const refusalMs = async (password: string): Promise<number> => {
    const beganMs = clock.monotonicMs();
    assert.deepEqual(await all([signIn(password, '192.0.2.1')]), ['too_many_tries']);
    return clock.monotonicMs() - beganMs;
  };
  const [ofRight, ofWrong] = [await refusalMs(right), await refusalMs('wrong')];
  assert.ok(ofRight >= 8_000 && ofRight === ofWrong, `${ofRight} ms and ${ofWrong} ms`);
  assert.equal(await signIn(right, '192.0.2.2'), 'ok', 'no other address waits');
});
