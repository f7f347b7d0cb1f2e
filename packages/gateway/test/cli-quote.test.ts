import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { answer, anyPorts, morsel, running, stop, toJson } from './morsel.ts';
import type { Running } from './morsel.ts';

const message = ['--account', 'acme', '--sender', 'Shop', '--receiver', '+41791234567'];

describe('quote and send --key', { concurrency: false }, () => {
  let gateway: Running;
  before(async () => {
    gateway = await running(['serve'], anyPorts);
    const carrier = ['--host', '127.0.0.1', '--port', '1', '--system-id', 'us', '--password', 'secret'];
    await answer(['carrier', 'add', 'alpha', ...carrier]);
    await answer(['route', 'add', '--prefix', '41', '--carrier', 'alpha']);
    await answer(['price', 'set', '--list', 'default', '--currency', 'EUR', '--prefix', '417', '--price', '0.008']);
    await answer(['account', 'add', 'acme', '--currency', 'EUR', '--balance', '0.02']);
  });
  after(async () => {
    assert.equal((await stop(gateway)).status, 0);
  });

  it('quote shows price, price list, route, carriers and balance', async () => {
    assert.deepEqual(await answer(['quote', ...message, '--text', 'Привет']), {
      numParts: 1,
      encoding: 'UCS',
      ucsCount: 6,
      ucsCharacters: Array.from('Привет', (character, position) => ({ character, position })),
      unitPrice: 0.008,
      totalCost: 0.008,
      clientBalance: 0.02,
      balanceAfter: 0.012,
      isCovered: true,
      isReplay: false,
      clientCurrency: 'EUR',
      routePrefix: '41',
      routeSender: null,
      routeEncoding: null,
      carriers: ['alpha'],
      priceList: 'default',
      priceVersion: 1,
      pricePrefix: '417',
    });
  });

  it('quote reads well', async () => {
    const { status, out } = await morsel(['quote', ...message, '--text', `${'x'.repeat(160)}😀\u001b`]);
    assert.equal(status, 0);
    assert.match(out, /^parts +3 in UCS; GSM has no 😀 at 160, \S+ at 161\n/u);
    assert.match(out, /\nprice +0\.008 EUR a part: 417 of default, version 1\n/);
    assert.match(out, /\nroute +41 through alpha\n/);
    assert.match(out, /\nbalance +0\.02 EUR\nleft +-0\.004 EUR: the balance does not suffice\n$/);
    assert.ok(!out.includes('\u001b'));
  });

  it('quote is refused as send is, with the option that is at fault', async () => {
    const wrong = ['--account', 'acme', '--sender', 'Shop', '--receiver', '12', '--text', 'x'];
    const [quoted, sent] = [await morsel(['quote', ...wrong]), await morsel(['send', ...wrong])];
    assert.deepEqual([quoted.status, quoted.errors], [2, sent.errors]);
    assert.match((await morsel(['quote', '--text', 'x'])).errors, /quote needs --account/);
  });

  it('send --key sends once, and says so', async () => {
    const words = ['send', ...message, '--text', 'Hello', '--key', 'invoice 7'];
    const first = toJson(await answer(words));
    assert.equal(first['clientBalance'], 0.012);
    assert.deepEqual(await answer(words), { ...first, isReplayed: true });
    const { out } = await morsel(words);
    const quoted = toJson(await answer(['quote', ...words.slice(1)]));
    assert.deepEqual([quoted['isReplay'], quoted['balanceAfter']], [true, 0.012]);
    const card = (await morsel(['quote', ...words.slice(1)])).out;
    assert.match(card, /\ncost +nothing more: this was accepted before, under this key, for 0\.008 EUR\n/);
    assert.match(out, /^message \d+ was accepted before, under this key: 1 part for 0\.008 EUR, which left 0\.012 EUR/);
    const other = await morsel(['send', ...message, '--text', 'Bye', '--key', 'invoice 7', '--json']);
    assert.equal(other.status, 1);
    assert.match(other.errors, /"code":"idempotency_conflict"/);
  });
});
