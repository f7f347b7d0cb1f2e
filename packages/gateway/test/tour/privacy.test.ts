/*
 * A phone number is erased by the operator, another by its age: after that, no file has the numbers and their texts.
 * The ledger and the CDRs are right, and the opt-out of the erased number still holds.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { encodeGsm, encodeUcs2, packSeptets } from '@morsel/gsm';
import { dayMs, minuteMs } from '@morsel/api/values/time.ts';
import { command as succeed, morsel } from '../support/gateway/morsel.ts';
import { Tour } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';

const phone = '+41791230077';
const other = '+41791230078';
const ours = '+41790000001';
const secret = 'the code is 493027';

const outside = mkdtempSync(join(tmpdir(), 'morsel-privacy-'));
after(() => rmSync(outside, { recursive: true, force: true }));

/** The octets of a text as ASCII, as UTF-16 in both orders, as septets packed from each bit, and as swapped half octets. */
function formsOf(text: string): readonly Uint8Array[] {
  const ucs2 = Buffer.from(encodeUcs2(text));
  const gsm = encodeGsm(text);
  const septets = gsm.ok ? gsm.septets : assert.fail(`${text} is not in the GSM alphabet`);
  // The first and the last octet are left out, because they also have bits of neighbouring characters.
  const packed = Array.from({ length: 8 }, (_none, fillBits) => packSeptets(septets, fillBits).subarray(1, -1));
  const isNumber = /^\d+$/.test(text);
  const halves = isNumber ? [0, 1].map((begin) => halfOctets(text.slice(begin))) : [];
  return [Buffer.from(text), ucs2, Buffer.from(ucs2).swap16(), ...packed, ...halves];
}

function halfOctets(digits: string): Uint8Array {
  return Buffer.from(digits.replaceAll(/(.)(.)/g, '$2$1').slice(0, digits.length - (digits.length % 2)), 'hex');
}

/** The files of a data directory that contain one of these forms. */
function filesWith(dataDir: string, forms: readonly Uint8Array[]): string[] {
  const all = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return all
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((name) => {
      const octets = readFileSync(name);
      return forms.some((form) => octets.includes(Buffer.from(form)));
    });
}

function assertGone(folder: string, texts: readonly string[], sealed: readonly Uint8Array[] = []): void {
  for (const text of texts) assert.deepEqual(filesWith(folder, formsOf(text)), [], text);
  assert.deepEqual(filesWith(folder, sealed), [], 'encrypted texts');
}

/** The encrypted texts of a number in a backup. */
function sealedOf(backup: string, number: string): readonly Uint8Array[] {
  const sql = `select content from message where receiver = ? and content is not null
    union all select content from inbound where sender = ? and content is not null`;
  return octetsOf(backup, sql, number, number);
}

/** The wrapped keys of an account in a backup. */
function keysOf(backup: string, account: string): readonly Uint8Array[] {
  const sql = 'select wrapped from encryption_key where account = (select id from account where name = ?)';
  return octetsOf(backup, sql, account);
}

function octetsOf(backup: string, sql: string, ...values: readonly string[]): readonly Uint8Array[] {
  using database = new DatabaseSync(join(backup, 'morsel.db'), { readOnly: true });
  const found = database.prepare(sql).all(...values);
  return found
    .flatMap((row) => Object.values(row))
    .map((value) => (value instanceof Uint8Array ? value : assert.fail('it is encrypted')));
}

