/*
 * Inbound messages and receipts for clients with a webhook or with sessions, under kill -9: acknowledged parts are
 * joined, no message is made twice, and each message and receipt reaches its client under one id (O1, O2, D6).
 */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Chance } from '../support/chance.ts';
import { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { StoreFile } from '../support/store/store-file.ts';
import { waitUntil } from '../support/wait-until.ts';
import { deliveryFaults, InboundWorld, lossesOf, setUpInbound } from './inbound-world.ts';

const kills = Number(process.env['CRASH_KILLS'] ?? 1);
const loadMinMs = 150;
const loadMaxMs = 500;
/** The number of messages and parts that must be acknowledged before each kill. */
const loadPerKill = 20;

it(`${kills} times kill -9 amid inbound messages and receipts: all reach their client under one id (O1, O2, D6)`, async (t) => {
  const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 2 ** 32);
  t.diagnostic(`seed ${seed}: CRASH_SEED=${seed} makes the same parts again`);
  const chance = new Chance(seed);
  const dataDir = mkdtempSync(join(tmpdir(), 'morsel-crash-inbound-'));
  await using world = await InboundWorld.open(chance);
  const { carrier, phones } = world;
  const serving = world.serve();
  const bound = () => waitUntil('the link is bound', () => carrier.links === 1, 30_000);
  for (let kill = 0; kill < kills; kill++) {
    await using gateway = await GatewayProcess.start({ dataDir });
    if (kill === 0) await setUpInbound(gateway, world);
    await bound();
    const ear = await world.bind(gateway.smppPort);
    const load = [phones.bring(carrier, true), world.submit(ear)];
    await sleep(chance.between(loadMinMs, loadMaxMs));
    const enough = loadPerKill * (kill + 1);
    const isEnough = () => phones.acknowledged > enough && world.submitted.size > enough;
    await waitUntil('a load that proves something', isEnough, 30_000);
    await gateway.kill();
    await Promise.all(load);
    await waitUntil('the link has ended', () => carrier.links === 0);
    using store = StoreFile.copyOf(dataDir);
    assert.deepEqual(lossesOf(store, phones.messages).slice(0, 5), []);
  }
  await using gateway = await GatewayProcess.start({ dataDir });
  await bound();
  await world.bind(gateway.smppPort);
  await phones.bring(carrier, false);
  let left: readonly string[] = [];
  await waitUntil(
    () => `all is delivered, but ${left.slice(0, 5).join()}`,
    () => {
      using store = StoreFile.of(dataDir);
      const undelivered = store.texts("select id || ' ' || state from notification where state <> 'delivered'");
      left = [...undelivered, ...deliveryFaults(store, world)];
      return left.length === 0;
    },
    60_000,
    500,
  );
  await gateway.stop();
  using store = StoreFile.of(dataDir);
  assert.deepEqual([...lossesOf(store, phones.messages), ...deliveryFaults(store, world)].slice(0, 5), []);
  assert.equal(store.count('select count(*) from inbound'), phones.messages.length);
  const isNew = `select count(*) from inbound_part where not exists (select 1 from inbound_joined as joined
    where (joined.sender, joined.concatenation_reference, joined.concatenation_number)
      = (inbound_part.sender, inbound_part.concatenation_reference, inbound_part.concatenation_number))`;
  assert.equal(store.count(isNew), 0, 'what waits only came again');
  const again = world.heard.length + world.told.length - store.count('select count(*) from notification');
  t.diagnostic(JSON.stringify({ messages: phones.messages.length, receipts: world.submitted.size, again }));
  await world[Symbol.asyncDispose]();
  await serving;
  rmSync(dataDir, { recursive: true, force: true });
});
