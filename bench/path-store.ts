/* The cost of a message in the writing thread, step by step: load, decide, write, commit, fsync. */

import { toMicros } from '@morsel/api/values/money.ts';
import { applyGroup } from '@morsel/gateway/store/writer.ts';
import { SqliteEngine } from '@morsel/gateway/store/sqlite/engine.ts';
import type { Rows } from '@morsel/gateway/state/rows/rows.ts';
import type { Command } from '../packages/gateway/src/state/commands.ts';
import { operate } from '../packages/gateway/test/support/store/operate.ts';
import { SqliteTestStore } from '../packages/gateway/test/support/store/store.ts';
import { testVault } from '../packages/gateway/test/support/store/vault.ts';
import { figure, type Figure } from './harness.ts';

const warmUpGroups = 50;
const groups = 200;
/** How many commands share a commit under load. */
export const groupSize = 100;
/** The groups between two checkpoints. As in the gateway, checkpoints keep the WAL small. */
const checkpointEvery = 50;

/** Opens a store with a carrier, a route, a price, and an account with money. */
export async function openStore(): Promise<SqliteTestStore> {
  const store = await SqliteTestStore.open();
  const amount = toMicros(10n ** 12n);
  await store.one(operate('posting.topUp', { account: 'acme', amount }, { at: store.now }));
  const prices = [{ prefix: '41', price: toMicros(10n) }];
  await store.one(operate('price.set', { list: 'default', prices }, { at: store.now }));
  return store;
}

export function commandsOf(store: SqliteTestStore, number: number) {
  const [id, { lease }] = [store.ownId(), store];
  const receiver = `+4179${String(number % 10_000_000).padStart(7, '0')}`;
  const carrierId = String(id);
  return {
    accept: store.accept({ id, receiver, claim: { carrier: 1, link: 1, lease, isWhole: false } }),
    outcome: store.outcome(id, { lease, carrierId, carrierIdKey: carrierId }),
    receipt: store.receipt(carrierId, { receiver, errorCode: '000' }),
  };
}

const kinds = ['accept', 'outcome', 'receipt'] as const;

/** The cost of a message in groups: each step of its three commands, and its share of the commits and fsyncs. */
export async function measureStore(): Promise<Figure[]> {
  await using store = await openStore();
  const engine = new TimedEngine(store.database, { vault: testVault });
  const off = await measureGroups(store, engine, 'off');
  const full = await measureGroups(store, engine, 'full');
  const fsync = full.commit - off.commit;
  return [
    ...kinds.flatMap((kind) => [
      figure(kind, `writing thread, ${kind}: all of it`, 'us', off[kind].load + off[kind].decide + off[kind].write),
      figure(`${kind}Load`, '  of it load', 'us', off[kind].load),
      figure(`${kind}Decide`, '  of it decide', 'us', off[kind].decide),
      figure(`${kind}Write`, '  of it write', 'us', off[kind].write),
    ]),
    figure('commit', 'writing thread, begin and commit', 'us', off.commit),
    figure('fsync', `waiting for fsyncs of groups of ${groupSize}`, 'us', fsync),
  ];
}

/** Measures the mean times of a message, in microseconds. */
async function measureGroups(store: SqliteTestStore, engine: TimedEngine, synchronous: 'off' | 'full') {
  // A statement by hand, so that the test store does not check its counts at the end.
  await store.run(`pragma synchronous = ${synchronous}`);
  const spent = { accept: newLap(), outcome: newLap(), receipt: newLap() };
  for (let group = 0; group < warmUpGroups + groups; group++) {
    const messages = Array.from({ length: groupSize }, (_none, index) => commandsOf(store, group * groupSize + index));
    for (const kind of kinds) {
      const lap = await engine.time(messages.map((each): Command => each[kind]));
      if (group >= warmUpGroups) for (const step of steps) spent[kind][step] += lap[step];
    }
    if (group % checkpointEvery === checkpointEvery - 1) store.database.exec('pragma wal_checkpoint(restart)');
  }
  for (const kind of kinds) for (const step of steps) spent[kind][step] *= 1_000 / (groups * groupSize);
  return { ...spent, commit: kinds.reduce((sum, kind) => sum + spent[kind].commit, 0) };
}

const steps = ['load', 'decide', 'write', 'commit'] as const;
const newLap = () => ({ load: 0, decide: 0, write: 0, commit: 0 });

const ears = { fault: fail, noRoom: fail, applied: () => undefined };

function fail(reason: unknown): never {
  throw new Error('the store refused what it should take', { cause: reason });
}

class TimedEngine extends SqliteEngine {
  #spent = newLap();

  /** Applies a group, and returns the milliseconds of each step. */
  async time(commands: readonly Command[]): Promise<ReturnType<typeof newLap>> {
    this.#spent = newLap();
    const begin = performance.now();
    const results = await applyGroup(this, commands, ears);
    const took = performance.now() - begin;
    if (results.some((result) => !result.ok)) fail(results);
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