test('erased and old numbers are in no file, and ledger, CDRs and opt-outs stay right', async () => {
  await using tour = await Tour.open();
  const calls = tour.operator;
  const command = (...words: string[]) => succeed(tour, ...words);
  await command('account', 'add', 'gone', '--currency', 'EUR');
  await command('number', 'add', ours, '--account', tour.account);
  let sends = 0;
  for (const receiver of [phone, other, phone]) {
    const sent = { receiver, text: secret, clientRef: receiver, idempotencyKey: `${receiver} ${++sends}` };
    await tour.event(await tour.accept(sent), 'delivered');
  }
  const scheduled = { receiver: phone, sendAt: new Date(Date.now() + 3_600_000).toISOString() };
  const unfinished = await tour.accept(scheduled);
  await tour.simulator.sendInbound({ from: phone, to: ours.replace('+', ''), text: 'Where is my parcel?' });
  await tour.simulator.sendInbound({ from: phone, to: ours.replace('+', ''), text: 'STOP' });
  assert.equal((await tour.send({ receiver: phone })).body['code'], 'receiver_opted_out');
  const exported = (await command('privacy', 'export', '--receiver', phone)).trim().split('\n');
  const tables = exported.map((line) => String(JSON.parse(line).table));
  assert.deepEqual(
    ['message', 'cdr', 'inbound', 'opt_out', 'opt_out_event'].map(
      (table) => tables.filter((each) => each === table).length,
    ),
    [3, 2, 2, 1, 1],
  );
  // The test cannot read the files of PostgreSQL.
  const isSqlite = tour.gateway.operator.journal.durability.engine === 'SQLite';
  const earlier = join(outside, 'earlier');
  if (isSqlite) await command('backup', earlier);
  const [sealed, sealedOther] = [phone, other].map((number) => (isSqlite ? sealedOf(earlier, number) : []));
  if (isSqlite) assert.deepEqual([sealed?.length, sealedOther?.length], [5, 1]);
  const begun = await command('privacy', 'erase', '--receiver', phone, '--reason', 'request', '--yes');
  assert.match(begun, /^erasure \d+ has begun/);
  const row = async () => {
    const listed = await calls.privacy.list();
    return listed.ok ? listed.value.items[0] : undefined;
  };
  await waitUntil('it waits for the unfinished message', async () => (await row())?.phase === 'unfinished');
  await command('message', 'cancel', unfinished);
  await waitUntil('the erasure is done', async () => {
    tour.gateway.operator.erasing.wake();
    return (await row())?.phase === 'done';
  });
  const { messages, inbound, stale, receiver, leftIn } = (await row()) ?? assert.fail('there is an erasure');
  assert.deepEqual(
    { messages, inbound, stale, receiver, leftIn },
    { messages: 3, inbound: 2, stale: isSqlite ? 0 : null, receiver: null, leftIn: [] },
  );
  assertGone(tour.dataDir, [phone.slice(1), secret, 'Where is my parcel?'], sealed);
  if (isSqlite) {
    assert.notDeepEqual(filesWith(tour.dataDir, formsOf(other.slice(1))), [], 'other numbers stay');
    assert.notDeepEqual(filesWith(tour.dataDir, sealedOther ?? []), [], 'other texts stay');
    await command('backup', join(outside, 'later'));
    assertGone(join(outside, 'later'), [phone.slice(1)], sealed);
    // docs/privacy.md says that an earlier backup still has the number, and its texts in encrypted form.
    assert.notDeepEqual(filesWith(earlier, formsOf(phone.slice(1))), []);
    assertGone(earlier, [secret, 'Where is my parcel?']);
  }
  assert.match(await command('ledger', 'check'), /no errors|correct|right/);
  await command('cdr', 'check');
  assert.equal((await tour.send({ receiver: phone })).body['code'], 'receiver_opted_out');
  await tour.simulator.sendInbound({ from: phone, to: ours.replace('+', ''), text: 'START' });
  await tour.event(await tour.accept({ receiver: phone }), 'delivered');

  await command('account', 'suspend', 'gone');
  await command('account', 'erase', 'gone', '--yes');
  if (isSqlite) {
    const keys = keysOf(earlier, 'gone');
    assert.deepEqual([keys.length, filesWith(tour.dataDir, keys)], [1, []]);
    assert.notDeepEqual(filesWith(tour.dataDir, keysOf(earlier, tour.account)), [], 'other keys stay');
  }

  await command('account', 'set', tour.account, '--text-days', '1', '--number-days', '8', '--record-days', '100');
  tour.clock.advance(9 * dayMs);
  await tour.clock.advanceUntil(
    'the old numbers are removed',
    async () => {
      const listed = await calls.retention.list();
      const items = listed.ok ? listed.value.items.filter(({ days }) => days < 10) : [];
      return items.some(({ what, removed }) => what === 'numbers' && removed > 0) && items.every(({ isDue }) => !isDue);
    },
    minuteMs,
  );
  if (isSqlite) {
    await command('privacy', 'rebuild', '--yes');
    assertGone(tour.dataDir, [other.slice(1), secret], sealedOther);
    await command('backup', join(outside, 'last'));
    assertGone(join(outside, 'last'), [other.slice(1)], sealedOther);
  }
  assert.match(await command('ledger', 'check'), /no errors|correct|right/);
  await command('cdr', 'check');
});

test('data that is left of an erased number is reported, and a rebuild is advised only if it helps', async () => {
  await using tour = await Tour.open();
  const { operator } = tour.gateway;
  const calls = tour.operator;
  const command = (...words: string[]) => succeed(tour, ...words);
  await tour.event(await tour.accept({ receiver: other, clientRef: `friend of ${phone}` }), 'delivered');
  await tour.event(await tour.accept({ receiver: phone }), 'delivered');
  const erase = ['privacy', 'erase', '--receiver', phone, '--yes', '--reason'];
  const { errors } = await morsel([...erase, 'from +41 79 123 00 77'], { dataDir: tour.dataDir });
  assert.match(errors, /reason must not have the number, because it stays in the audit log/);
  await command(...erase, 'request');
  const newest = async () => {
    const listed = await calls.privacy.list();
    return listed.ok ? listed.value.items[0] : undefined;
  };
  await waitUntil('the erasure is done', async () => {
    operator.erasing.wake();
    return (await newest())?.phase === 'done';
  });
  assert.deepEqual((await newest())?.leftIn, ['message.client_ref']);
  assert.match(await command('privacy', 'list'), / left in message.client_ref /);
  if (operator.journal.durability.engine !== 'SQLite') return;
  const found = (await newest())?.stale ?? 0;
  assert.ok(found >= 1);
  const database = new DatabaseSync(join(tour.dataDir, 'morsel.db'), { timeout: 5_000 });
  database.exec('update message set client_ref = null');
  database.close();
  await command('privacy', 'rebuild', '--yes');
  const { stale, leftIn } = (await newest()) ?? assert.fail('there is an erasure');
  assert.deepEqual([stale, leftIn], [0, []]);
});
