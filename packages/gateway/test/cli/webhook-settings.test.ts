import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { command, morsel } from '../support/gateway/morsel.ts';
import { Tour } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';
import { WebhookEar } from '../support/clients/webhook-ear.ts';

/* The commands for settings of webhooks: with mistakes, in any order, and after failed deliveries. */

const phone = '+41791230001';
const ours = '+41790000001';

async function withNumber(): Promise<Tour> {
  const tour = await Tour.open();
  assert.ok((await tour.operator.number.add({ account: 'acme', number: ours })).ok);
  return tour;
}

const run = (tour: Tour, words: readonly string[], input = '') => morsel(words, { dataDir: tour.dataDir, input });

async function json(tour: Tour, ...words: string[]): Promise<Record<string, unknown>> {
  const answered: Record<string, unknown> = JSON.parse(await command(tour, ...words, '--json'));
  return answered;
}

it('webhook set changes the named fields and constants, and `any` stands for all fields', async () => {
  await using tour = await withNumber();
  await using ear = await WebhookEar.open();
  const add = `webhook add acme ${ear.url} --allow 127.0.0.1 --field from=sender --field message=text`.split(' ');
  await command(tour, ...add, '--constant', 'key=abc', '--constant', 'place=here');
  const file = join(tour.dataDir, 'template.json');
  writeFileSync(file, '\uFEFF{"constants": {"key": "filed"}}');
  const text = { from: phone, message: 'Hi' };
  const rows: readonly (readonly [words: string, told: object])[] = [
    ['--constant key=new', { ...text, key: 'new', place: 'here' }],
    ['--field message=dcs', { from: phone, message: 'GSM', key: 'new', place: 'here' }],
    ['--field= --field message=text', { message: 'Hi', key: 'new', place: 'here' }],
    ['--field from=sender --without place', { ...text, key: 'new' }],
    ['--constant none', text],
    [`--template-file ${file}`, { ...text, key: 'filed' }],
    ['--constant none --constant only=1', { ...text, only: '1' }],
    ['--concurrency 3', { ...text, only: '1' }],
  ];
  for (const [at, [words, told]] of rows.entries()) {
    await command(tour, 'webhook', 'set', '1', ...words.split(' '));
    await tour.simulator.sendInbound({ from: phone, to: ours, text: 'Hi' });
    const { body } = (await ear.heard(at + 1))[at] ?? assert.fail();
    assert.deepEqual(JSON.parse(body), told, words);
  }
  const shown = await json(tour, 'webhook', 'set', '1', '--field', 'any', '--constant', 'none');
  assert.deepEqual([shown['fields'], shown['constants']], ['any', null]);
});

describe('a mistake of the operator is refused with what to do', () => {
  const url = 'https://example.com/';
  const add = `webhook add acme ${url}`;
  const file = `${add} --template-file -`;
  const rows: readonly (readonly [words: string, says: RegExp, input?: string])[] = [
    ['webhook set 1', /^morsel: name a setting to change: --url, --method, .*--allow, .*--without, --template-file\n/],
    ['webhook set 1 --without nokey', /without: the template has no field and no constant named nokey/],
    ['webhook set 1 --constant from=x', /constant: from names both a field and a constant: rename one of them/],
    ['webhook set 1 --allow=', /url: it leads to 127\.0\.0\.1, which is loopback: .* give --allow 127\.0\.0\.1/],
    ['webhook set 1 --allow none', /allow must be a list of your private networks, or "" .*; none is not allowed here/],
    [`${add} --keyword none`, /keyword must not be none: give any to match every message/],
    [`${add} --allow 10.0.0.0/8,::/0`, /allow: ::\/0 has the whole of .* give the very network/],
    [`${add} --field none`, /^morsel: field must be any for all fields, or "" and then each field to send, such as/],
    ['webhook set 1 --field any --field from=sender', /field must have no other lines beside any/],
    ['webhook set 1 --constant a=b --constant none', /constant must have none only as the first line/],
    ['webhook secret add 1 --secret-file -', /secret-file must be whsec_ followed by padded base64/, '\uFEFF\n'],
    [file, /template-file: "fields" cannot be none: any sends all fields .* name at least one/, '{"fields":"none"}'],
    ['webhook set 1 --template-file -', /template-file: "fields" is empty: any sends all/, '{"fields":{}}'],
    [file, /template-file must be valid JSON/, '\uFEFF \n'],
    [file, /template-file must be a JSON object/, 'null'],
    [file, /must have the member fr"om only once/, '{"fields":{"fr\\"om":"sender","fr\\u0022om":"text"}}'],
    [file, /: key names both a field and a constant/, '{"fields":{"key":"sender"},"constants":{"key":"x"}}'],
    [`${add} --constant key`, /constant must have lines of the form name=value/],
    [`${add} --field a=text --field a=sender`, /--field: a is given twice/],
    [`${add} --on inbound,news`, /on must be a list in which each item is one of inbound, receipt, alert/],
    [`${add} --on receipt --keyword win`, /only inbound messages/],
    [`${add} --field from=sendr`, /did you mean sender\?/],
    [`${add} --field from`, /name=field, such as from=sender: fields are type, .*sender/],
    [`${add} --number 12 --prefix 41`, /prefix must not be combined with number/],
    ['webhook replay 1 --all', /--all must not be combined with other options/],
    ['webhook replay --since 2026-02-01 --until 2026-01-01', /until must be after since/],
  ];
  it('in every setting of a webhook', async () => {
    await using tour = await withNumber();
    await command(
      tour,
      ...'webhook add acme http://127.0.0.1:8080/ --allow 127.0.0.0/8 --field from=sender --keyword x'.split(' '),
    );
    for (const [words, says, input] of rows) {
      const { status, out, errors } = await run(tour, words.split(' '), input);
      assert.deepEqual([status, out], [2, ''], `${words}: ${errors}`);
      assert.match(errors, says, words);
    }
    // The same name in two separate objects is no mistake.
    const template = '{"fields": {"a": "sender", "b": "text"}, "constants": {"c": "}{\\"a\\":", "d": "a"}}';
    const added = await run(tour, ['webhook', 'add', 'acme', url, '--template-file', '-'], template);
    assert.deepEqual([added.status, added.errors], [0, '']);
  });
});

