/* `privacy export` writes each row with a number as one line of JSON, whatever its texts are. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { toJson } from '../support/json.ts';
import { morsel } from '../support/gateway/morsel.ts';
import { Tour } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';

const phone = '+41791230077';
const ours = '+41790000001';
const hostile = `</td><script>alert(1)</script><img src=x onerror='a()'>&lt; "q" \u202egnp.exe\nlast`;

describe('privacy export', () => {
  let tour: Tour;
  before(async () => {
    tour = await Tour.open({ account: { balance: '100.215' } });
    const fields = { receiver: phone, text: hostile, dcs: 'UCS', clientRef: `'"><b>ref` };
    await tour.event(await tour.accept(fields), 'delivered');
    for (const words of [
      ['number', 'add', ours, '--account', 'acme'],
      ['optout', 'add', '--account', 'acme', '--receiver', phone, '--reason', '<i>letter</i>'],
    ]) {
      assert.equal((await morsel(words, tour)).status, 0);
    }
    await tour.simulator.sendInbound({ from: phone, to: ours.replace('+', ''), text: '<h1>Where?</h1>' });
    await waitUntil('it came', async () => (await morsel('inbound list', tour)).out.includes(phone));
  });
  after(() => tour[Symbol.asyncDispose]());

  it('writes the rows of every table, with their texts as they are', async () => {
    const { status, out, errors } = await morsel(['privacy', 'export', '--receiver', phone], tour);
    assert.deepEqual([status, errors], [0, '']);
    const rows = out
      .trimEnd()
      .split('\n')
      .map((line) => toJson(JSON.parse(line)));
    const tables = [...new Set(rows.map(({ table }) => String(table)))];
    assert.deepEqual(tables.toSorted(), ['cdr', 'inbound', 'message', 'opt_out', 'opt_out_event', 'reference']);
    const rowOf = (name: string) => toJson(rows.find(({ table }) => table === name)?.['row']);
    const { text, totalCost, balanceAfter, currency } = rowOf('message');
    assert.deepEqual([text, totalCost, balanceAfter, currency], [hostile, '15000', '100200000', 'EUR']);
    assert.equal(rowOf('opt_out')['account'], 'acme');
  });
});
