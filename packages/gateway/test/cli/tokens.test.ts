import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dayMs } from '@morsel/api/values/time.ts';
import type { Gateway } from '../../src/app.ts';
import { makeLog } from '../../src/runtime/log.ts';
import { startOn } from '../support/gateway/gateway.ts';
import { toJson } from '../support/json.ts';
import { answer, answered, dataDir, morsel, served } from '../support/gateway/morsel.ts';
import { TestClock } from '../support/test-clock.ts';

/* The commands for tokens. Each test has an account of its own at one gateway. */

const account = (name: string) => answer(`account add ${name} --currency EUR --balance 100`);

async function usage(words = ''): Promise<unknown[][]> {
  const { items } = await answered(`token usage busy${words}`);
  return Array.isArray(items) ? items.map((each) => Object.values(toJson(each))) : [];
}

describe('the commands for tokens', () => {
  let gateway: Gateway;
  let log = '';
  const clock = TestClock.flowing();
  const secrets: string[] = [];
  before(async () => {
    gateway = await served({ clock, log: makeLog('info', { write: (line) => void (log += line) }) });
  });
  after(async () => {
    await gateway.stop();
    for (const secret of secrets) assert.ok(!log.includes(secret), 'no token is in the log');
  });

  async function balance(auth: string): Promise<Response> {
    return fetch(`http://127.0.0.1:${gateway.httpPort}/sms/balance?auth=${auth}`);
  }

  it('token rotate makes a token with the same limits, and ends the old token at once or later', async () => {
    await account('rotated');
    const limits = '--scopes balance --from 127.0.0.0/8 --expires 2999-12-31';
    const first = await answered(`token add rotated ${limits}`);
    const second = await answered(`token rotate ${String(first['id'])} --after 1h`);
    assert.deepEqual([second['account'], second['former']], ['rotated', first['id']]);
    assert.equal(second['expiresAt'], '2999-12-31T00:00:00.000Z');
    for (const { token: each } of [first, second]) assert.equal((await balance(String(each))).status, 200);
    const inAnHour = Date.parse(String(second['formerEndsAt'])) - Date.now();
    assert.ok(inAnHour > 3_500_000 && inAnHour <= 3_600_000);
    // The command names the token itself, but sends only the token's id.
    const third = await answered(`token rotate ${String(second['token'])}`);
    assert.deepEqual(
      await Promise.all([first, second, third].map(async (each) => (await balance(String(each['token']))).status)),
      [200, 401, 200],
    );
    const fourth = await morsel(`token rotate ${String(third['id'])} --after 1h`);
    assert.match(fourth.out, /\nThe token is shown only this once\. It belongs to account rotated until 2999-12-31T/);
    assert.match((await morsel(`token rotate ${String(second['id'])}`)).errors, /is revoked: make a new token with/);
  });

  it('token revoke ends a token by the token itself, which is not sent', async () => {
    await account('ended');
    const { token } = await answered('token add ended');
    const third = await answered('token add ended');
    assert.deepEqual(await answer(`token revoke ${String(third['token'])}`), { id: third['id'] });
    assert.equal((await balance(String(third['token']))).status, 401);
    const mistyped = `${String(token).slice(0, 9)}x${String(token).slice(9)}`;
    const { status, errors } = await morsel(`token revoke ${mistyped}`);
    assert.equal(status, 2);
    assert.doesNotMatch(errors, new RegExp(String(token).slice(-20)));
  });

  it('token usage counts requests and messages by token and day, and forgets none when the gateway stops', async () => {
    // The clock goes to just after midnight, so that the day does not end during the test.
    clock.advance(dayMs - (clock.now() % dayMs));
    await account('busy');
    await answer('carrier add away --host 127.0.0.1 --port 1 --system-id a --password b');
    await answer('route add --prefix 41 --carrier away');
    await answer('price set --currency EUR --prefix 41 --price 0.01');
    const send = async (token: unknown, receiver: string) => {
      const body = JSON.stringify({ auth: token, sender: 'Shop', receiver, text: 'hello', dcs: 'GSM' });
      const headers = { 'Content-Type': 'application/json' };
      return (await fetch(`http://127.0.0.1:${gateway.httpPort}/sms/send`, { method: 'POST', headers, body })).status;
    };
    assert.match((await morsel('token usage busy')).out, /^no token was used\n$/);
    const [first, second] = [await answered('token add busy'), await answered('token add busy')];
    assert.deepEqual(
      await Promise.all(['+41791112233', '+41791112234'].map((to) => send(first['token'], to))),
      [200, 200],
    );
    assert.equal(await send(first['token'], 'nobody'), 400, 'a request, and no message');
    assert.equal((await balance(String(second['token']))).status, 200);
    const date = () => new Date(clock.now()).toISOString().slice(0, 10);
    const [day, one, other] = [date(), String(first['id']), String(second['id'])];
    clock.advance(dayMs);
    assert.equal(await send(first['token'], '+41791112235'), 200);
    const yesterday = [
      [day, 'busy', one, 3, 2],
      [day, 'busy', other, 1, 0],
    ];
    const wanted = [[date(), 'busy', one, 1, 1], ...(one > other ? yesterday : yesterday.toReversed())];
    assert.deepEqual(await usage(), wanted);
    await gateway.stop();
    gateway = await startOn(dataDir, { clock });
    assert.deepEqual(await usage(), wanted);
  });
});
