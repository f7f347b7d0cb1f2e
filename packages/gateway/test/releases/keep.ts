/*
 * `npm run keep-release`: makes a database of the present version for each engine, which every later version must open. A gateway
 * runs, everything happens to it once, and it stops with work left. The files are in a folder beside this one.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import { masterKeyName } from '../../src/state/sealing/master-key.ts';
import { allTables } from '../../src/state/tables/all.ts';
import { version } from '../../src/runtime/version.ts';
import { Postgres, postgresFolder } from '../support/store/postgres.ts';
import { readAnswers, type Answers } from './answers.ts';
import { live } from './life.ts';

const kept = join(import.meta.dirname, version);

/** Their rows are there for seconds, or come after months. */
const passing = new Set(['inbound_repeat', 'price_import', 'removed_charge', 'retention', 'route_to_follow']);

async function keep(engine: 'sqlite' | 'postgres', url?: string): Promise<void> {
  const folder = join(kept, engine);
  mkdirSync(folder, { recursive: true });
  const tour = await live(url === undefined ? {} : { environment: { MORSEL_DATABASE_URL: url } });
  await tour.start({ isHeld: true });
  const answers = await readAnswers(tour.gateway, tour.dataDir);
  const at = tour.clock.now();
  await tour.stop();
  writeFileSync(join(folder, 'answers.json'), written(at, answers));
  for (const name of [masterKeyName, 'operator-key']) copyFileSync(join(tour.dataDir, name), join(folder, name));
  writeFileSync(join(folder, 'morsel.gz'), gzipSync(url === undefined ? copyOf(tour.dataDir) : dumpOf(url)));
  await tour.simulator.close();
  rmSync(tour.dataDir, { recursive: true });
}

/** JSON with a line for each row. */
function written(at: number, answers: Answers): string {
  const lists = Object.entries(answers).map(
    ([name, rows]) => `${JSON.stringify(name)}: [\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]`,
  );
  return `{ "at": ${at}, "answers": {\n${lists.join(',\n')}\n} }\n`;
}

function copyOf(dataDir: string): Uint8Array {
  const copy = join(dataDir, 'copy.db');
  using database = new DatabaseSync(join(dataDir, 'morsel.db'));
  const empty = allTables.filter(({ name }) => database.prepare(`select 1 from ${name}`).get() === undefined);
  const missed = empty.filter(({ name }) => !passing.has(name)).map(({ name }) => name);
  assert.deepEqual(missed, [], 'a table is empty: let `life.ts` fill it');
  database.exec(`vacuum into '${copy}'`);
  return readFileSync(copy);
}

function dumpOf(url: string): Uint8Array {
  return execFileSync(join(postgresFolder, 'pg_dump'), ['--no-owner', url], { maxBuffer: 64 << 20 });
}

rmSync(kept, { recursive: true, force: true });
await keep('sqlite');
await using server = await Postgres.start();
await keep('postgres', server.url);
process.stdout.write(`${kept}\n`);
