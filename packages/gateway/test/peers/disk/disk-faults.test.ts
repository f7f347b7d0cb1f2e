/* Tests with full disks: small file systems. Failing calls are in nth-failure.test.ts. */

import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { statuses } from '@morsel/smpp';
import { openForWriting } from '../../../src/store/sqlite/database.ts';
import { isFatal, isNoRoom } from '../../../src/store/sqlite/faults.ts';
import { checkPages } from '../../../src/store/stopped.ts';
import { Carrier } from '../smpp/carrier.ts';
import { fillUp, mountSmallDisk } from '../needs.ts';
import { setUp, untilBound } from '../set-up.ts';
import { send, type Sent } from '../send.ts';
import { Child } from '../../support/gateway/child.ts';
import { GatewayProcess } from '../../support/gateway/gateway-process.ts';
import { Shown, toJson } from '../../support/json.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('P3: a full disk', () => {
  it('refuses with 503, charges nothing, and goes on when there is room', async (t) => {
    using disk = mountSmallDisk();
    if (!disk) {
      t.skip('needs the right to mount a tmpfs: run as root');
      return;
    }
    const dataDir = join(disk.path, 'data');
    mkdirSync(dataDir, { mode: 0o700 });
    await using carrier = await Carrier.start();
    await using program = await GatewayProcess.start({ dataDir });
    const { token } = await setUp(program, { port: carrier.port, window: 10 });
    await untilBound(program);
    carrier.isHolding = true;
    const first = await send(program, { token, number: 1, text: 'while there is room' });
    assert.equal(first.status, 200);
    await waitUntil('the answer of the carrier is kept', async () => (await eventOf(program, first)) === 'sent');
    const before = await program.ask('v1/totals');
    const balance = (await program.ask('v1/accounts/acme')).number('balance');

    const filler = join(disk.path, 'filler');
    fillUp(filler);
    for (let number = 2; number < 8; number++) {
      const refused = await send(program, { token, number, text: 'while there is none' });
      assert.equal(refused.status, 503);
      assert.equal(refused.body.text('code'), 'unavailable');
      assert.match(refused.retryAfter ?? '', /^[1-9][0-9]*$/);
    }
    assert.deepEqual((await program.ask('v1/totals')).value, before.value);
    assert.equal((await program.ask('v1/accounts/acme')).number('balance'), balance);
    assert.deepEqual(carrier.receivers, ['41790000001']);
    assert.deepEqual(await readiness(program), [503, 'the disk of the service is full or read-only']);
    const shown = await program.ask('v1/status');
    assert.deepEqual([shown.at('ready'), shown.at('troubles', '0', 'kind')], [false, 'disk-full']);
    assert.equal(program.errors.split('the disk is full or read-only:').length - 1, 1, 'the log says it once');
    carrier.deliver();
    await waitUntil('the receipt is answered', () => carrier.receiptAnswers.length === 1);
    assert.deepEqual(carrier.receiptAnswers, [statuses.ESME_RX_T_APPN], 'D5: the carrier is to bring it again');
    assert.equal(await eventOf(program, first), 'sent');

    rmSync(filler);
    await waitUntil('it is ready again', async () => (await readiness(program))[0] === 200);
    const evidenceOf = async () => {
      const { items } = toJson((await program.ask('v1/alarms?all=true')).value);
      const found = (Array.isArray(items) ? items : []).map(toJson).filter(({ kind }) => kind === 'disk-full');
      return found.map(({ evidence }) => String(evidence)).join();
    };
    await waitUntil('an alarm says it', async () => (await evidenceOf()) !== '');
    assert.match(await evidenceOf(), /^the disk was full or read-only for \d+ s$/);
    assert.deepEqual((await program.ask('v1/status')).at('troubles'), []);
    carrier.deliver();
    await waitUntil('the receipt is acknowledged', () => carrier.acknowledged === 1);
    carrier.isHolding = false;
    const last = await send(program, { token, number: 9, text: 'there is room again' });
    assert.equal(last.status, 200);
    await waitUntil('its receipt is acknowledged', () => carrier.acknowledged === 2);
    assert.deepEqual(carrier.receivers, ['41790000001', '41790000009']);
    const after = await program.ask('v1/totals');
    assert.equal(after.number('messages', 'delivered'), 2);
    assert.deepEqual(after.at('unbalanced'), []);
  });
});

describe('P3: a full disk on which only the -shm file cannot grow', () => {
  it('is no I/O error', (t) => {
    using disk = mountSmallDisk('24m');
    if (!disk) {
      t.skip('needs the right to mount a tmpfs: run as root');
      return;
    }
    using database = openForWriting(join(disk.path, 'morsel.db'));
    database.exec('create table filled (octets blob)');
    const insert = database.prepare('insert into filled values (zeroblob(3000))');
    const pages = () => Number(database.prepare('pragma wal_checkpoint(noop)').get()?.['log']);
    // With 4,062 pages in the WAL, the next one needs a larger -shm file.
    while (pages() < 4_050) insert.run();
    const faults: unknown[] = [];
    for (let left = 0; pages() < 4_070; left += 8_192) {
      fillUp(join(disk.path, 'filler'), left);
      try {
        insert.run();
      } catch (fault) {
        faults.push(fault);
      }
    }
    assert.ok(faults.some((fault) => fault instanceof Error && fault.message === 'disk I/O error'));
    assert.ok(faults.every((fault) => isNoRoom(fault) && !isFatal(fault)));
  });
});

describe('a start on a full disk', () => {
  for (const [what, isNew] of [
    ['of a new data directory', true],
    ['of a used data directory', false],
  ] as const) {
    it(`${what} ends with one sentence, and succeeds once there is room`, async (t) => {
      using disk = mountSmallDisk();
      if (!disk) {
        t.skip('needs the right to mount a tmpfs: run as root');
        return;
      }
      const dataDir = join(disk.path, 'data');
      mkdirSync(dataDir, { mode: 0o700 });
      if (!isNew) await (await GatewayProcess.start({ dataDir })).stop();
      const filler = join(disk.path, 'filler');
      if (!isNew) {
        fillUp(filler, 0);
        await assert.rejects(checkPages(dataDir), /the disk with [^ ]+ is full: make room and try again/);
      }
      for (const left of [0, 4_096, 40_960, 400_000]) {
        fillUp(filler, left);
        const child = new Child(['serve'], { environment: { MORSEL_DATA_DIR: dataDir, MORSEL_LOG_LEVEL: 'warn' } });
        child.streams.stdout?.once('data', () => child.signal('SIGTERM'));
        const { status: code, out, errors } = await child.ended;
        if (out.includes('morsel is ready')) continue;
        assert.equal(code, 1, out + errors);
        assert.match(out + errors, /^morsel: [^\n]*full[^\n]*\n$/, `with ${left} octets left`);
      }
      rmSync(filler);
      await using program = await GatewayProcess.start({ dataDir });
      assert.deepEqual(await readiness(program), [200, '']);
    });
  }
});

/** The status of /ready, and its reason if it is not 200. */
async function readiness(program: GatewayProcess): Promise<[status: number, detail: string]> {
  const response = await fetch(program.url('/ready'));
  const body = new Shown(await response.json());
  return [response.status, response.ok ? '' : body.text('detail')];
}

async function eventOf(program: GatewayProcess, sent: Sent): Promise<string> {
  return (await program.ask(`v1/messages/${sent.body.text('msgId')}`)).text('event');
}
