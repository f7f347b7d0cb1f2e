/*
 * Kills a store under load, and then cuts or deletes its WAL. The start must notice each lost commit that is older than
 * a second. A start after a kill alone is never refused.
 */

import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { secondMs } from '@morsel/api/values/time.ts';
import { assertNothingLost } from '../../src/store/sqlite/commit-count.ts';
import { assertUsable } from '../../src/store/sqlite/database.ts';
import { StoreRefused } from '../../src/state/sealing/refused.ts';
import { Chance } from '../support/chance.ts';
import { Child } from '../support/gateway/child.ts';
import { waitUntil } from '../support/wait-until.ts';

const kills = Number(process.env['CRASH_KILLS'] ?? 1);
const cuts = 20;
const folder = mkdtempSync(join(tmpdir(), 'morsel-lost-'));
after(() => rmSync(folder, { recursive: true, force: true }));

describe('a store that was killed', () => {
  it('starts again, and is refused if commits that are older than a second are missing', async (t) => {
    const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 2 ** 32);
    t.diagnostic(`seed ${seed}: CRASH_SEED=${seed} makes the same bursts and cuts again`);
    const chance = new Chance(seed);
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir);
    let losses = 0;
    for (let kill = 0; kill < kills; kill++) {
      const before = kill === 0 ? 0 : commitsOf(dataDir);
      const killed = await killUnderLoad(dataDir, chance);
      assert.equal(findLoss(dataDir), undefined, 'a kill alone loses nothing');
      const commits = commitsOf(dataDir);
      assert.ok(commits - before >= killed.times.length, 'each acknowledged commit is there');
      for (let cut = 0; cut < cuts; cut++) {
        const lossy = join(folder, 'lossy');
        rmSync(lossy, { recursive: true, force: true });
        cpSync(dataDir, lossy, { recursive: true });
        const wal = join(lossy, 'morsel.db-wal');
        if (cut === 0) rmSync(wal);
        else truncateSync(wal, chance.between(0, statSync(wal).size));
        const kept = commitsOf(lossy) - before;
        const [firstLost = Number.POSITIVE_INFINITY] = killed.times.slice(Math.max(0, kept));
        const loss = findLoss(lossy);
        if (firstLost < killed.at - secondMs)
          assert.match(String(loss?.message), /acknowledged commits? (is|are) missing/);
        losses += loss ? 1 : 0;
      }
    }
    assert.ok(losses > 0, 'some cuts lose commits that were counted');
  });
});

/** Returns when the commits were acknowledged, and when the process was killed. */
async function killUnderLoad(dataDir: string, chance: Chance) {
  const program = join(import.meta.dirname, 'commit-program.ts');
  await using child = new Child([join(dataDir, 'morsel.db'), String(chance.between(1, 1e9))], { file: program });
  const until = chance.between(1_200, 2_400);
  const first = await waitUntil('it commits', () => Number(child.out.split('\n', 1)[0]) || undefined);
  await waitUntil('it has committed for a while', () => child.isEnded || Date.now() > first + until);
  const at = Date.now();
  child.signal('SIGKILL');
  const { out, errors } = await child.ended;
  assert.equal(errors, '');
  return { at, times: out.trim().split('\n').map(Number) };
}

function commitsOf(dataDir: string): number {
  return assertUsable(join(dataDir, 'morsel.db'), false);
}

function findLoss(dataDir: string): StoreRefused | undefined {
  const file = join(dataDir, 'morsel.db');
  try {
    assertNothingLost(file, assertUsable(file, false));
    return undefined;
  } catch (fault) {
    if (fault instanceof StoreRefused) return fault;
    throw fault;
  }
}
