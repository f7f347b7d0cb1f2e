import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { minuteMs } from '@morsel/api/values/time.ts';
import { owaspCost, Passwords } from './passwords.ts';
import { machineRandom } from '../../runtime/random.ts';

const network = '192.0.2.1';

/** The cost of hashes in earlier versions. */
const earlier = { cost: 16_384, block: 8, lanes: 1 };
/** Cheap hashes: their strength is not tested here. */
const cheap = { ...earlier, cost: 1_024 };

function made(cost = cheap) {
  const clock = { ms: 0 };
  return { clock, passwords: new Passwords({ random: machineRandom, monotonicMs: () => clock.ms, cost }) };
}

describe('passwords', () => {
  it('are right or wrong by their hash, and two hashes of the same password differ', async () => {
    const { passwords } = made();
    const [hash, other] = await Promise.all([passwords.hash('secret12'), passwords.hash('secret12')]);
    assert.notDeepEqual(hash.hash, other.hash);
    assert.equal(await passwords.check({ user: 'a', hash, password: 'secret12' }, network), 'right');
    assert.equal(await passwords.check({ user: 'a', hash, password: 'secret13' }, network), 'wrong');
    assert.equal(await passwords.check({ user: 'a', hash, password: '' }, network), 'wrong');
    assert.equal(await passwords.check({ user: 'b', hash: undefined, password: 'secret12' }, network), 'wrong');
  });

  it('cost what OWASP recommends, and older, cheaper hashes still work', async () => {
    const equallyStrong = [
      [131_072, 1],
      [65_536, 2],
      [32_768, 3],
      [16_384, 5],
      [8_192, 10],
    ].map(([cost, lanes]) => ({ cost, block: 8, lanes }));
    assert.ok(equallyStrong.some((each) => isDeepStrictEqual(each, owaspCost)));
    const { passwords } = made(owaspCost);
    const { cost, block, lanes } = await passwords.hash('secret12');
    assert.deepEqual({ cost, block, lanes }, owaspCost);
    const hash = await made(earlier).passwords.hash('secret12');
    assert.equal(await passwords.check({ user: 'a', hash, password: 'secret12' }, network), 'right');
    assert.equal(await passwords.check({ user: 'a', hash, password: 'secret13' }, network), 'wrong');
  });

  it('that were right are remembered for a quarter of an hour, for the same hash', async () => {
    const { clock, passwords } = made();
    const claimed = { user: 'a', hash: await passwords.hash('secret12'), password: 'secret12' };
    assert.equal(passwords.isKnown(claimed), false);
    await passwords.check(claimed, network);
    assert.equal(passwords.isKnown(claimed), true);
    assert.equal(passwords.isKnown({ ...claimed, password: 'secret13' }), false);
    assert.equal(passwords.isKnown({ ...claimed, user: 'b' }), false);
    assert.equal(passwords.isKnown({ ...claimed, hash: await passwords.hash('secret12') }), false, 'it was set anew');
    clock.ms += 15 * minuteMs;
    assert.equal(passwords.isKnown(claimed), false);
  });

  it('beyond the waiting limit are not checked, and the event loop goes on', async () => {
    const { clock, passwords } = made();
    const busy: string[] = [];
    const claims = Array.from({ length: 300 }, (_, at) => ({ user: 'a', hash: undefined, password: String(at) }));
    const checks = claims.map(async (claim) => {
      if ((await passwords.check(claim, network)) === 'busy') busy.push(claim.password);
    });
    await new Promise(setImmediate);
    assert.deepEqual(busy.length, 300 - 250 - 2, 'two are computed, and the event loop goes on');
    clock.ms += 6_000;
    await Promise.all(checks);
    assert.deepEqual(busy.length, 298, 'who waited for too long is given up');
  });

  it('of a new network take the place of networks with the most waiting checks, which must try again', async () => {
    const { clock, passwords } = made();
    const verdicts = { flood: new Map<number, string>(), newcomer: new Map<number, string>() };
    const check = async (from: 'flood' | 'newcomer', at: number) => {
      const claim = { user: 'a', hash: undefined, password: `${from} ${at}` };
      verdicts[from].set(at, await passwords.check(claim, from));
    };
    const checks = Array.from({ length: 252 }, (_, at) => check('flood', at));
    checks.push(check('newcomer', 0));
    await new Promise(setImmediate);
    assert.deepEqual([...verdicts.flood], [[251, 'busy']], 'the newest');
    await checks.at(-1);
    assert.equal(verdicts.newcomer.get(0), 'wrong', 'it was looked at');
    clock.ms += 6_000;
    await Promise.all(checks);
    assert.equal(verdicts.flood.size, 252, 'each is answered');
  });

  it('that an operator sets are hashed while binds wait for their turn', async () => {
    const { clock, passwords } = made();
    const claims = Array.from({ length: 200 }, (_, at) => ({ user: 'a', hash: undefined, password: String(at) }));
    let looked = 0;
    const checks = claims.map(async (claim) => {
      await passwords.check(claim, network);
      looked += 1;
    });
    const hashes = await Promise.all([passwords.hash('secret12'), passwords.hash('secret13')]);
    assert.ok(looked < 100, `${looked} went before them`);
    clock.ms += 6_000;
    await Promise.all(checks);
    const [hash] = hashes;
    assert.equal(await passwords.check({ user: 'a', hash, password: 'secret12' }, network), 'right');
  });

  it('that are being checked are reported as under way, until there is a result', async () => {
    const { passwords } = made();
    const claim = { user: 'a', hash: undefined, password: 'secret12' };
    assert.equal(passwords.isUnderWay(claim), false);
    const check = passwords.check(claim, network);
    assert.equal(passwords.isUnderWay(claim), true);
    assert.equal(passwords.isUnderWay({ ...claim, password: 'secret13' }), false);
    await check;
    assert.equal(passwords.isUnderWay(claim), false);
  });
});
