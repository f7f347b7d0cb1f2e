/* The sentences of commands about money, prices and statements. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Gateway } from '../../src/app.ts';
import { answer, folder, morsel, served } from '../support/gateway/morsel.ts';
import { toJson } from '../support/json.ts';

describe('the wording of commands about money', () => {
  let gateway: Gateway;

  before(async () => {
    gateway = await served();
    await answer(['price', 'set', '--currency', 'EUR', '--prefix', '41', '--price', '0.01']);
    await answer(['account', 'add', 'acme', '--currency', 'EUR', '--balance', '5']);
  });
  after(() => gateway.stop());

  const bad = join(folder, 'bad.csv');
  writeFileSync(bad, '41,x\n');
  const latin = join(folder, 'latin.csv');
  writeFileSync(latin, Buffer.from('receiver,reason\n+41791234567,f\xfcr immer\n', 'latin1'));
  const wrong = join(folder, 'wrong.csv');
  writeFileSync(wrong, `receiver,reason\n079,x\n+41791234567,${'x'.repeat(201)}\n`);
  const optOut = ['--account', 'acme', '--reason', 'list'];
  const rows: readonly (readonly [words: readonly string[], status: number, sentence: RegExp])[] = [
    [['account', 'set', 'acme'], 2, /^morsel: name a setting to change: --price-list, --credit-limit, /],
    [['account', 'adjust', 'acme', '--amount', '-99999', '--reason', 'x'], 1, /^morsel: the balance would be .* below/],
    [
      ['price', 'withdraw', 'default', '--version', '1'],
      1,
      /^morsel: version 1 of price list default is its first one: import other prices instead/,
    ],
    [['price', 'base', 'default', '--base', 'default'], 2, /price list default cannot be its own base/],
    [['price', '--json'], 2, /"detail":"price needs one of these words: set, remove, list, /],
    [['price', 'show', 'x'.repeat(300)], 2, /^morsel: list must be 1 to 64 letters/],
    [['price', 'import', bad, '--list', 'default'], 2, /bad\.csv has 1 problem: no part of the file was used\n$/],
    [
      ['price', 'set', '--list', 'none', '--currency', 'EUR', '--prefix', '41', '--price', '1'],
      2,
      /list must be .*, and must not be none/,
    ],
    [
      ['price', 'set', '--prefix', '41', '--price', '1', '--effective', '2020-01-01'],
      2,
      /effective must be in the future/,
    ],
    [['account', 'top-up', 'acme', '1', '--reason', 'paid \u202e05'], 2, /reason must .* the direction of text/],
    [['optout', 'import', latin, ...optOut], 2, /latin\.csv cannot be read: the file is not UTF-8 text\n$/],
    [
      ['optout', 'import', wrong, ...optOut],
      2,
      /^morsel: \S+wrong\.csv:2: receiver: [^\n]*\nmorsel: \S+wrong\.csv:3: reason must have at most 200 characters\n/,
    ],
  ];
  for (const [words, status, sentence] of rows) {
    it(`morsel ${words.join(' ').replaceAll(`${folder}/`, '').slice(0, 80)} is refused with status ${status}`, async () => {
      const ended = await morsel(words);
      assert.match(ended.errors, sentence);
      assert.equal(ended.status, status);
    });
  }

  it('price set makes a version with its changes only, and prints the price as stored', async () => {
    const again = await morsel(['price', 'set', '--prefix', '41', '--price', ' 0.010']);
    assert.match(
      again.out,
      /^41 already costs 0\.010 a part in version 1 of price list default: no new version is made\n$/,
    );
    const free = await morsel(['price', 'set', '--prefix', '*', '--price', ' 0.5 ']);
    assert.match(free.out, /^\(any\) costs 0\.5 a part in version 2 of price list default\n$/);
    const effective = new Date(Date.now() + 3_600_000).toISOString();
    const later = ['price', 'set', '--prefix', '41', '--price', '0.02', '--effective', effective, '--yes'];
    assert.deepEqual(await answer(later), { list: 'default', version: 3, effectiveAt: effective, before: 0.01 });
    assert.match((await morsel(['price', 'show', 'default', '--at', effective])).out, /\n41 +0\.02 +EUR +default +3\n/);
    assert.match((await morsel(['price', 'show', 'default'])).out, /\n41 +0\.01 +EUR +default +2\n/);
  });

  it('statements as CSV hold nothing that a spreadsheet would execute', async () => {
    await answer(['account', 'top-up', 'acme', '1', '--reason', '=HYPERLINK("http://x")', '--actor', '@sum']);
    const { out } = await morsel(['account', 'statement', 'acme', '--csv']);
    assert.match(out, /,"'=HYPERLINK\(""http:\/\/x""\)",'@sum,/);
    assert.equal(toJson(await answer(['account', 'balance', 'acme']))['balance'], 6);
  });

  it('a count of one is in the singular', async () => {
    const one = join(folder, 'one.csv');
    writeFileSync(one, 'receiver\n+41791234567\n');
    assert.match(
      (await morsel(['optout', 'import', one, ...optOut])).out,
      /^1 receiver was added to the opt-out list of acme\n$/,
    );
    assert.match((await morsel(['optout', 'import', one, ...optOut])).out, /; 1 was already on it\n$/);
    const jane = ['--receiver', '+41791234567', '--actor', 'jane'];
    assert.equal((await morsel(['optout', 'remove', ...optOut, ...jane])).status, 0);
    assert.equal((await morsel(['optout', 'import', one, ...optOut, '--actor', 'joe'])).status, 0);
    const { out } = await morsel(['optout', 'history', '--account', 'acme']);
    assert.match(out, / joe: list\n[^\n]* jane: list\n/);
  });
});
