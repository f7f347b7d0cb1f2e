import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { operatorCalls } from '../../src/edge/admin/handlers.ts';
import { morsel } from '../support/gateway/morsel.ts';
import { Tour } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';
import { WebhookEar } from '../support/clients/webhook-ear.ts';

/* The commands for settings of webhooks: with mistakes, in any order, and after failed deliveries. */

const phone = '+41791230001';
const ours = '+41790000001';

async function withNumber(): Promise<Tour> {
  const tour = await Tour.open();
  assert.ok((await operatorCalls(tour.gateway.operator).number.add({ account: 'acme', number: ours })).ok);
  return tour;
}

const run = (tour: Tour, words: readonly string[], input = '') => morsel(words, { dataDir: tour.dataDir, input });

async function command(tour: Tour, ...words: string[]): Promise<string> {
  const { status, out, errors } = await run(tour, words);
  assert.deepEqual([status, errors], [0, ''], words.join(' '));
  return out;
}

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
  const rows: readonly (readonly [words: string, says: RegExp, input?: string])[] = [
    ['webhook set 1', /^morsel: name a setting to change: --url, --method, .*--allow, .*--without, --template-file\n/],
    ['webhook set 1 --secret-file x', /unknown option --secret-file/],
    ['webhook set 1 --without nokey', /without: the template has no field and no constant named nokey/],
    ['webhook set 1 --constant from=x', /constant: from names both a field and a constant: rename one of them/],
    ['webhook set 1 --allow=', /url: it leads to 127\.0\.0\.1, which is loopback: .* give --allow 127\.0\.0\.1/],
    [
      'webhook set 1 --allow none',
      /allow must be a list of your private networks, or "" to allow only public addresses; none is not allowed here/,
    ],
    [
      `webhook add acme ${url} --allow any`,
      /allow must be a list of your private networks, .*; any is not allowed here/,
    ],
    [`webhook add acme ${url} --keyword none`, /keyword must not be none: give any to match every message/],
    [`webhook add acme ${url} --allow 0.0.0.0/0`, /allow: 0\.0\.0\.0\/0 has the whole of .* give the very network/],
    [`webhook add acme ${url} --allow 10.0.0.0/8,::/0`, /allow: ::\/0 has the whole of/],
    [`webhook add acme ${url} --allow 128.0.0.0/1`, /allow: 128\.0\.0\.0\/1 has the whole of/],
    [
      'webhook set 1 --field none',
      /^morsel: field must be any for all fields, or "" and then each field to send, such as from=sender\n$/,
    ],
    ['webhook set 1 --field any --field from=sender', /field must have no other lines beside any/],
    ['webhook set 1 --field=', /field must be any for all fields, or "" and then each field/],
    [`webhook add acme ${url} --field none`, /field must be any for all fields/],
    [
      `webhook add acme ${url} --template-file -`,
      /template-file: "fields" cannot be none: any sends all fields .* name at least one/,
      '{"fields":"none"}',
    ],
    [`webhook add acme ${url} --template-file -`, /template-file: "fields" is empty: any sends all/, '{"fields":{}}'],
    ['webhook set 1 --template-file -', /template-file: "fields" is empty: any sends all/, '{"fields":{}}'],
    ['webhook set 1 --constant a=b --constant none', /constant must have none only as the first line/],
    ['webhook secret add 1 --secret-file -', /secret-file must be whsec_ followed by padded base64/, '\uFEFF\n'],
    [`webhook add acme ${url} --template-file -`, /template-file must be valid JSON/, ''],
    [`webhook add acme ${url} --template-file -`, /template-file must be valid JSON/, '\uFEFF \n'],
    [`webhook add acme ${url} --template-file -`, /template-file must be valid JSON/, '{"fields": }'],
    [`webhook add acme ${url} --template-file -`, /template-file must be a JSON object/, 'null'],
    [
      `webhook add acme ${url} --template-file -`,
      /template-file must have the member from only once/,
      '{"fields":{"from":"sender","from":"text"}}',
    ],
    [
      `webhook add acme ${url} --template-file -`,
      /must have the member fr"om only once/,
      '{"fields":{"fr\\"om":"sender","fr\\u0022om":"text"}}',
    ],
    [
      `webhook add acme ${url} --template-file -`,
      /must have the member fields only once/,
      '{"fields":{"a":"sender"},"fields":{"b":"text"}}',
    ],
    [
      `webhook add acme ${url} --template-file -`,
      /template-file: key names both a field and a constant: rename one of them/,
      '{"fields":{"key":"sender"},"constants":{"key":"x"}}',
    ],
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
  const rows: readonly (readonly [words: string, says: RegExp])[] = [
    [
      '--number +41791112233',
      /\nwarning +webhook \d gets no inbound messages yet: no account has \+41791112233: use number add\n/,
    ],
    ['--number 8811', /no account has 8811: use number add/],
    ['--prefix 4178', /no account has numbers that begin with \+4178: use number add/],
    [
      '--keyword win',
      /acme has no number of its own, and no keyword "win" on another number: use number add or keyword add/,
    ],
  ];
  for (const [words, says] of rows) {
    const { status, out, errors } = await run(tour, ['webhook', 'add', 'acme', url, ...words.split(' ')]);
    assert.deepEqual([status, errors], [0, '']);
    assert.match(out, says);
    assert.match(out, /^webhook +\d\n/);
  }
  assert.match(await command(tour, 'webhook', 'list'), /"win".*\n.*/);
  const warningOf = async (id: string) => (await json(tour, 'webhook', 'show', id))['warning'];
  assert.equal(
    await warningOf('1'),
    'webhook 1 gets no inbound messages yet: no account has +41791112233: use number add',
  );
  assert.equal((await json(tour, 'webhook', 'show', '1'))['number'], '+41791112233');
  assert.equal((await json(tour, 'webhook', 'show', '3'))['prefix'], '+4178');
  assert.match((await run(tour, ['webhook', 'list'])).out, / \+41791112233 .*\n.* 8811 .*\n.* \+4178… /);
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

  it('without a webhook is shown as waiting for a session', async () => {
    await using tour = await withNumber();
    await command(tour, 'smpp-login', 'add', 'acme');
    await tour.simulator.sendInbound({ from: phone, to: ours, text: 'Hello' });
    await waitUntil(
      'it waits',
      async () => /when a session is bound/.test(await command(tour, 'notification', 'list')) || undefined,
    );
    const shown = await json(tour, 'notification', 'show', '1');
    assert.deepEqual([shown['due'], shown['heldBy'], shown['state']], [null, 'session', 'waiting']);
  });

  it('is delivered by a replay once its webhook is resumed, and the replay says so', async () => {
    await using tour = await withNumber();
    await command(tour, 'webhook', 'add', 'acme', 'https://example.com/');
    await command(tour, 'webhook', 'pause', '1');
    for (const text of ['one', 'two']) await tour.simulator.sendInbound({ from: phone, to: ours, text });
    const list = () => command(tour, 'notification', 'list', '--state', 'waiting');
    await waitUntil('both wait', async () =>
      (await list()).match(/webhook is paused/g)?.length === 2 ? true : undefined,
    );
    await command(tour, 'webhook', 'remove', '1');
    assert.match(
      await command(tour, 'webhook', 'replay', '--all'),
      /^0 dead letters are replayed; 2 stay dead letters, because no webhook or session gets .*then replay again\n$/,
    );
    await command(tour, 'webhook', 'add', 'acme', 'https://example.com/', '--keyword', 'one');
    await command(tour, 'webhook', 'pause', '2');
    assert.match(
      await command(tour, 'webhook', 'replay', '--all'),
      /^1 dead letter is replayed; webhook 2 is paused: its notifications wait until the webhook is resumed; 1 stays a dead letter, /,
    );
    for (const [words, says] of [
      ['1 --all', /--all must not be combined with other options/],
      ['--since 2026-02-01 --until 2026-01-01', /until must be after since/],
    ] as const) {
      const { status, errors } = await run(tour, ['webhook', 'replay', ...words.split(' ')]);
      assert.equal(status, 2);
      assert.match(errors, says);
    }
  });
});

it('the help of webhook set shows no defaults, because only webhook add has them', async () => {
  const [add, set] = [await morsel('webhook add --help'), await morsel('webhook set --help')];
  assert.match(add.out, /\(default:\s+post-json\)[^]*\(default:\s+64\)/);
  assert.doesNotMatch(set.out, /\(default(?!: you\))|--secret-file/);
});
