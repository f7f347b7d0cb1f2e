/* Refusals, questions and reports of the commands for prices: currencies, thresholds, future versions, removal. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Gateway } from '../../src/app.ts';
import { answer, folder, morsel, served, wordsIn, type Words } from '../support/gateway/morsel.ts';
import { toJson } from '../support/json.ts';

const needsYes = 'nothing was changed; repeat the command with --yes to make the change';
const later = new Date(Date.now() + 3_600_000).toISOString();

function fileOf(name: string, content: string): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

function removeAll(list: string): ReturnType<typeof morsel> {
  return morsel(`price remove --list ${list} --all --yes`);
}

describe('the terms of price imports', () => {
  let gateway: Gateway;
  const same = fileOf('same.csv', '41,0.01\n42,0.02\n43,0.03\n');

  before(async () => {
    gateway = await served();
    await answer('price set --currency EUR --prefix 41 --price 0.01');
    await answer(`price import ${same} --list er --currency EUR --yes`);
    await answer(`price import ${same} --list usd --currency USD --yes`);
    await answer(`price import ${same} --list pending --currency EUR --yes`);
    const raised = fileOf('raised.csv', '41,0.02\n');
    await answer(`price import ${raised} --list pending --effective ${later} --yes`);
    await answer('account add acme --currency EUR --balance 5');
  });
  after(() => gateway.stop());

  const empty = fileOf('empty.csv', '');
  const latin = join(folder, 'latin.csv');
  writeFileSync(latin, Buffer.from('receiver,reason\n+41791234567,f\xfcr immer\n', 'latin1'));
  const wrong = fileOf('wrong.csv', `receiver,reason\n079,x\n+41791234567,${'x'.repeat(201)}\n`);
  const bad = fileOf('bad.csv', '41,0.01\n42,1e-3\n41,0.02\n');
  const rows: readonly (readonly [words: Words, status: number, sentence: RegExp])[] = [
    // A price change over the threshold asks a question, which needs a terminal.
    [
      'price set --list usd --prefix 4179 --price 0.75',
      1,
      /^morsel: 4179 costs 0\.01 USD a part \(the price of 41\), and would cost 0\.75 \(\+7400 %\): nothing was changed; repeat/,
    ],
    [
      `price set --list usd --prefix 41 --price 0.011 --threshold 5 --effective ${later}`,
      1,
      /0\.011 \(\+10 %\): nothing/,
    ],
    ['price set --list usd --prefix 41 --price 0', 2, /price must not be 0 without --allow-free/],
    ['price set --list usd --prefix 41 --price 1 --threshold x', 2, /threshold: /],
    ['price set --prefix 41 --price 1 --effective 2020-01-01', 2, /effective must be in the future/],
    ['price set --list none --currency EUR --prefix 41 --price 1', 2, /list must be .*, and must not be none/],
    // Currency, base and effective time are checked even if no price differs.
    [
      `price import ${same} --list er --currency USD --yes`,
      2,
      /^morsel: --currency: price list er is in EUR, not USD\n$/,
    ],
    [`price import ${same} --list er --base default --yes`, 1, /the base of price list er is not default: change/],
    [`price import ${same} --list er --effective 2026-01-01 --yes`, 2, /effective must be in the future/],
    // The file was not written to its end.
    [
      `price import ${empty} --list er --replace --yes`,
      2,
      /file must have prices: add --allow-empty if this is intended/,
    ],
    [
      `price import ${bad} --list default`,
      2,
      /bad\.csv:2: .*\n.*bad\.csv:3: .*\n.*has 2 problems: no part of the file/,
    ],
    [`price import ${bad} --list default --json`, 2, /usage",.*"line":2.*"line":3/],
    // Two contradicting options are refused.
    ['price show er --version 1 --at 2026-01-01', 2, /at must not be given together with version/],
    ['price export er --version 1 --at 2026-01-01', 2, /at must not be given together with version/],
    ['price remove --list er --all --prefix 41', 2, /all/],
    ['price remove --list er', 2, /prefix/],
    ['price diff er usd', 1, /er is in EUR, and usd in USD: their prices cannot be compared/],
    [
      'price withdraw default --version 1',
      1,
      /^morsel: version 1 of price list default is its first one: import other/,
    ],
    [
      'price remove --list usd --prefix 43',
      1,
      /^morsel: 43 costs 0\.03 USD a part in price list usd, then it has no price, and messages to its numbers are/,
    ],
    // A balance cannot be shown for a future time.
    ['account balance acme --at 0001-01-01', 2, /at must be in the years/],
    [`account statement acme --from ${later}`, 2, /from must be a time in the past/],
    ['carrier cost any --from 2026-01-02 --to 2026-01-02', 2, /to must be later than from/],
    [`account balance acme --at ${later}`, 2, /at must be a time in the past/],
    [`carrier cost any --from ${later}`, 2, /from must be a time in the past/],
    ['account set acme', 2, /^morsel: name a setting to change: --price-list, --credit-limit, /],
    ['account adjust acme --amount -99999 --reason x', 1, /^morsel: the balance would be .* below/],
    [['account', 'top-up', 'acme', '1', '--reason', 'paid \u202e05'], 2, /reason must .* the direction of text/],
    [
      `optout import ${latin} --account acme --reason list`,
      2,
      /latin\.csv cannot be read: the file is not UTF-8 text\n$/,
    ],
    [
      `optout import ${wrong} --account acme --reason list`,
      2,
      /^morsel: \S+wrong\.csv:2: receiver: [^\n]*\nmorsel: \S+wrong\.csv:3: reason must have at most 200 characters\n/,
    ],
  ];
  for (const [words, status, sentence] of rows) {
    it(`refuses ${wordsIn(words).join(' ').replaceAll(`${folder}/`, '').slice(0, 80)} with status ${status}`, async () => {
      const ended = await morsel(words);
      assert.match(ended.errors, sentence);
      assert.deepEqual([ended.status, ended.out], [status, '']);
    });
  }

  it('an import shows its changes, makes them only with --yes, and reads the files of export', async () => {
    await answer('price set --list deck --currency EUR --prefix 41 --price 0.0075');
    const words = `price import ${fileOf('deck.csv', '*,0.05\n41,0.0075\n4179,0.000001\n')} --list deck --replace`;
    const preview = await morsel(words);
    assert.match(preview.out, /\nnew 2, up 0, down 0, removed 0, unchanged 1\n[^]*\nnothing was changed/);
    assert.match((await morsel(`${words} --yes --dry-run`)).out, /\nnothing was changed, because of --dry-run\n$/);
    assert.match((await morsel(`${words} --yes`)).out, /\nversion 2 of price list deck takes effect at 20/);
    const { out: exported } = await morsel('price export deck');
    assert.equal(exported, 'prefix,price\n*,0.05\n41,0.0075\n4179,0.000001\n');
    const again = await morsel('price import - --list deck --replace --yes', { input: exported });
    assert.match(again.out, /no price differs: no new version is made/);
    assert.match((await morsel('price diff deck --from 1')).out, /\n\(any\) +- +0\.05 +new\n/);
    const first = await morsel('price show deck --version 1');
    assert.match(first.out, /^PREFIX [^\n]*\n41 +0\.0075 +EUR +deck +1\n$/);
  });

  it('refuse an import that removes most of a list, after a warning', async () => {
    const short = fileOf('short.csv', '41,0.01\n');
    const words = ['price', 'import', short, '--list', 'er', '--replace'];
    const preview = await morsel(words);
    assert.equal(preview.status, 0);
    assert.match(
      preview.out,
      /\nthis would be refused even with --yes: price list er would lose 2 of its 3 prices, more than 50 %; /,
    );
    const held = await morsel([...words, '--yes', '--json']);
    assert.equal(held.status, 1);
    assert.match(held.errors, /"detail":"nothing was changed: price list er would lose 2 of its 3 prices/);
    assert.match((await morsel('price export er')).out, /\n43,0\.03\n$/);
    assert.equal((await morsel([...words, '--yes', '--max-removed', '70'])).status, 0);
    const emptied = await morsel(`price import ${empty} --list er --replace --allow-empty --yes`);
    assert.match(emptied.out, /\nversion 3 of price list er takes effect/);
    assert.equal((await morsel('price export er')).out, 'prefix,price\n');
  });

  it('price set shows the old price, and asks before a change over the threshold', async () => {
    await answer(`price import ${same} --list asked --currency EUR --yes`);
    const words = ['price', 'set', '--list', 'asked', '--prefix', '41'];
    const small = await morsel([...words, '--price', '0.015'], { confirm: () => assert.fail('nothing to ask') });
    assert.equal(small.out, '41 costs 0.015 a part in version 2 of price list asked, and 0.01 before (+50 %)\n');
    const large = [...words, '--price', '0.15'];
    const no = await morsel(large, { confirm: async () => false });
    assert.deepEqual([no.status, no.out], [1, '']);
    const question = '41 costs 0.015 EUR a part, and would cost 0.15 (+900 %). Set the price?';
    const yes = await morsel(large, { confirm: async (asked) => asked === question });
    assert.match(yes.out, /^41 costs 0\.15 a part in version 3 of price list asked, and 0\.015 before \(\+900 %\)\n$/);
    const script = [...words, '--price', '15', '--yes'];
    assert.deepEqual(await answer(script), { list: 'asked', version: 4, before: 0.15 });
  });

  it('price set makes no version for the price that a list has, and tells which version changes it later', async () => {
    const words = 'price set --list pending --prefix 41 --price';
    const now = await morsel(`${words} 0.010`);
    assert.match(
      now.out,
      /^41 already costs 0\.010 a part in version 1 of price list pending: no new version is made\n$/,
    );
    assert.equal(
      (await morsel(`${words} 0.012`)).out,
      `41 costs 0.012 a part in version 3 of price list pending, and 0.01 before (+20 %)\nversion 2 takes effect at ${later} with another price for 41: 0.02 a part\n`,
    );
  });

  it('price remove makes a version without a price, and prints the price that applies then', async () => {
    const words = ['price', 'remove', '--list', 'own', '--prefix', '4179'];
    const own = fileOf('own.csv', '41,0.02\n4179,0.03\n');
    await answer(`price import ${own} --list own --currency EUR --base default --yes`);
    const would = await morsel(words);
    const sentence =
      '4179 costs 0.03 EUR a part in price list own, then it costs 0.02 EUR, the price of 41 in list own';
    assert.deepEqual(would, { status: 1, out: '', errors: `morsel: ${sentence}: ${needsYes}\n` });
    const no = await morsel(words, { confirm: async () => false });
    assert.deepEqual(no, { status: 1, out: '', errors: `morsel: ${sentence}: nothing was changed\n` });
    const done = await morsel(words, { confirm: async (question) => question === `${sentence}. Remove the price?` });
    assert.match(done.out, /\nversion 2 takes effect at /);
    assert.equal((await morsel('price export own')).out, 'prefix,price\n41,0.02\n');
    assert.match((await morsel(words)).errors, /price list own itself has no price for prefix 4179/);
  });

  it('price remove --all removes an unused list and frees its name; for a used list it names the users', async () => {
    await answer('price set --list below --currency EUR --prefix 41 --price 0.01');
    await answer(`price import ${same} --list above --currency EUR --base below --yes`);
    await answer('account add payer --currency EUR --balance 1 --price-list above');
    const login = '--host 127.0.0.1 --port 1 --system-id us --password x --cost-list above';
    await answer(['carrier', 'add', 'dear', ...login.split(' ')]);
    assert.match(
      (await removeAll('below')).errors,
      /^morsel: price list below is still used: by price list above \(its base is below/,
    );
    const used = await removeAll('above');
    assert.match(used.errors, /is still used: by account payer \(give the account another .*\); by carrier dear \(/);
    assert.equal(used.status, 1);
    await answer('account set payer --price-list default');
    await answer('carrier set dear --cost-list none');
    assert.deepEqual(await answer('price remove --list above --all --yes'), {
      list: 'above',
      applied: true,
    });
    assert.equal((await removeAll('below')).out, 'price list below is removed\n');
    const { items } = toJson(await answer('price list'));
    assert.ok(
      Array.isArray(items) && items.every((list) => !['above', 'below'].includes(String(toJson(list)['list']))),
    );
    await answer('price set --list above --currency USD --prefix 41 --price 9');
  });

  it('statements as CSV hold nothing that a spreadsheet would execute', async () => {
    await answer('account top-up acme 1 --reason =HYPERLINK("http://x") --actor @sum');
    const { out } = await morsel('account statement acme --csv');
    assert.match(out, /,"'=HYPERLINK\(""http:\/\/x""\)",'@sum,/);
    assert.equal(toJson(await answer('account balance acme'))['balance'], 6);
  });
});
