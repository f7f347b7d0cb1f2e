import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { minuteMs } from '../core/time.ts';
import { Passwords } from './passwords.ts';

function made() {
  const clock = { ms: 0 };
  return { clock, passwords: new Passwords({ random: randomBytes, monotonicMs: () => clock.ms }) };
}

describe('passwords', () => {
  it('are right or wrong by their hash, and hashes of one are never alike', async () => {
    const { passwords } = made();
    const [hash, other] = await Promise.all([passwords.hash('secret12'), passwords.hash('secret12')]);
    assert.notDeepEqual(hash.hash, other.hash);
    assert.equal(await passwords.check({ systemId: 'a', hash, password: 'secret12' }), 'right');
    assert.equal(await passwords.check({ systemId: 'a', hash, password: 'secret13' }), 'wrong');
    assert.equal(await passwords.check({ systemId: 'a', hash, password: '' }), 'wrong');
    assert.equal(await passwords.check({ systemId: 'b', hash: undefined, password: 'secret12' }), 'wrong');
  });

  it('that were right are known for a quarter of an hour, with the hash that they were right by', async () => {
    const { clock, passwords } = made();
    const claimed = { systemId: 'a', hash: await passwords.hash('secret12'), password: 'secret12' };
    assert.equal(passwords.isKnown(claimed), false);
    await passwords.check(claimed);
    assert.equal(passwords.isKnown(claimed), true);
    assert.equal(passwords.isKnown({ ...claimed, password: 'secret13' }), false);
    assert.equal(passwords.isKnown({ ...claimed, systemId: 'b' }), false);
    assert.equal(passwords.isKnown({ ...claimed, hash: await passwords.hash('secret12') }), false, 'it was set anew');
    clock.ms += 15 * minuteMs;
    assert.equal(passwords.isKnown(claimed), false);
  });

  it('that are wrong are never known, and the wrong one of many at once is told apart', async () => {
    const { passwords } = made();
    const hash = await passwords.hash('secret12');
    const claims = ['secret12', 'secret13', 'secret12', 'secret13'];
    const verdicts = await Promise.all(claims.map((password) => passwords.check({ systemId: 'a', hash, password })));
    assert.deepEqual(verdicts, ['right', 'wrong', 'right', 'wrong']);
    assert.equal(passwords.isKnown({ systemId: 'a', hash, password: 'secret13' }), false);
  });

  it('beyond those that may wait are not looked at, while the event loop goes on', async () => {
    const { clock, passwords } = made();
    const busy: string[] = [];
    const claims = Array.from({ length: 300 }, (_, at) => ({ systemId: 'a', hash: undefined, password: String(at) }));
    const checks = claims.map(async (claim) => {
      if ((await passwords.check(claim)) === 'busy') busy.push(claim.password);
    });
    await new Promise(setImmediate);
    assert.deepEqual(busy.length, 300 - 250 - 2, 'two are computed, and the event loop goes on');
    clock.ms += 6_000;
    await Promise.all(checks);
    assert.deepEqual(busy.length, 298, 'who waited for too long is given up');
  });

  it('that waited for longer than a bind has time are not looked at either', async () => {
    const { clock, passwords } = made();
    const claims = ['1', '2', '3', '4'].map((password) => ({ systemId: 'a', hash: undefined, password }));
    const verdicts = claims.map((claim) => passwords.check(claim));
    clock.ms += 6_000;
    assert.deepEqual(await Promise.all(verdicts), ['wrong', 'wrong', 'busy', 'busy']);
  });
});
