/* The page that `privacy export` writes for people: names, local times, amounts, and no text that a browser runs. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { hourMs } from '@morsel/api/values/time.ts';
import { exportedTables } from '@morsel/api/admin/privacy/exported.ts';
import { toJson } from '../support/json.ts';
import { morsel } from '../support/gateway/morsel.ts';
import { Tour } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';

const phone = '+41791230077';
const ours = '+41790000001';
const hostile = `</td><script>alert(1)</script><img src=x onerror='a()'>&lt; "q" \u202egnp.exe\nlast`;

describe('privacy export --page', () => {
  let tour: Tour;
  let file: string;
  before(async () => {
    tour = await Tour.open({ account: { balance: '100.215' } });
    file = join(tour.dataDir, 'answer.html');
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

  const run = (...words: readonly string[]) => morsel(['privacy', 'export', '--receiver', phone, ...words], tour);

  it('has names, local times with their zone, and amounts in the currency', async () => {
    const { status, out, errors } = await run('--page', file, '--time-zone', 'Asia/Kolkata');
    assert.deepEqual([status, errors], [0, '']);
    const rows = out
      .trimEnd()
      .split('\n')
      .map((line) => toJson(JSON.parse(line)));
    const page = readFileSync(file, 'utf8');
    const tables = [...new Set(rows.map(({ table }) => String(table)))];
    assert.deepEqual(tables.toSorted(), ['cdr', 'inbound', 'message', 'opt_out', 'opt_out_event', 'reference']);
    for (const table of tables) assert.ok(page.includes(`<h2>${exportedTables[table]?.title} (`), table);
    const { acceptedAt } = toJson(rows.find(({ table }) => table === 'message')?.['row']);
    const local = new Date(Number(acceptedAt) + 5.5 * hourMs).toISOString().replace(/T(.*)\..*/, ' $1');
    assert.ok(page.includes(`<td dir="auto">${local} GMT+05:30</td>`), local);
    assert.match(page, />total cost<\/th><td dir="auto">0\.015 EUR</);
    assert.match(page, />balance after<\/th><td dir="auto">100\.20 EUR</);
    const optOut = toJson(rows.find(({ table }) => table === 'opt_out')?.['row']);
    assert.equal(optOut['account'], 'acme');
    assert.match(page, />carrier<\/th><td dir="auto">alpha</);
  });

  it('escapes texts that a browser would interpret', () => {
    const page = readFileSync(file, 'utf8');
    assert.doesNotMatch(page, /<(?:script|img|b>|i>|h1>Where)|\u202e|onerror='/);
    assert.ok(
      page.includes(
        '&lt;/td&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=&#39;a()&#39;&gt;&amp;lt; &quot;q&quot; \\u{202e}gnp.exe\nlast',
      ),
    );
    assert.match(page, /Content-Security-Policy" content="default-src 'none'/);
  });

  it('refuses an existing file and an unknown time zone', async () => {
    const again = await run('--page', file);
    assert.deepEqual([again.status, again.out], [2, '']);
    assert.match(again.errors, /answer\.html exists already: name a new file/);
    const nowhere = await run('--page', `${file}.2`, '--time-zone', 'Mars/Base');
    assert.match(nowhere.errors, /time-zone must be a time zone such as UTC/);
  });
});
