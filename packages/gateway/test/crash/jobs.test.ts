/* A job in a gateway that is killed again and again: each part is settled once, and the job ends once. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { runMorsel } from '../support/gateway/run-morsel.ts';
import { writeManyDoubts } from '../support/gateway/many-messages.ts';
import { toJson } from '../support/json.ts';
import { manyRows } from '../support/store/store.ts';
import { StoreFile } from '../support/store/store-file.ts';
import { waitUntil } from '../support/wait-until.ts';

const thousands = manyRows(100, 2);
const parts = thousands * 1_000;
const kills = manyRows(10, 2);
const waitMs = manyRows(600_000, 60_000);
const reason = 'the carrier lost them';

it(`a job of ${parts} parts survives kill -9 ${kills} times, and ends exactly once`, async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'morsel-jobs-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  await writeManyDoubts(join(dataDir, 'morsel.db'), 1_000, thousands);
  let gateway = await GatewayProcess.start({ dataDir });
  const begun = performance.now();
  const words = ['--all', '--as', 'unknown', '--reason', reason, '--yes', '--json'];
  // The command waits for the end of the job, and so meets the first kill.
  const command = runMorsel(['message', 'settle', ...words], { dataDir });
  const killedAt: number[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const passed = async () => {
      const [job] = Object.values(toJson((await gateway.ask('v1/jobs')).at('items'))).map(toJson);
      const decided = Number(job?.['decided'] ?? -1);
      return decided >= (kill * parts) / kills && decided;
    };
    killedAt.push(await waitUntil('the job has gone on', passed, waitMs));
    await gateway.kill();
    gateway = await GatewayProcess.start({ dataDir });
  }
  assert.match((await command).errors, /job 1 goes on: job show 1/);
  const isDone = async () => (await gateway.ask('v1/jobs/1')).text('state') === 'done';
  await waitUntil('the job is done', isDone, waitMs);
  t.diagnostic(`${parts} parts, killed at ${killedAt.join(', ')}: ${Math.round(performance.now() - begun)} ms`);
  const job = toJson((await gateway.ask('v1/jobs/1')).value);
  assert.deepEqual([job['decided'], job['outcomes']], [parts, [{ outcome: 'settled', rows: parts }]]);
  await gateway.stop();
  using store = StoreFile.of(dataDir);
  assert.equal(store.count("select count(*) from part where state = 'unknown'"), parts);
  assert.equal(store.count('select count(*) from doubt'), 0);
  const notes = "select count(*) from note where detail = 'job 1 settled the part as unknown'";
  assert.equal(store.count(notes), parts);
  const [entry, ...others] = store.rows('select operation, reason, changes from audit_entry');
  assert.deepEqual([entry?.text('operation'), entry?.text('reason'), others], ['message.settleMany', reason, []]);
  assert.match(entry?.text('changes') ?? '', new RegExp(`"rows":${parts}\\b`));
});
