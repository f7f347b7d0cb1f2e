/* See `about` below. */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreRefused } from '../../src/state/sealing/refused.ts';
import { masterKeyName } from '../../src/state/sealing/master-key.ts';
import { Vault } from '../../src/state/sealing/vault.ts';
import { openToWrite } from '../../src/store/sqlite/open.ts';
import { databaseName } from '../../src/store/stopped.ts';
import { send } from '../peers/send.ts';
import { setUpAndStop, untilBound } from '../peers/set-up.ts';
import { Carrier } from '../peers/smpp/carrier.ts';
import { Chance } from '../support/chance.ts';
import { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { storeFaults } from '../support/store/rules/store-faults.ts';
import { StoreFile } from '../support/store/store-file.ts';
import { waitUntil } from '../support/wait-until.ts';
import { Disk, readLog, Promised, type LogRecord } from './power-log.ts';
import { runFault, type Outcome } from './script.ts';
import { Shim } from './shim.ts';

const about = `A power cut: a gateway works while a shim logs each write and sync of its data folder, and what it answers.
Then 200 prefixes of the log are put on a disk: what was synced, and of all later writes any, whole or torn. On each
the store must open and begin, with all that the gateway had answered, and with nothing double. CRASH_SEED repeats a
run's choices.`;

const cuts = 200;
const clients = 8;
const messagesOfClient = 45;

/** Runs a gateway under the shim: a load, an empty WAL, a second load, and a stop in order. */
async function work(folder: string, dataDir: string, shim: Shim): Promise<ReadonlyMap<string, Buffer>> {
  await using carrier = await Carrier.start();
  const { token } = await setUpAndStop(dataDir, carrier);
  const files = new Map(readdirSync(dataDir).map((name) => [name, readFileSync(join(dataDir, name))]));
  const environment = { ...shim.environment, FAULT_FOLDER: dataDir, FAULT_LOG: join(folder, 'log') };
  await using gateway = await GatewayProcess.start({ dataDir, environment });
  await untilBound(gateway);
  let number = 0;
  const load = async (): Promise<void> => {
    for (let at = 0; at < messagesOfClient; at++) await send(gateway, { token, number: ++number, text: 'Hello' });
  };
  for (const pauseMs of [1_500, 0]) {
    await Promise.all(Array.from({ length: clients }, load));
    await waitUntil('all receipts are acknowledged', () => carrier.acknowledged === number);
    await sleep(pauseMs);
  }
  await gateway.stop();
  return files;
}

/** Starts the store on a folder as the writing thread does, and compares it with what others were promised. */
async function look(dataDir: string, promised: Promised): Promise<string[]> {
  const file = join(dataDir, databaseName);
  const { engine, count } = openToWrite(
    { kind: 'sqlite', file, isExpected: true },
    new Vault(join(dataDir, masterKeyName)),
  );
  const { results } = await engine.apply([{ kind: 'begin', at: Date.now() }]);
  count.close();
  await engine.close();
  using store = StoreFile.of(dataDir);
  const stored = new Set(store.texts('select id from message'));
  const claimed = new Set(
    store.texts('select receiver from message join part on part.message = message.id where attempts > 0'),
  );
  const receipts = store.count(
    "select (select count(*) from part where state = 'delivered') + (select count(*) from unmatched_receipt)",
  );
  const missing = promised.acknowledged.size - receipts;
  return [
    ...results.filter(({ ok }) => !ok).map((result) => `the store did not begin: ${JSON.stringify(result)}`),
    ...storeFaults(store),
    ...[...promised.accepted]
      .filter((id) => !stored.has(id))
      .map((id) => `A1: message ${id} was answered, and is lost`),
    ...[...promised.submitted].filter((to) => !claimed.has(to)).map((to) => `S1: the claim of ${to} is lost`),
    ...(missing > 0 ? [`D5: ${missing} acknowledged receipts are lost`] : []),
    ...store.texts("select 'double: ' || receiver from message group by receiver having count(*) > 1"),
  ];
}

async function run(): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'morsel-power-'));
  using shim = new Shim(folder);
  const dataDir = join(folder, 'data');
  const files = await work(folder, dataDir, shim);
  const log: readonly LogRecord[] = readLog(join(folder, 'log'));
  const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 1_000_000);
  const chance = new Chance(seed);
  const places = new Set(Array.from({ length: cuts }, () => chance.between(0, log.length)));
  const disk = new Disk(dataDir, files);
  const promised = new Promised();
  const wrong: string[] = [];
  let checked = 0;
  for (const [at, record] of log.entries()) {
    if (places.has(at)) {
      const left = join(folder, 'left');
      mkdirSync(left);
      disk.cutInto(left, chance);
      const found = await look(left, promised).catch((fault: unknown) => {
        if (fault instanceof StoreRefused) return [fault.message];
        throw fault;
      });
      wrong.push(...found.map((sentence) => `cut before record ${at}, seed ${seed}: ${sentence}`));
      checked += promised.accepted.size + promised.submitted.size + promised.acknowledged.size;
      rmSync(left, { recursive: true });
    }
    disk.apply(record);
    promised.hear(record);
  }
  if (wrong.length === 0) rmSync(folder, { recursive: true });
  const syncs = log.filter(({ kind }) => kind === 's').length;
  const double = wrong.filter((sentence) => sentence.includes('double')).length;
  const books = { accepted: promised.accepted.size, lost: wrong.length - double, double };
  return { figures: { ...books, cuts: places.size, records: log.length, syncs, checked }, wrong };
}

await runFault({ about, needs: ['cc'], run });
