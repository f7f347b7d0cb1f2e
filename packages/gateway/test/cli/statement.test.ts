/* `morsel account statement` as a table, as CSV and as JSON. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Gateway } from '../../src/app.ts';
import { parseMicros } from '@morsel/api/values/money.ts';
import { answer, answered, morsel, served } from '../support/gateway/morsel.ts';
import { toJson } from '../support/json.ts';

describe('statements of a running gateway', () => {
  let gateway: Gateway;
  const currencies = ['JPY', 'EUR'];

  before(async () => {
    gateway = await served();
    await answer('carrier add alpha --host 127.0.0.1 --port 1 --system-id us --password x');
    await answer(['route', 'add', '--prefix', '', '--carrier', 'alpha']);
    for (const currency of currencies) {
      const list = ['--list', currency, '--currency', currency, '--prefix', ''];
      await answer(['price', 'set', ...list, '--price', currency === 'JPY' ? '12' : '0.001234']);
      const account = `--currency ${currency} --price-list ${currency} --balance 1000 --actor jane`;
      await answer(`account add ${currency} ${account}`);
      const send = `send --account ${currency} --sender Shop --receiver +41791112233 --text`;
      const long = `${send} ${'x'.repeat(200)} --client-ref order-7 --tags promo,2027:q1`;
      await answer(`message cancel ${String((await answered(long))['msgId'])}`);
      await answer(`${send} short`);
      await answer(['account', 'adjust', currency, '--amount', '-0.5', '--reason', 'say "half", a coin']);
    }
  });
  after(() => gateway.stop());

  const amounts: { readonly [currency: string]: readonly string[] } = {
    JPY: [
      'opening +0$',
      'top-up +1000 +1000 ',
      'charge +-24 +976 +1 +2 ',
      'refund +12 +988 ',
      'charge +-12 +988 ',
      'adjustment +-0\\.5 +987\\.5 ',
      'closing +987\\.5$',
    ],
    EUR: [
      'opening +0\\.00$',
      'top-up +1000\\.00 +1000\\.00 ',
      'charge +-0\\.002468 +999\\.997532 +1 +2 ',
      'adjustment +-0\\.50 +999\\.498766 ',
    ],
  };
  for (const currency of currencies) {
    it(`are exact in ${currency}, with its number of decimals, and decimal points in one column`, async () => {
      const { status, out } = await morsel(`account statement ${currency}`);
      assert.equal(status, 0);
      for (const pattern of amounts[currency] ?? []) assert.match(out, new RegExp(pattern, 'm'));
      const rows = out
        .split('\n')
        .slice(2)
        .filter((row) => row !== '');
      const balanceEnd = 93;
      const balances = rows.map((row) => row.slice(0, balanceEnd).trimEnd().split(/ +/).at(-1) ?? '');
      assert.equal(balances.length, 8);
      const places = rows.map(
        (row, at) => row.slice(0, balanceEnd).trimEnd().length - (balances[at] ?? '').replace(/^-?\d+/, '').length,
      );
      assert.equal(new Set(places).size, 1, out);
    });
  }

  it('as CSV have exact amounts that add up to the closing balance, quotes where they are needed, and messages on request', async () => {
    const { out } = await morsel('account statement EUR --csv --messages');
    const rows = out.trimEnd().split('\n');
    assert.equal(
      rows[0],
      'time,entry,kind,amount,balance,messages,parts,msgId,part,receiver,unitPrice,cost,reason,actor,key,clientRef,tags',
    );
    assert.match(rows[1] ?? '', /^,,opening,,0,/);
    assert.match(out, /,top-up,1000,1000,0,0,,,,,,opening balance,jane,,,\n/);
    assert.match(out, /,message,,999\.997532,,2,\d+,,\+41791112233,0\.001234,0\.002468,,,,order-7,"promo,2027:q1"\n/);
    assert.match(out, /,refund,0\.001234,999\.998766,1,1,\d+,1,,,,canceled,morsel,,,\n/);
    assert.match(out, /,adjustment,-0\.5,.*,"say ""half"", a coin",/);
    const cells = rows.slice(1).map((row) => row.split(','));
    const moved = cells.reduce((sum, row) => sum + micros(row[3] === '' ? '0' : row[3]), 0n);
    assert.equal(moved, micros(cells.at(-1)?.[4]));
  });

  it('name the reference and the tags of each message', async () => {
    const { out } = await morsel('account statement EUR --messages');
    assert.match(out, /^ +\d+ to \+41791112233: 2 x 0\.001234 = 0\.002468 \(order-7, promo, 2027:q1\)$/m);
    assert.match(out, /^ +\d+ to \+41791112233: 1 x 0\.001234 = 0\.001234$/m);
  });

  it('as JSON are one value, from the start time up to, but without, the end time', async () => {
    const whole = JSON.parse((await morsel('account statement EUR --json')).out);
    assert.deepEqual([whole.opening, whole.closing, whole.entries.length], [0, 999.498766, 6]);
    const third = whole.entries[2];
    const from = JSON.parse((await morsel(`account statement EUR --json --from ${third.at}`)).out);
    assert.equal(from.entries[0].at, third.at);
    const to = JSON.parse((await morsel(`account statement EUR --json --to ${third.at}`)).out);
    assert.ok(to.entries.every(({ at }: { at: string }) => at < third.at));
    assert.equal(to.closing, from.opening);
    assert.equal(toJson(await answer(`account balance EUR --at ${third.at}`))['balance'], to.closing);
    assert.equal(toJson(await answer('account balance EUR'))['balance'], 999.498766);
    const inZone = toJson(await answer('account balance EUR --at 2020-07-01 --zone Europe/Zurich'));
    assert.equal(inZone['at'], '2020-06-30T22:00:00.000Z');
    await answer('account set EUR --time-zone Asia/Kathmandu');
    assert.equal(toJson(await answer('account balance EUR --at 2020-07-01'))['at'], '2020-06-30T18:15:00.000Z');
  });

  const refusals: readonly (readonly [words: string, sentence: RegExp])[] = [
    ['account statement EUR --from 2026-02-30', /from must be a day and a time of day that exist/],
    ['account statement EUR --from 2026-02-20 --to 2026-02-20', /to must be later than from/],
    ['account statement EUR --csv --json', /give --json or --csv, not both/],
  ];
  for (const [words, sentence] of refusals) {
    it(`are refused: ${words}`, async () => {
      const { status, errors } = await morsel(words.split(' '));
      assert.notEqual(status, 0);
      assert.match(errors, sentence);
    });
  }
});

function micros(text = ''): bigint {
  const read = parseMicros(text);
  return read.ok ? read.value : assert.fail(`${text} is no amount`);
}
