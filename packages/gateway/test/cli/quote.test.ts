/* `morsel quote`, and `morsel send --key`. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Gateway } from '../../src/app.ts';
import { answer, morsel, served } from '../support/gateway/morsel.ts';
import { toJson } from '../support/json.ts';

const to = '--sender Shop --receiver +41791234567';
const message = `--account acme ${to}`;

describe('quote and send --key', { concurrency: false }, () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await served();
    const carrier = '--host 127.0.0.1 --port 1 --system-id us --password secret';
    await answer(`carrier add alpha ${carrier}`);
    await answer('route add --prefix 41 --carrier alpha');
    await answer('price set --list default --currency EUR --prefix 417 --price 0.008');
    await answer('account add acme --currency EUR --balance 0.02');
  });
  after(() => gateway.stop());

  it('send --key sends once, and reports a replay', async () => {
    const words = `send ${message} --text Hello --key invoice-7`;
    const first = toJson(await answer(words));
    assert.equal(first['clientBalance'], 0.012);
    assert.deepEqual(await answer(words), { ...first, isReplayed: true });
    const quoted = toJson(await answer(words.replace('send', 'quote')));
    assert.deepEqual([quoted['isReplay'], quoted['balanceAfter']], [true, 0.012]);
    assert.match(
      (await morsel(words)).out,
      /^message \d+ was already accepted with this key: 1 part for 0\.008 EUR, with/,
    );
  });

  it('print for people all figures of a refusal that programs get', async () => {
    const long = `--text ${'x'.repeat(400)}`;
    const broke = await morsel(`send ${message} ${long}`);
    assert.equal(
      broke.errors,
      'morsel: the balance does not cover the cost of the message: it costs 0.024 EUR, and the balance is 0.012 EUR\n',
    );
    await answer('account set acme --day-cap 0.01');
    const capped = await morsel(`send ${message} --text x`);
    assert.match(
      capped.errors,
      /for this day: it costs 0\.008 EUR, 0\.008 of 0\.01 EUR are spent, and the day ends at 20\S+T00:00:00Z\n$/,
    );
  });

  it('send is refused for an account that is suspended', async () => {
    await answer('account suspend acme');
    const { status, errors } = await morsel(`send ${message} --text x`);
    assert.deepEqual([status, errors], [1, 'morsel: the account is suspended and cannot send: use account resume\n']);
  });

  it('name the margin as the reason for no carrier to the operator', async () => {
    await answer('price set --list costs --currency EUR --prefix 41 --price 0.0079');
    await answer('carrier set alpha --cost-list costs');
    await answer('account add thrifty --currency EUR --balance 1');
    await answer('account set thrifty --margin-min 10% --below-margin refuse');
    for (const verb of ['send', 'quote']) {
      const { status, errors } = await morsel(`${verb} --account thrifty ${to} --text x`);
      assert.equal(status, 1);
      assert.match(
        errors,
        /leaves a margin below 10%, and account thrifty refuses such messages .*: see route explain/,
      );
    }
  });
});
