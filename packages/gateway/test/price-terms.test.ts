import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { anyPorts, answer, folder, morsel, running, stop, toJson } from './morsel.ts';
import type { Running } from './morsel.ts';

const later = new Date(Date.now() + 3_600_000).toISOString();
const soon = new Date(Date.now() + 1_800_000).toISOString();

function fileOf(name: string, content: string): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

function removeAll(list: string): ReturnType<typeof morsel> {
  return morsel(['price', 'remove', '--list', list, '--all', '--yes']);
}

describe('what is said of prices', () => {
  let gateway: Running;
  const same = fileOf('same.csv', '41,0.01\n42,0.02\n43,0.03\n');
  const empty = fileOf('empty.csv', '');
  const heading = fileOf('heading.csv', 'prefix,price\n');

  before(async () => {
    gateway = await running(['serve'], anyPorts);
    await answer(['price', 'set', '--currency', 'EUR', '--prefix', '41', '--price', '0.01']);
    await answer(['price', 'import', same, '--list', 'er', '--currency', 'EUR', '--yes']);
    await answer(['price', 'import', same, '--list', 'usd', '--currency', 'USD', '--yes']);
    await answer(['price', 'import', same, '--list', 'pending', '--currency', 'EUR', '--yes']);
    const raised = fileOf('raised.csv', '41,0.02\n');
    await answer(['price', 'import', raised, '--list', 'pending', '--effective', later, '--yes']);
    await answer(['account', 'add', 'acme', '--currency', 'EUR']);
  });
  after(() => stop(gateway));

  const versionWaits = /version 2 of price list pending takes effect at [^\n]*: withdraw it first, with price withdraw/;
  const otherCurrency = /^morsel: currency: price list er is in EUR, not USD\n$/;
  const raisedToo = fileOf('raised-too.csv', '41,0.02\n42,0.02\n43,0.03\n');
  const isNoPrice = /empty\.csv has no price: say --allow-empty if that is meant\n$/;
  const rows: readonly (readonly [words: readonly string[], status: number, sentence: RegExp])[] = [
    // What is to hold before a version that is still to come is no matter of what that version says.
    [['price', 'import', raisedToo, '--list', 'pending', '--yes'], 1, versionWaits],
    [['price', 'import', raisedToo, '--list', 'pending'], 1, versionWaits],
    [['price', 'import', raisedToo, '--list', 'pending', '--effective', soon, '--yes'], 1, versionWaits],
    [['price', 'set', '--list', 'pending', '--prefix', '41', '--price', '0.02'], 1, versionWaits],
    // Terms hold whether anything differs or not.
    [['price', 'import', same, '--list', 'er', '--currency', 'USD', '--yes'], 1, otherCurrency],
    [
      ['price', 'import', same, '--list', 'er', '--base', 'default', '--yes'],
      1,
      /er does not stand on default: change/,
    ],
    [
      ['price', 'import', same, '--list', 'er', '--effective', '2026-01-01', '--yes'],
      1,
      /effective: .* a time to come/,
    ],
    [['price', 'import', same, '--list', 'new', '--currency', 'EUR', '--base', 'none-such'], 1, /no price list named/],
    // A file that was not written to its end.
    [['price', 'import', empty, '--list', 'er', '--replace', '--yes'], 1, isNoPrice],
    [['price', 'import', empty, '--list', 'er', '--yes'], 1, isNoPrice],
    [['price', 'import', heading, '--list', 'er', '--replace', '--yes'], 1, /heading\.csv has no price/],
    // Of two options that say different things none is chosen.
    [
      ['price', 'diff', 'er', 'default', '--file', same],
      2,
      /with another list or version, or with --file, not with both/,
    ],
    [['price', 'diff', 'er', '--to', '1', '--file', same], 2, /not with both/],
    [['price', 'diff', 'er', '--mapping', same], 2, /about a file: name it with --file/],
    [['price', 'show', 'er', '--version', '1', '--at', '2026-01-01'], 2, /at: either a version or a time/],
    [['price', 'export', 'er', '--version', '1', '--at', '2026-01-01'], 2, /at: either a version or a time/],
    [['price', 'diff', 'er', 'usd'], 1, /er is in EUR, and usd in USD: their prices cannot be compared/],
    // What is still to come is not what was.
    [['account', 'balance', 'acme', '--at', later], 2, /at: it is still to come/],
    [['account', 'balance', 'acme', '--at', '0001-01-01'], 2, /at: it has to be of the years/],
    [['account', 'balance', 'acme', '--at', '2025-02-29'], 2, /at: there is no such day/],
    [['account', 'statement', 'acme', '--from', later], 2, /from: it is still to come/],
    [['account', 'statement', 'acme', '--from', '2025-02-30T00:00:00Z'], 2, /from: there is no such day/],
    [['carrier', 'cost', 'any', '--from', later], 2, /from: it is still to come/],
    [['carrier', 'cost', 'any', '--from', '2026-01-02', '--to', '2026-01-02'], 2, /to: it has to be later than from/],
    [['carrier', 'cost', 'any', '--from', '2026-02-30'], 2, /from: there is no such day/],
    [['token', 'add', 'acme', '--expires', '2027-02-29T00:00:00Z'], 2, /expires: there is no such day/],
    [['price', 'show', 'er', '--at', '2027-02-29'], 2, /at: there is no such day/],
    [['price', 'import', same, '--list', 'er', '--effective', '2027-02-29'], 2, /effective: there is no such day/],
  ];
  for (const [words, status, sentence] of rows) {
    it(`refuses ${words.join(' ').replaceAll(`${folder}/`, '')} with status ${status}`, async () => {
      const ended = await morsel(words);
      assert.match(ended.errors, sentence);
      assert.deepEqual([ended.status, ended.out], [status, '']);
    });
  }

  it('holds an import back that removes most of a list, and says so before', async () => {
    const short = fileOf('short.csv', '41,0.01\n');
    const words = ['price', 'import', short, '--list', 'er', '--replace'];
    const preview = await morsel(words);
    assert.equal(preview.status, 0);
    assert.match(
      preview.out,
      /\nheld back also with --yes: price list er would lose 2 of its 3 prices, more than 50 %; /,
    );
    const held = await morsel([...words, '--yes', '--json']);
    assert.equal(held.status, 1);
    assert.deepEqual([toJson(JSON.parse(held.out))['applied'], toJson(JSON.parse(held.out))['removed']], [null, 2]);
    assert.match(held.errors, /"detail":"nothing was changed: price list er would lose 2 of its 3 prices/);
    assert.match((await morsel(['price', 'export', 'er'])).out, /\n43,0\.03\n$/);
    assert.equal((await morsel([...words, '--yes', '--max-removed', '70'])).status, 0);
    const emptied = await morsel(['price', 'import', empty, '--list', 'er', '--replace', '--allow-empty', '--yes']);
    assert.match(emptied.out, /\nversion 3 of price list er takes effect/);
    assert.equal((await morsel(['price', 'export', 'er'])).out, 'prefix,price\n');
  });

  it('price remove takes a price out of a list as a new version, and says before what holds then', async () => {
    const words = ['price', 'remove', '--list', 'own', '--prefix', '4179'];
    const own = fileOf('own.csv', '41,0.02\n4179,0.03\n');
    await answer(['price', 'import', own, '--list', 'own', '--currency', 'EUR', '--base', 'default', '--yes']);
    const would = await morsel(words);
    const sentence = '4179 costs 0.03 EUR a part in price list own, then 0.02 EUR, by 41 of list own';
    assert.deepEqual([would.status, would.out], [0, `${sentence}: nothing was changed; --yes makes it so\n`]);
    assert.match((await morsel(words, { confirm: async () => false })).out, /nothing was changed/);
    const done = await morsel(words, { confirm: async (question) => question === `${sentence}. Remove the price?` });
    assert.match(done.out, /\nversion 2 takes effect at /);
    assert.equal((await morsel(['price', 'export', 'own'])).out, 'prefix,price\n41,0.02\n');
    const again = await morsel(words);
    assert.match(again.errors, /price list own has no price of its own for prefix 4179/);
    assert.equal(again.status, 1);
    // What its base says of the same prefix holds then, and without a base nothing does.
    const next = ['price', 'remove', '--list', 'own', '--prefix', '41', '--yes', '--effective', later];
    const removed = toJson(await answer(next));
    assert.deepEqual([removed['before'], removed['after']], ['0.02', '0.01']);
    const last = await morsel(['price', 'remove', '--list', 'usd', '--prefix', '43']);
    assert.match(
      last.out,
      /^43 costs 0\.03 USD a part in price list usd, then nothing: messages to its numbers are refused/,
    );
  });

  it('price remove --all removes a list that nothing uses, frees its name, and says who uses one that is in use', async () => {
    await answer(['price', 'set', '--list', 'below', '--currency', 'EUR', '--prefix', '41', '--price', '0.01']);
    await answer(['price', 'import', same, '--list', 'above', '--currency', 'EUR', '--base', 'below', '--yes']);
    await answer(['account', 'add', 'payer', '--currency', 'EUR', '--balance', '1', '--price-list', 'above']);
    const login = '--host 127.0.0.1 --port 1 --system-id us --password x --cost-list above';
    await answer(['carrier', 'add', 'dear', ...login.split(' ')]);
    assert.match(
      (await removeAll('below')).errors,
      /^morsel: price list below is still used: by price list above \(it stands on below/,
    );
    const used = await removeAll('above');
    assert.match(used.errors, /is still used: by account payer \(give it another .*\); by carrier dear \(/);
    assert.equal(used.status, 1);
    // What was charged by it keeps the price and the list that it was charged by.
    await answer(['route', 'add', '--prefix', '41', '--carrier', 'dear']);
    const message = ['--account', 'payer', '--sender', 'Shop', '--receiver', '+41791112233', '--text', 'Hi'];
    const { msgId } = toJson(await answer(['send', ...message]));
    await answer(['account', 'set', 'payer', '--price-list', 'default']);
    await answer(['carrier', 'set', 'dear', '--cost-list', 'none']);
    assert.deepEqual(await answer(['price', 'remove', '--list', 'above', '--all', '--yes']), {
      list: 'above',
      applied: true,
    });
    assert.equal((await removeAll('below')).out, 'price list below is removed\n');
    const lists = await answer(['price', 'list']);
    assert.ok(
      Array.isArray(lists) && lists.every((list) => !['above', 'below'].includes(String(toJson(list)['list']))),
    );
    const { priceList, unitPrice } = toJson(await answer(['message', 'show', String(msgId)]));
    assert.ok(/^above \(removed \d+\)$/.test(String(priceList)) && unitPrice === 0.01, String(priceList));
    await answer(['price', 'set', '--list', 'above', '--currency', 'USD', '--prefix', '41', '--price', '9']);
    assert.equal((await morsel(['ledger', 'check'])).status, 0);
    for (const words of [['--all', '--prefix', '41'], []]) {
      assert.equal((await morsel(['price', 'remove', '--list', 'er', ...words])).status, 2);
    }
  });
});
