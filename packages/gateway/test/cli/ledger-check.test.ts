/* `morsel ledger check`, on a running gateway and on the data directory of a stopped one. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Gateway } from '../../src/app.ts';
import { alterStore } from '../support/store/store-file.ts';
import { answer, dataDir, folder, morsel, served } from '../support/gateway/morsel.ts';
import { toJson } from '../support/json.ts';

describe('ledger check', () => {
  let gateway: Gateway;
  let msgId = '';

  before(async () => {
    gateway = await served();
    await answer('carrier add alpha --host 127.0.0.1 --port 1 --system-id us --password x');
    await answer(['route', 'add', '--prefix', '', '--carrier', 'alpha']);
    await answer(['price', 'set', '--currency', 'EUR', '--prefix', '', '--price', '0.01']);
    await answer('account add acme --currency EUR --balance 1');
    const sent = await answer('send --account acme --sender Shop --receiver +41791112233 --text x');
    msgId = String(toJson(sent)['msgId']);
  });
  after(() => gateway.stop());

  it('reports for a running gateway that its ledger has no fault', async () => {
    const { status, out, errors } = await morsel('ledger check');
    assert.deepEqual([status, errors], [0, '']);
    assert.equal(out, 'the ledger is right: 1 account, 2 entries and 1 message were checked\n');
    assert.equal(toJson(await answer('ledger check --account acme'))['isRight'], true);
    assert.match((await morsel('ledger check --account nobody')).errors, /there is no account named nobody/);
    assert.match(
      (await morsel(`ledger check --data-dir ${dataDir}`)).errors,
      /another morsel is using .*: stop it first/,
    );
    assert.match((await morsel(`ledger check --data-dir ${folder}`)).errors, /there is no database in /);
  });

  it('names the wrong entry and its fault, and ends with status 1, for a running and a stopped gateway', async () => {
    await alterStore(dataDir, 'update message set balance_after = 980000 where id = ?', BigInt(msgId));
    const found = { account: 'acme', entry: '2', message: msgId, part: null, expected: '0.99', found: '0.98' };
    const fault = {
      promise: 'M6',
      ...found,
      fault: 'the balance that was answered to the client is not the balance after this message',
    };
    const live = await morsel('ledger check --json');
    assert.equal(live.status, 1);
    assert.deepEqual(toJson(JSON.parse(live.out))['faults'], [fault]);
    assert.match(live.errors, /"detail":"the ledger has 1 fault"/);
    await gateway.stop();
    const offline = await morsel(`ledger check --json --data-dir ${dataDir}`);
    assert.deepEqual([offline.status, offline.out], [live.status, live.out]);
    const shown = await morsel(`ledger check --data-dir ${dataDir}`);
    assert.match(
      shown.out,
      /^PROMISE +ACCOUNT +ENTRY .*\nM6 +acme +2 +\d{16} +0\.99 +0\.98 +the balance that was answered/,
    );
    assert.match(shown.errors, /^morsel: the ledger has 1 fault\n$/);
    await alterStore(dataDir, 'pragma user_version = 0');
    const { errors } = await morsel(`ledger check --data-dir ${dataDir}`);
    assert.match(errors, /has version 0 and this program reads version \d+: start the gateway on it once/);
  });
});