it('a webhook for an unknown number or keyword is made, with a warning until it exists', async () => {
  await using tour = await Tour.open();
  await command(tour, 'account', 'add', 'beta', '--currency', 'EUR');
  const url = 'https://example.com/';
  for (const words of ['--number +41791112233', '--number 8811', '--prefix 4178', '--keyword win']) {
    const { status, out, errors } = await run(tour, ['webhook', 'add', 'acme', url, ...words.split(' ')]);
    assert.deepEqual([status, errors], [0, '']);
    assert.match(out, /\nwarning +webhook \d gets no inbound messages yet: /);
  }
  const warnings = [
    /yet: no account has \+41791112233: use number add$/,
    /no account has 8811: use number add/,
    /no account has numbers that begin with \+4178: use number add/,
    /acme has no number of its own, and no keyword "win" on another number: use number add or keyword add/,
  ];
  const warningOf = async (id: string) => (await json(tour, 'webhook', 'show', id))['warning'];
  for (const [at, says] of warnings.entries()) assert.match(String(await warningOf(String(at + 1))), says);
  assert.match((await run(tour, ['webhook', 'list'])).out, / \+41791112233 .*\n.* 8811 .*\n.* \+4178… .*\n.*"win"/);
  // The number belongs to another account, then it is shared without a keyword, and with one.
  await command(tour, 'number', 'add', '+41791112233', '--account', 'beta');
  assert.match(String(await warningOf('1')), /acme does not have \+41791112233, and no keyword there: see number list/);
  await command(tour, 'number', 'add', '8811', '--shared');
  assert.match(String(await warningOf('2')), /acme does not have 8811, and no keyword there/);
  await command(tour, 'keyword', 'add', '8811', 'Win', '--account', 'acme');
  assert.deepEqual([await warningOf('2'), await warningOf('4')], [undefined, undefined]);
  // A number in a range that has a longer match does not belong to the range.
  await command(tour, 'number', 'add', '+417', '--prefix', '--account', 'acme');
  assert.match(String(await warningOf('1')), /acme does not have/);
  assert.equal(await warningOf('3'), undefined);
});

describe('a notification that waits for its next try', () => {
  it('is delivered soon after the URL is corrected, and shows no next try while the webhook is paused', async () => {
    await using tour = await withNumber();
    await using ear = await WebhookEar.open();
    await using broken = await WebhookEar.open();
    broken.status = 500;
    await command(tour, 'webhook', 'add', 'acme', broken.url, '--allow', '127.0.0.1');
    for (const text of ['one', 'two', 'three']) await tour.simulator.sendInbound({ from: phone, to: ours, text });
    const tries = async (least: number) => {
      const { items } = await json(tour, 'notification', 'list');
      const all = Array.isArray(items) ? items : [];
      return all.length === 3 && all.every((each) => each['tries'] >= least) ? true : undefined;
    };
    await waitUntil('all have failed', () => tries(1));
    await command(tour, 'webhook', 'pause', '1');
    assert.match(await command(tour, 'notification', 'list'), /( waiting +1 +1 +webhook is paused +[^\n]*\n){1}/);
    assert.match(await command(tour, 'notification', 'show', '1'), /\nheld by +paused\n/);
    const held = await json(tour, 'notification', 'show', '1');
    assert.deepEqual([held['due'], held['heldBy'], held['state']], [null, 'paused', 'waiting']);
    await command(tour, 'webhook', 'resume', '1');
    await waitUntil('all have failed again', () => tries(2));
    assert.match(await command(tour, 'notification', 'show', '1'), /\ndue +\d{4}-/);
    // Now the next tries of both notifications are half a minute away.
    await command(tour, 'webhook', 'set', '1', '--url', ear.url);
    await ear.heard(3);
  });
});
