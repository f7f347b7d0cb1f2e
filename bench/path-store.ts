/* The cost of a message in the writing thread, step by step: load, decide, write, commit, fsync. */

import type { Command } from '../packages/gateway/src/store/commands.ts';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { nextMessageId } from '@morsel/gateway/core/base/message-id.ts';
import type { Settings } from '@morsel/gateway/core/snapshot.ts';
import { applyGroup } from '@morsel/gateway/store/apply.ts';
import { Reader } from '@morsel/gateway/store/reader.ts';
import type { Rows } from '@morsel/gateway/store/tables/rows.ts';
import { migrate, openForWriting } from '@morsel/gateway/store/sqlite/database.ts';
import { SqliteEngine } from '@morsel/gateway/store/sqlite/engine.ts';
import { makeFolder } from './folder.ts';
import { spreadOf } from './measured.ts';
import type { Cost } from './path-clock.ts';
import { acceptCommand, firstLease, idsOf, outcomeCommand, receiptCommand, setUpCommands } from './message.ts';
import type { Moment } from './message.ts';
import { masterKeyName } from '@morsel/gateway/store/sealing/master-key.ts';
import { Vault } from '@morsel/gateway/store/sealing/vault.ts';

const groups = 300;
const warmUpGroups = 100;

/** Ids of a prepared store. */
export async function readSettings(): Promise<Settings> {
  await using folder = makeFolder();
  const file = join(folder.path, 'morsel.db');
  (await openStore(file, 'full')).close();
  return await settingsOf(file);
}

/**
 * Measures a message in groups of `groupSize` commands: load, decide and write of each of its three commands, and the
 * message's share of the commits and of their fsyncs.
 */
export async function measureStore(groupSize: number): Promise<Cost[]> {
  const off = await measureGroups('off', groupSize);
  const full = await measureGroups('full', groupSize);
  const kinds = [off.accept, off.outcome, off.receipt];
  const commitMs = kinds.reduce((sum, kind) => sum + kind.commit, 0);
  const fsyncMs = median(full.fsyncs) - median(off.fsyncs);
  const share = (ms: number) => (ms * 1_000) / groupSize;
  return [
    ...Object.entries({ accept: off.accept, outcome: off.outcome, receipt: off.receipt }).flatMap(([kind, times]) => [
      { part: `${kind}: all of it`, microseconds: share(times.load + times.decide + times.write) },
      { part: 'load', microseconds: share(times.load), isWithin: true },
      { part: 'decide', microseconds: share(times.decide), isWithin: true },
      { part: 'write', microseconds: share(times.write), isWithin: true },
    ]),
    { part: 'begin and commit, its share of 3 groups', microseconds: share(commitMs) },
    { part: `fsync: ${fsyncMs.toFixed(2)} ms a group, its share of 3 groups`, microseconds: 3 * share(fsyncMs) },
  ];
}

/** The median time of a group, in milliseconds. */
interface Times {
  readonly load: number;
  readonly decide: number;
  readonly write: number;
  readonly commit: number;
}

async function measureGroups(synchronous: 'off' | 'full', size: number) {
  await using folder = makeFolder();
  const file = join(folder.path, 'morsel.db');
  using database = await openStore(file, synchronous);
  const ids = idsOf(await settingsOf(file), firstLease);
  const engine = new TimedEngine(database, { vault: new Vault(masterKeyIn(file)) });
  const times = { accept: new Laps(), outcome: new Laps(), receipt: new Laps() };
  let id = nextMessageId(0, Date.now(), 0);
  for (let group = 0; group < warmUpGroups + groups; group++) {
    const moments: Moment[] = Array.from({ length: size }, (_none, index) => {
      const at = Date.now();
      id = nextMessageId(id, at, 0);
      return { id, at, receiver: `+4179${String((group * size + index) % 10_000_000).padStart(7, '0')}` };
    });
    const isKept = group >= warmUpGroups;
    const run = async (laps: Laps, commands: readonly Command[]) => {
      const lap = await engine.time(commands);
      if (isKept) laps.add(lap);
    };
    await run(
      times.accept,
      moments.map((moment) => acceptCommand(ids, moment)),
    );
    await run(
      times.outcome,
      moments.map((moment) => outcomeCommand(ids, moment)),
    );
    await run(
      times.receipt,
      moments.map((moment) => receiptCommand(ids, moment)),
    );
    // Checkpoints like the checkpoint thread, so that the WAL does not grow without limit.
    if (group % 50 === 49) database.exec('pragma wal_checkpoint(restart)');
  }
  return {
    accept: times.accept.medians(),
    outcome: times.outcome.medians(),
    receipt: times.receipt.medians(),
    fsyncs: [...times.accept.commits, ...times.outcome.commits, ...times.receipt.commits],
  };
}

function masterKeyIn(file: string): string {
  return join(dirname(file), masterKeyName);
}

async function openStore(file: string, synchronous: 'off' | 'full'): Promise<DatabaseSync & Disposable> {
  const database = openForWriting(file);
  migrate(database);
  database.exec(`pragma synchronous = ${synchronous}`);
  const vault = new Vault(masterKeyIn(file));
  vault.check([]);
  const results = await applyGroup(new SqliteEngine(database, { vault }), setUpCommands, ears);
  if (results.some((result) => !result.ok)) throw new Error('the store took no settings');
  return database;
}

async function settingsOf(file: string): Promise<Settings> {
  await using reader = new Reader({
    place: { kind: 'sqlite', file, isExpected: true, masterKey: masterKeyIn(file) },
    onFault: fail,
    onFatal: fail,
  });
  const settings = await reader.ask('settings', Date.now());
  if (!settings.ok) throw new Error('the settings cannot be read');
  return settings.value;
}

const ears = { fault: fail, noRoom: fail, applied: () => {} };

function fail(reason: unknown): never {
  throw new Error('the store refused what it should take', { cause: reason });
}

function median(values: readonly number[]): number {
  return spreadOf(values).median;
}

class Laps {
  readonly #laps: Times[] = [];

  add(lap: Times): void {
    this.#laps.push(lap);
  }

  get commits(): number[] {
    return this.#laps.map((lap) => lap.commit);
  }

  medians(): Times {
    const of = (figure: keyof Times) => median(this.#laps.map((lap) => lap[figure]));
    return { load: of('load'), decide: of('decide'), write: of('write'), commit: of('commit') };
  }
}

/** The engine with a stopwatch at each step. */
class TimedEngine extends SqliteEngine {
  #spent = { load: 0, write: 0, commit: 0 };

  /** Applies a group, and returns the duration of each step. */
  async time(commands: readonly Command[]): Promise<Times> {
    this.#spent = { load: 0, write: 0, commit: 0 };
    const begin = performance.now();
    const results = await applyGroup(this, commands, ears);
    const took = performance.now() - begin;
    if (results.some((result) => !result.ok)) throw new Error('the store refused a command');
    const { load, write, commit } = this.#spent;
    return { load, write, commit, decide: took - load - write - commit };
  }

  protected override load(commands: readonly Command[]): Rows {
    return this.#spend('load', () => super.load(commands));
  }

  protected override write(rows: Rows): void {
    this.#spend('write', () => super.write(rows));
  }

  protected override commit(): void {
    this.#spend('commit', () => super.commit());
  }

  #spend<T>(step: 'load' | 'write' | 'commit', run: () => T): T {
    const begin = performance.now();
    const result = run();
    this.#spent[step] += performance.now() - begin;
    return result;
  }
}
