import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { start as startHere } from '@morsel/cli/start.ts';
import { readConfig } from '../../src/config.ts';
import { openOperatorKey } from '../../src/edge/admin/operator-files.ts';
import { answer, bound, dataDir, folder, morsel, running, start } from '../support/morsel.ts';
import { waitUntil } from '../support/wait-until.ts';
import type { Child } from '../support/child.ts';
import { anyPorts } from '../support/child.ts';
import { toJson } from '../support/json.ts';

describe('the commands, one after the other', () => {
  let gateway: Child;
  let carrier: Child;
  const journal = join(folder, 'carrier.jsonl');
  const password = 'pa55-phrase';
  let token = '';
  let msgId = '';
  /** Of the gateway, until it was ended. */
  let log = '';

  before(async () => {
    const words = `simulate --port 0 --system-id us --password ${password} --receipt-delay-ms 10 --journal`;
    carrier = await running([...words.split(' '), journal]);
    gateway = await running(['serve']);
  });

  after(async () => {
    await gateway.stop();
    assert.equal((await carrier.stop()).status, 0);
  });

  it('serve and simulate say where they listen', () => {
    assert.equal(gateway.ready['ready'], true);
    for (const port of [gateway.ready['httpPort'], gateway.ready['adminPort'], carrier.ready['port']]) {
      assert.ok(typeof port === 'number' && port > 0);
    }
    assert.equal(gateway.ready['dataDir'], dataDir);
    assert.equal(statSync(dataDir).mode & 0o777, 0o700);
    for (const file of ['operator-key', 'morsel.db', 'morsel.db-wal', 'admin-address']) {
      assert.equal(statSync(join(dataDir, file)).mode & 0o077, 0, file);
    }
  });

  it('lists are empty at first', async () => {
    for (const words of [
      ['account', 'list'],
      ['carrier', 'list'],
      ['route', 'list'],
      ['price', 'list'],
      ['message', 'find'],
    ]) {
      assert.deepEqual(await answer(words), [], words.join(' '));
      const { status, out } = await morsel(words);
      assert.equal(status, 0);
      assert.match(out, /^there are no /);
    }
    assert.deepEqual(await answer(['token', 'list']), { items: [], next: null });
    assert.equal((await morsel(['token', 'list'])).out, 'there are no tokens\n');
  });

  it('account add, list, show, set, top-up, suspend, resume', async () => {
    const made = toJson(
      await answer(['account', 'add', 'acme', '--currency', 'EUR', '--balance', '100', '--credit-limit', '0.5']),
    );
    assert.equal(made['name'], 'acme');
    assert.equal(made['balance'], 100);
    assert.equal(made['creditLimit'], 0.5);
    assert.equal(made['priceList'], 'default');
    assert.deepEqual(await answer(['account', 'show', 'acme']), made);
    assert.deepEqual(await answer(['account', 'list']), [made]);
    assert.equal(toJson(await answer(['account', 'top-up', 'acme', '50', '--reason', 'invoice 1203']))['balance'], 150);
    const refused = await morsel(['account', 'top-up', 'acme', '-0.000001']);
    assert.match(refused.errors, /^morsel: amount: a top-up adds: post .* with account adjust/);
    const adjusted = ['account', 'adjust', 'acme', '--amount', '-0.000001', '--reason', 'rounding', '--actor', 'jane'];
    assert.equal(toJson(await answer(adjusted))['balance'], 149.999999);
    assert.equal(toJson(await answer(['account', 'suspend', 'acme']))['status'], 'suspended');
    assert.equal(toJson(await answer(['account', 'resume', 'acme']))['status'], 'active');
    assert.match((await morsel(['account', 'list'])).out, /^NAME +STATUS +BALANCE.*\nacme +active +149\.999999 +EUR/);
  });

  it('account remove says what is left of an account, and removes it when nothing is', async () => {
    await answer(['account', 'add', 'slip', '--currency', 'EUR']);
    const { id } = toJson(await answer(['token', 'add', 'slip']));
    await answer(['smpp-login', 'add', 'slip', '--system-id', 'slip']);
    await answer(['number', 'add', '+41791110000', '--account', 'slip']);
    await answer(['number', 'add', '+41791110001', '--shared']);
    await answer(['keyword', 'add', '+41791110001', 'taxi', '--account', 'slip']);
    const webhook = ['webhook', 'add', 'slip', 'http://127.0.0.1:8099/', '--allow', '127.0.0.0/8'];
    const { id: webhookId } = toJson(await answer(webhook));
    const remove = ['account', 'remove', 'slip'];
    const left =
      'account slip still has 1 token (token revoke), 1 SMPP login (smpp-login remove), 1 number (number remove), 1 keyword (keyword remove), 1 webhook (webhook remove): end these first';
    const refused = await morsel(remove);
    assert.deepEqual([refused.status, refused.errors], [1, `morsel: ${left}\n`]);
    const problem = toJson(JSON.parse((await morsel([...remove, '--json'])).errors));
    assert.deepEqual([problem['code'], problem['title']], ['in_use', 'It is in use']);
    for (const words of [
      ['token', 'revoke', String(id)],
      ['smpp-login', 'remove', 'slip'],
      ['keyword', 'remove', '+41791110001', 'taxi'],
      ['number', 'remove', '+41791110000'],
      ['webhook', 'remove', String(webhookId)],
    ]) {
      assert.equal((await morsel(remove)).status, 1);
      await answer(words);
    }
    await answer(['number', 'remove', '+41791110001']);
    assert.deepEqual(await answer(remove), { account: 'slip' });
    assert.equal((await morsel(['account', 'show', 'slip'])).status, 1);
    const names = await answer(['account', 'list']);
    assert.ok(Array.isArray(names) && names.every((each) => !String(toJson(each)['name']).startsWith('slip')));
    assert.deepEqual(await answer(['token', 'list']), { items: [], next: null });
    // What was posted once never goes.
    const kept = await morsel(['account', 'remove', 'acme']);
    assert.match(
      kept.errors,
      /account acme has entries in the ledger, kept for good.*stop it with account suspend acme\n$/,
    );
  });

  it('token add shows it once, and no list ever again', async () => {
    const made = toJson(await answer(['token', 'add', 'acme']));
    token = String(made['token']);
    assert.match(token, /^morsel_/);
    assert.equal((await balance(token)).status, 200);
    const list = await morsel(['token', 'list', 'acme', '--json']);
    assert.match(list.out, new RegExp(`"id":"${String(made['id'])}"`));
    assert.doesNotMatch(list.out, new RegExp(token));
    assert.match(
      (await morsel(['token', 'list'])).out,
      /^ID +ACCOUNT +CREATED +SCOPES +FROM +EXPIRES +LAST USED +REVOKED\n/,
    );
  });

  it('token add says what a token is good for, from where and until when, and token list shows it', async () => {
    const limits = ['--scopes', 'balance', '--from', '127.0.0.0/8,::1', '--expires', '2999-12-31'];
    const made = toJson(await answer(['token', 'add', 'acme', ...limits]));
    assert.equal((await balance(String(made['token']))).status, 200);
    const { out } = await morsel(['token', 'list', 'acme']);
    assert.match(out, / balance +127\.0\.0\.0\/8,::1 +2999-12-31T00:00:00Z\n/);
    const elsewhere = toJson(await answer(['token', 'add', 'acme', '--from', '192.0.2.1']));
    const nowhere = toJson(await answer(['token', 'add', 'acme', '--from', '']));
    const anywhere = toJson(await answer(['token', 'add', 'acme', '--from', 'any']));
    const statuses = [elsewhere, nowhere, anywhere].map(async (each) => (await balance(String(each['token']))).status);
    assert.deepEqual(await Promise.all(statuses), [403, 403, 200]);
    const list = (await morsel(['token', 'list', 'acme'])).out;
    for (const [{ id }, from] of [
      [nowhere, 'nothing'],
      [anywhere, 'any'],
    ] as const) {
      assert.match(list, new RegExp(`^${String(id)} .* send,dlr,balance +${from}`, 'm'));
    }
    const unclear = await morsel(['token', 'add', 'acme', '--from', 'none']);
    assert.equal(
      unclear.errors,
      'morsel: from: none is not taken here: any allows everything, an empty list ("") allows nothing\n',
    );
    const csv = (await morsel(['token', 'list', 'acme', '--csv'])).out;
    assert.match(csv, /^id,account,createdAt,scopes,from,expiresAt,lastUsedAt,revokedAt\n/);
    assert.match(csv, new RegExp(`^${String(anywhere['id'])},acme,[^,]+,"send,dlr,balance",any,,[^,]*,$`, 'm'));
    const page = toJson(await answer(['token', 'list', 'acme', '--limit', '1']));
    const rest = toJson(await answer(['token', 'list', 'acme', '--after', String(page['next'])]));
    assert.deepEqual(
      [page['items'], rest['items']].flat().map((each) => Object(each).id),
      csv.match(/^[0-9a-f]{12}/gm),
    );
    for (const { id } of [made, elsewhere, nowhere, anywhere]) await answer(['token', 'revoke', String(id)]);
  });

  it('account set limits what an account may send, account show tells it as it can be set, account rules what was broken', async () => {
    const limits = ['--allow-countries', 'CH,+4366', '--rate', '50/s', '--repeat-seconds', '10', '--premium', 'watch'];
    const set = toJson(await answer(['account', 'set', 'acme', ...limits, '--rule-modes', 'repeat=watch']));
    const { allowCountries, rate, burst, repeatSeconds, premium, ruleModes } = set;
    assert.deepEqual(
      [allowCountries, rate, burst, repeatSeconds, premium, ruleModes],
      ['CH,+4366', '50/s', '50', '10', 'watch', 'countries=refuse,rate=refuse,repeat=watch'],
    );
    const shown = await morsel(['account', 'show', 'acme']);
    assert.match(shown.out, /countries +CH, \+4366\n[^]*premium numbers +watch\n[^]*rate +50\/s parts, 50 at once\n/);
    assert.match((await morsel(['account', 'rules'])).out, /no message has broken a rule/);
    const wrong = ['--receiver', '+33612345678', '--text', 'secret words'];
    const refused = await morsel(['send', '--account', 'acme', '--sender', 'acme', ...wrong]);
    assert.match(refused.errors, /may not send to this country/);
    const rules = await morsel(['account', 'rules', 'acme']);
    assert.match(rules.out, /^ACCOUNT +RULE +WATCHED +REFUSED [^]*\nacme +countries +0 +1 .* acme +\+33612345678\n$/);
    const off = ['--allow-countries', 'any', '--rate', 'none', '--repeat-seconds', 'none', '--premium', 'allow'];
    await answer(['account', 'set', 'acme', ...off]);
    const open = (await morsel(['account', 'show', 'acme'])).out;
    assert.doesNotMatch(open, /premium|rate/);
    assert.match(open, /\nsenders +any\ncountries +any\n[^]*requests from +any\n/);
  });

  it('token rotate makes a token with the same limits, and ends the former one at once or after a while', async () => {
    const limits = ['--scopes', 'balance', '--from', '127.0.0.0/8', '--expires', '2999-12-31'];
    const first = toJson(await answer(['token', 'add', 'acme', ...limits]));
    const second = toJson(await answer(['token', 'rotate', String(first['id']), '--after', '1h']));
    assert.deepEqual([second['account'], second['former']], ['acme', first['id']]);
    assert.equal(second['expiresAt'], '2999-12-31T00:00:00.000Z');
    for (const { token: each } of [first, second]) assert.equal((await balance(String(each))).status, 200);
    const inAnHour = Date.parse(String(second['formerEndsAt'])) - Date.now();
    assert.ok(inAnHour > 3_500_000 && inAnHour <= 3_600_000);
    // By the token itself, which goes nowhere: only its id is sent.
    const third = toJson(await answer(['token', 'rotate', String(second['token'])]));
    assert.deepEqual(
      await Promise.all([first, second, third].map(async (each) => (await balance(String(each['token']))).status)),
      [200, 401, 200],
    );
    const fourth = await morsel(['token', 'rotate', String(third['id']), '--after', '1h']);
    assert.match(
      fourth.out,
      /\nThis is the only time it is shown. It sends for acme until 2999-12-31T00:00:00Z; token /,
    );
    await answer(['token', 'revoke', fourth.out.slice(0, fourth.out.indexOf('\n'))]);
    const { items: list } = toJson(await answer(['token', 'list', 'acme']));
    assert.ok(Array.isArray(list));
    const rows = list.map(toJson).filter(({ id }) => [first, second, third].some((each) => each['id'] === id));
    for (const { scopes, from } of rows) assert.deepEqual([scopes, from], [['balance'], ['127.0.0.0/8']]);
    const again = await morsel(['token', 'rotate', String(second['id'])]);
    assert.match(again.errors, /is revoked already: make another one with token add acme/);
    const wrong = await morsel(['token', 'rotate', String(third['id']), '--after', 'tomorrow']);
    assert.match(wrong.errors, /^morsel: after must be a whole number with its unit, such as 90s, 15m, 24h or 7d/);
    for (const { id } of [first, third]) await answer(['token', 'revoke', String(id)]);
  });

  it('token revoke ends a token by its id, and by the token itself, which goes nowhere', async () => {
    const second = toJson(await answer(['token', 'add', 'acme']));
    const third = toJson(await answer(['token', 'add', 'acme']));
    assert.deepEqual(await answer(['token', 'revoke', String(second['id'])]), { id: second['id'] });
    assert.deepEqual(await answer(['token', 'revoke', String(third['token'])]), { id: third['id'] });
    assert.equal((await balance(String(second['token']))).status, 401);
    assert.equal((await balance(String(third['token']))).status, 401);
    const mistyped = `${token.slice(0, 9)}x${token.slice(9)}`;
    const { status, errors } = await morsel(['token', 'revoke', mistyped]);
    assert.equal(status, 2);
    assert.doesNotMatch(errors, new RegExp(token.slice(-20)));
  });

  it('carrier add takes the password from an option, a file and standard input, and shows it nowhere', async () => {
    const file = join(folder, 'password');
    writeFileSync(file, `${password}\n`);
    const port = String(carrier.ready['port']);
    const common = ['--host', '127.0.0.1', '--port', port, '--system-id', 'us'];
    await answer(['carrier', 'add', 'by-option', ...common, '--password', password]);
    await answer([
      'carrier',
      'add',
      'by-file',
      ...common,
      '--password-file',
      file,
      '--links',
      '2',
      '--window',
      '20',
      '--throughput',
      '500',
    ]);
    await answer(
      [
        'carrier',
        'add',
        'by-stdin',
        ...common,
        '--password-stdin',
        '--in-doubt',
        'hold',
        '--id-rule',
        'hex-answer',
        '--system-type',
        'x',
      ],
      { input: `${password}\r\nmore` },
    );
    for (const name of ['by-option', 'by-file', 'by-stdin']) await bound(name);
    for (const words of [
      ['carrier', 'list'],
      ['carrier', 'show', 'by-file'],
      ['carrier', 'show', 'by-stdin', '--json'],
      ['status', '--json'],
    ]) {
      const { status, out } = await morsel(words);
      assert.equal(status, 0);
      assert.doesNotMatch(out, new RegExp(password));
    }
    const shown = toJson(await answer(['carrier', 'show', 'by-stdin']));
    assert.deepEqual([shown['inDoubt'], shown['idRule'], shown['systemType']], ['hold', 'hex-answer', 'x']);
    assert.match((await morsel(['carrier', 'show', 'by-file'])).out, /LINK +STATE[^]* 1 +bound[^]* 2 +bound/);
  });

  it('carrier pause, resume, remove', async () => {
    assert.equal(toJson(await answer(['carrier', 'pause', 'by-option']))['status'], 'paused');
    assert.equal(toJson(await answer(['carrier', 'resume', 'by-option']))['status'], 'active');
    await answer(['carrier', 'remove', 'by-option']);
    await answer(['carrier', 'remove', 'by-stdin']);
    assert.equal((await morsel(['carrier', 'show', 'by-stdin'])).status, 1);
  });

  it('route add, list, remove', async () => {
    await answer(['route', 'add', '--prefix', '41', '--carrier', 'by-file']);
    assert.deepEqual(await answer(['route', 'add', '--prefix', '', '--carrier', 'by-file']), {
      prefix: '',
      carrier: 'by-file',
    });
    assert.match((await morsel(['route', 'list'])).out, /^PREFIX +CARRIER +MADE\n\(any\) +by-file .*\n41 +by-file /);
    await answer([
      'route',
      'add',
      '--prefix',
      '4179',
      '--carrier',
      'by-file',
      '--rank',
      '2',
      '--after',
      '30',
      '--sender',
      'ACME*',
    ]);
    assert.match(
      (await morsel(['route', 'list'])).out,
      /^PREFIX +SENDER +ACCOUNT +ENCODING +CARRIER +RANK +WEIGHT +COST +NEXT AFTER +MADE\n/,
    );
    const explained = await morsel([
      'route',
      'explain',
      '--account',
      'acme',
      '--receiver',
      '+41791234567',
      '--sender',
      'ACMES',
    ]);
    assert.match(explained.out, /\n4179 +ACME\* +\(any\) +\(any\) +chosen\n41 .* behind the chosen one\n/);
    await answer(['route', 'remove', '--prefix', '4179', '--sender', 'ACME*']);
    assert.deepEqual(await answer(['route', 'remove', '--prefix', '']), { prefix: '' });
  });

  it('price set and list', async () => {
    const set = ['price', 'set', '--list', 'default', '--currency', 'EUR', '--prefix', '41', '--price', '0.0075'];
    assert.deepEqual(await answer(set), { list: 'default', version: 1, before: null });
    const lists = await answer(['price', 'list']);
    assert.ok(Array.isArray(lists));
    const { list, version, prices, accounts } = toJson(lists[0]);
    assert.deepEqual([list, version, prices, accounts], ['default', 1, 1, ['acme']]);
    assert.match((await morsel(['price', 'list'])).out, /default +EUR +1 +\d{4}-.*Z +1 +acme/);
    assert.match((await morsel(['price', 'show', 'default'])).out, /\n41 +0\.0075 +default +1\n/);
  });

  it('send --wait says what became of it', async () => {
    const draft = [
      'send',
      '--account',
      'acme',
      '--sender',
      'Shop',
      '--receiver',
      '+41791112233',
      '--text',
      'sweet nothings',
      '--client-ref',
      'ref-1',
    ];
    const sent = toJson(await answer([...draft, '--wait']));
    assert.equal(sent['event'], 'delivered');
    assert.equal(sent['totalCost'], 0.0075);
    assert.equal(sent['clientBalance'], 149.992499);
    msgId = String(sent['msgId']);
    const plain = await morsel([...draft, '--validity', '600', '--dcs', 'UCS']);
    assert.match(plain.out, /^message \d+ is accepted: 1 part for 0\.0075 EUR, which leaves 149\.984999 EUR\n$/);
    const refused = await morsel([...draft.slice(0, 6), '41791119930', '--text', 'x', '--wait']);
    assert.match(refused.out, /\nit is rejected \(ESME_RINVDSTADR\)\n$/);
  });

  it('message show tells its time line, message find finds it by everything', async () => {
    const { out } = await morsel(['message', 'show', msgId]);
    for (const line of [
      /^message +\d+\nevent +delivered\n/,
      /text +"sweet nothings"/,
      /submitted +by the operator .+\n/,
      /accepted by operator, 1 part for 0\.0075 EUR/,
      /claimed for by-file, link [12]/,
      /answered ESME_ROK: accepted, its id there is/,
      /delivered \(receipt DELIVERED/,
    ]) {
      assert.match(out, line);
    }
    assert.equal(toJson(await answer(['message', 'show', msgId]))['text'], 'sweet nothings');
    const everything = [
      '--account',
      'acme',
      '--sender',
      'Shop',
      '--receiver',
      '0041791112233',
      '--client-ref',
      'ref-1',
      '--event',
      'delivered',
      '--since',
      '2020-01-01',
      '--until',
      '2999-01-01T00:00:00Z',
      '--limit',
      '5',
    ];
    const itsId = /its id there is (\S+)/.exec(out)?.[1] ?? '';
    everything.push('--carrier', 'by-file', '--carrier-message-id', itsId);
    const found = await morsel(['message', 'find', ...everything, '--json']);
    assert.match(found.out, new RegExp(`"msgId":"${msgId}"`));
    assert.doesNotMatch(found.out, /sweet/);
    const newest = await morsel(['message', 'find', '--limit', '1']);
    assert.match(newest.out, /^ID +ACCEPTED .*\n\d+ .*ESME_RINVDSTADR\n$/);
    const oldest = /^morsel: for older ones: --after (\d+)\n$/.exec(newest.errors)?.[1] ?? '';
    const older = await answer(['message', 'find', '--after', oldest]);
    assert.ok(Array.isArray(older));
    assert.deepEqual([older.length, toJson(older[1])['msgId']], [2, msgId]);
  });

  it('send --send-at plans a message, message cancel takes it back', async () => {
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    const to = ['--account', 'acme', '--sender', 'Shop', '--receiver', '+41791112234', '--text', 'later'];
    const planned = String(toJson(await answer(['send', ...to, '--send-at', sendAt, '--flash']))['msgId']);
    const shown = await morsel(['message', 'show', planned]);
    assert.match(shown.out, /event +scheduled\n/);
    assert.match(shown.out, /encoding +gsm7 .*, flash\n/);
    assert.ok(shown.out.includes(`planned for  ${sendAt}`), shown.out);
    const canceled = await morsel(['message', 'cancel', planned]);
    assert.equal(canceled.out, `message ${planned} is canceled: 0.0075 EUR refunded\n`);
    assert.match((await morsel(['message', 'show', planned])).out, /canceled: by the operator, 1 of 1 parts\n/);
    const late = await morsel(['message', 'cancel', msgId]);
    assert.equal(late.status, 1);
    assert.match(late.errors, /^morsel: no part of the message can be canceled any more: it is delivered\n$/);
    assert.match((await morsel(['message', 'cancel', '1'])).errors, /no message with this id/);
    assert.match(
      (await morsel(['send', ...to, '--send-at', 'noon'])).errors,
      /^morsel: (send-at: )?sendAt is a time such as/,
    );
  });

  it('carrier learned tells what its receipts have shown; receipt unmatched has none to show', async () => {
    const learned = toJson(await answer(['carrier', 'learned', 'by-file']));
    assert.deepEqual([learned['idRule'], learned['learnedRule']], ['auto', null]);
    const { out } = await morsel(['carrier', 'learned', 'by-file']);
    assert.match(out, /\nid rule +auto: not learned yet\n/);
    assert.match(out, /\nsame +(\d+) +\1 +\d+ +1 .* not enough yet\n/);
    assert.match(out, /\nthe id is in +both +\d+ /);
    assert.match((await morsel(['carrier', 'show', 'by-file'])).out, /\nreceipts unmatched +0, 0 given up\n/);
    assert.deepEqual(await answer(['receipt', 'unmatched', '--carrier', 'by-file', '--older-than', '1h']), []);
    assert.equal((await morsel(['receipt', 'unmatched'])).out, 'there are no unmatched receipts\n');
    const { errors } = await morsel(['receipt', 'unmatched', '--older-than', 'soon']);
    assert.match(errors, /^morsel: older-than: it has to be a length of time such as 90s/);
    assert.match((await morsel(['receipt', 'show', '1'])).errors, /there is no unmatched receipt 1/);
  });

  it('status says how commits are kept', async () => {
    const status = toJson(await answer(['status']));
    assert.deepEqual([toJson(status['store'])['journalMode'], toJson(status['store'])['synchronous']], ['wal', 'FULL']);
    assert.match((await morsel(['status'])).out, /journal_mode wal, synchronous FULL/);
  });

  const refusals: readonly (readonly [words: readonly string[], code: string, sentence: RegExp])[] = [
    [['account', 'add', 'acme', '--currency', 'EUR'], 'already_exists', /an account named acme exists already/],
    [
      ['account', 'add', 'a b', '--currency', 'EUR'],
      'invalid_parameter',
      /^morsel: name: it has to be 1 to 64 letters/,
    ],
    [['account', 'add', 'b', '--currency', 'euro'], 'invalid_parameter', /^morsel: currency: /],
    [
      ['account', 'add', 'b', '--currency', 'EUR', '--receipt-wait-seconds', '0'],
      'invalid_parameter',
      /^morsel: receipt-wait-seconds: /,
    ],
    [['account', 'show', 'nobody'], 'does_not_exist', /there is no account named nobody/],
    [['account', 'top-up', 'acme', 'much'], 'invalid_parameter', /^morsel: amount: an amount is digits/],
    [['token', 'add', 'nobody'], 'does_not_exist', /nobody/],
    [['token', 'revoke', '000000000000'], 'does_not_exist', /no token/],
    [['carrier', 'pause', 'nobody'], 'does_not_exist', /nobody/],
    [['carrier', 'remove', 'by-file'], 'in_use', /has a route for prefix 41/],
    [['route', 'add', '--prefix', '4x', '--carrier', 'by-file'], 'invalid_parameter', /^morsel: prefix: /],
    [['route', 'remove', '--prefix', '999'], 'does_not_exist', /no route for prefix 999/],
    [
      ['send', '--account', 'acme', '--sender', 'Shop', '--receiver', '+491711234567', '--text', 'hush'],
      'no_route',
      /no carrier takes/,
    ],
    [
      [
        'send',
        '--account',
        'acme',
        '--sender',
        'Shop',
        '--receiver',
        '+41791112233',
        '--text',
        'hush ж',
        '--dcs',
        'GSM',
      ],
      'text_not_encodable',
      /outside the GSM alphabet/,
    ],
    [['message', 'show', '1'], 'message_not_found', /no message/],
    [['message', 'find', '--event', 'lost'], 'invalid_parameter', /^morsel: event: it has to be one of scheduled,/],
  ];
  for (const [words, code, sentence] of refusals) {
    it(`refuses morsel ${words.join(' ')}`, async () => {
      const [plain, json] = await Promise.all([morsel(words), morsel([...words, '--json'])]);
      const status = code === 'invalid_parameter' ? 2 : 1;
      assert.deepEqual([plain.status, plain.out], [status, '']);
      assert.match(plain.errors, sentence);
      assert.doesNotMatch(plain.errors, /hush/);
      assert.deepEqual([json.status, json.out], [status, '']);
      assert.match(json.errors, /^[^\n]+\n$/);
      assert.equal(toJson(JSON.parse(json.errors))['code'], code);
      assert.doesNotMatch(json.errors, /hush/);
    });
  }

  it('is the same as a process of its own: words, streams and exit status', async () => {
    const rows = ['account list --json', 'account show nobody', 'acount', '--help'].map((words) => words.split(' '));
    await Promise.all(rows.map(async (words) => assert.deepEqual(await alone(words), await morsel(words))));
    const carrierOf = ['--host', '127.0.0.1', '--port', String(carrier.ready['port']), '--system-id', 'us'];
    const piped = await alone(['carrier', 'add', 'piped', ...carrierOf, '--password-stdin'], `${password}\n`);
    assert.equal(piped.status, 0);
    await bound('piped');
    await answer(['carrier', 'remove', 'piped']);
  });

  it('a second gateway on the same data directory is refused', async () => {
    const child = start(['serve']);
    const { status, out, errors } = await child.ended;
    assert.deepEqual([status, out], [1, '']);
    assert.match(errors, /^morsel: another morsel is using .*MORSEL_DATA_DIR to a folder of its own\n$/);
    assert.equal((await morsel(['status'])).status, 0);
  });

  it('a port that is taken is named with its setting', async () => {
    for (const [setting, port] of [
      ['MORSEL_HTTP_PORT', gateway.ready['httpPort']],
      ['MORSEL_ADMIN_PORT', gateway.ready['adminPort']],
    ] as const) {
      const config = readConfig({ ...anyPorts, MORSEL_DATA_DIR: join(folder, 'other'), [setting]: String(port) });
      assert.ok(config.ok);
      const detail = `something listens on 127.0.0.1:${String(port)} already: stop it, or set ${setting} otherwise`;
      assert.deepEqual(await startHere(config.value), { ok: false, error: { kind: 'refused', detail } });
    }
  });

  it("a key that is not the gateway's is told apart from a gateway that does not run", async () => {
    const other = join(folder, 'stale');
    assert.equal((await morsel(['account', 'list'], { dataDir: other })).status, 3);
    mkdirSync(other, { mode: 0o700 });
    assert.ok(openOperatorKey(other).ok);
    writeFileSync(join(other, 'admin-address'), `127.0.0.1:${String(gateway.ready['adminPort'])}\n`);
    const { status, errors } = await morsel(['account', 'list'], { dataDir: other });
    assert.equal(status, 3);
    assert.match(errors, /does not take our operator key/);
  });

  it('ends at once at the second signal, though answers are still waited for', async () => {
    const waiting = ['send', '--account', 'acme', '--sender', 'Shop', '--receiver', '+41791119942', '--text', 'hush'];
    await answer(waiting);
    await waitUntil('the carrier has it', async () => {
      const links = toJson(await answer(['carrier', 'show', 'by-file']))['linkStates'];
      return Array.isArray(links) && links.some((link: unknown) => toJson(link)['windowUsed'] === 1);
    });
    gateway.signal('SIGTERM');
    // Of one Ctrl-C, npm's child gets a signal of the terminal and one of npm.
    gateway.signal('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(gateway.isEnded, false);
    const again = setInterval(() => gateway.signal('SIGTERM'), 100);
    const { status, errors } = await gateway.ended;
    clearInterval(again);
    assert.equal(status, 130);
    log += errors;
    gateway = await running(['serve']);
  });

  it('leaves no secret and no text in any log or journal', async () => {
    assert.doesNotMatch(readFileSync(journal, 'utf8'), new RegExp(password));
    const { status, errors } = await gateway.stop();
    assert.equal(status, 0);
    assert.equal(existsSync(join(dataDir, 'admin-address')), false);
    assert.doesNotMatch(`${log}${errors}`, new RegExp(`${password}|${token}|sweet nothings|hush`));
  });

  async function balance(auth: string): Promise<Response> {
    return fetch(`http://127.0.0.1:${String(gateway.ready['httpPort'])}/sms/balance?auth=${auth}`);
  }
});

/** Runs a command as a process of its own. */
async function alone(words: readonly string[], input = '') {
  const child = start(words);
  child.streams.stdin?.end(input);
  const { status, out, errors } = await child.ended;
  return { status, out, errors };
}
