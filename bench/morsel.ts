/* One round of the gateway under the load of `http`: starts it, loads it, and collects its figures. */

import { setUp } from '../packages/gateway/test/peers/set-up.ts';
import { compare, readSettledBooks } from './books.ts';
import { makeFolder } from './folder.ts';
import { warmUpSeconds } from './measured.ts';
import type { Measured, RoundSettings } from './measured.ts';
import { Sink } from './sink.ts';
import { usageOf } from './usage.ts';
import { runWrk } from './wrk.ts';
import type { Answers } from './wrk.ts';
import { GatewayProcess } from '../packages/gateway/test/support/gateway-process.ts';

/** A prepared data directory, and what a client and a carrier need to use it. */
export interface Prepared {
  readonly dataDir: string;
  readonly token: string;
  /** The port on which the gateway expects the carrier. */
  readonly carrierPort: number;
}

export const windowMax = 1_000;

/** One round on an empty store. */
export async function measureFresh(settings: RoundSettings): Promise<Measured> {
  await using folder = makeFolder();
  await using sink = await Sink.start(folder.path);
  await using program = await GatewayProcess.start({ dataDir: folder.path });
  const { token } = await setUp(program, { port: sink.port, window: windowMax });
  return await measure({ programs: [program], sink, tokens: [token], settings });
}

/** One round on a filled store. */
export async function measurePrepared(prepared: Prepared, settings: RoundSettings): Promise<Measured> {
  await using folder = makeFolder();
  await using sink = await Sink.start(folder.path, prepared.carrierPort);
  await using program = await GatewayProcess.start({ dataDir: prepared.dataDir });
  return await measure({ programs: [program], sink, tokens: [prepared.token], settings });
}

export interface Round {
  /** The gateway, or nodes that share a database. */
  readonly programs: readonly GatewayProcess[];
  readonly sink: Sink;
  /** Of the accounts, which take turns. */
  readonly tokens: readonly string[];
  /** The names of the accounts. */
  readonly accounts?: readonly string[];
  readonly settings: RoundSettings;
  /** Microseconds of CPU that the database has used until now. */
  readonly databaseCpu?: () => number;
}

/** Loads the gateway, or all nodes at the same time, and compares the counts. */
export async function measure(round: Round): Promise<Measured> {
  const { programs, sink, settings } = round;
  const { seconds } = settings;
  const warm = await loadAll(round, warmUpSeconds);
  await sink.has(warm.answered);
  await sink.countAnew();
  const before = await look(round);
  const answers = await loadAll(round, seconds);
  await sink.has(answers.answered);
  const after = await look(round);
  const counts = await sink.stop();
  for (const program of programs) await program.stop();

  const cpu = (name: 'cpu' | 'databaseCpu') => (after[name] - before[name]) / answers.answered;
  return {
    acceptedPerSecond: answers.answered / seconds,
    endToEndPerSecond: counts.acks / counts.seconds,
    p50Ms: answers.p50Ms,
    p99Ms: answers.p99Ms,
    messages: answers.answered,
    own: {
      // Each group needs one fsync.
      fsyncsPerSecond: (after.groups - before.groups) / counts.seconds,
      peakResidentBytes: after.peakResidentBytes,
      cpuMicrosecondsPerMessage: cpu('cpu'),
      ...(round.databaseCpu && { databaseMicrosecondsPerMessage: cpu('databaseCpu') }),
    },
    faults: compare({ answers, counts, before: before.books, after: after.books }),
  };
}

/** Each node gets its share of the connections. The times are those of the slowest node. */
async function loadAll({ programs, tokens, settings }: Round, seconds: number): Promise<Answers> {
  const connections = Math.ceil(settings.connections / programs.length);
  const answers = await Promise.all(
    programs.map(({ httpPort: port }, loader) =>
      runWrk({ ...settings, seconds, connections, gateway: 'morsel', port, tokens, loader }),
    ),
  );
  const sum = (name: keyof Answers) => answers.reduce((total, each) => total + each[name], 0);
  const most = (name: keyof Answers) => Math.max(...answers.map((each) => each[name]));
  return {
    sent: sum('sent'),
    answered: sum('answered'),
    refused: sum('refused'),
    broken: sum('broken'),
    p50Ms: most('p50Ms'),
    p99Ms: most('p99Ms'),
  };
}

async function look({ programs, accounts = ['acme'], databaseCpu }: Round) {
  const [first] = programs;
  if (!first) throw new Error('there is no gateway');
  const usages = programs.map(({ pid }) => usageOf(pid));
  const groups = await Promise.all(
    programs.map(async (program) => (await program.ask('v1/status')).number('store', 'groups')),
  );
  return {
    cpu: usages.reduce((sum, { cpuMicroseconds }) => sum + cpuMicroseconds, 0),
    databaseCpu: databaseCpu?.() ?? 0,
    peakResidentBytes: Math.max(...usages.map((usage) => usage.peakResidentBytes)),
    groups: groups.reduce((sum, each) => sum + each, 0),
    books: await readSettledBooks(first, accounts),
  };
}
