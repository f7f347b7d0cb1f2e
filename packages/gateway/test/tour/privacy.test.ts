/* A phone number is erased: afterwards it is in no file, the ledger is right, and its opt-out still holds. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { operatorCalls } from '../../src/edge/admin/handlers.ts';
import { morsel } from '../support/morsel.ts';
import { Tour } from '../support/tour.ts';
import { waitUntil } from '../support/wait-until.ts';

const phone = '+41791230077';
const other = '+41791230078';
const ours = '+41790000001';
const secret = 'the code is 493027';

/** The files of a data directory that contain a text. */
function filesWith(dataDir: string, text: string): string[] {
  const all = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = all.map((entry) => join(entry.parentPath, entry.name));
  return names.filter((name) => readFileSync(name).includes(text));
}

test('an erased number is in no file, but its opt-out still holds', async () => {
  await using tour = await Tour.open();
  const calls = operatorCalls(tour.gateway.operator);
  const command = async (...words: string[]) => {
    const { status, out, errors } = await morsel(words, { dataDir: tour.dataDir });
    assert.deepEqual([status, errors], [0, ''], words.join(' '));
    return out;
  };
  await command('number', 'add', ours, '--account', tour.account);
  for (const receiver of [phone, other, phone]) {
    await tour.event(await tour.accept({ receiver, text: secret, clientRef: receiver }), 'delivered');
  }
  const scheduled = { receiver: phone, sendAt: new Date(Date.now() + 3_600_000).toISOString() };
  const unfinished = await tour.accept(scheduled);
  await tour.simulator.sendInbound({ from: phone, to: ours.replace('+', ''), text: 'Where is my parcel?' });
  await tour.simulator.sendInbound({ from: phone, to: ours.replace('+', ''), text: 'STOP' });
  assert.equal((await tour.send({ receiver: phone })).body['code'], 'receiver_opted_out');
  const exported = (await command('privacy', 'export', '--receiver', phone)).trim().split('\n');
  const tables = exported.map((line) => String(JSON.parse(line).table));
  assert.deepEqual(
    ['message', 'inbound', 'opt_out', 'opt_out_event'].map((table) => tables.filter((each) => each === table).length),
    [3, 2, 1, 1],
  );
  // Nobody can look into the files of PostgreSQL from here.
  const isSqlite = tour.gateway.operator.journal.durability.engine === 'SQLite';
  const begun = await command('privacy', 'erase', '--receiver', phone, '--reason', 'request', '--yes');
  assert.match(begun, /^erasure \d+ has begun/);
  const row = async () => {
    const listed = await calls.privacy.list();
    return listed.ok ? listed.value.items[0] : undefined;
  };
  await waitUntil('it waits for the unfinished message', async () => (await row())?.phase === 'unfinished');
  await command('message', 'cancel', unfinished);
  await waitUntil('the erasure is done', async () => {
    tour.gateway.operator.wakeErasing();
    return (await row())?.phase === 'done';
  });
  const { messages, inbound, stale, receiver } = (await row()) ?? assert.fail('there is an erasure');
  assert.deepEqual(
    { messages, inbound, stale, receiver },
    { messages: 3, inbound: 2, stale: isSqlite ? 0 : null, receiver: null },
  );
  for (const text of [phone.slice(1), secret, 'parcel']) assert.deepEqual(filesWith(tour.dataDir, text), [], text);
  if (isSqlite) assert.notDeepEqual(filesWith(tour.dataDir, other.slice(1)), [], 'other numbers stay');
  if (isSqlite) {
    const backup = join(tour.dataDir, 'backup');
    await command('backup', backup);
    assert.deepEqual(filesWith(backup, phone.slice(1)), [], 'a later backup');
  }
  assert.match(await command('ledger', 'check'), /no errors|correct|right/);
  assert.equal((await tour.send({ receiver: phone })).body['code'], 'receiver_opted_out');
  await tour.simulator.sendInbound({ from: phone, to: ours.replace('+', ''), text: 'START' });
  await tour.event(await tour.accept({ receiver: phone }), 'delivered');
});
