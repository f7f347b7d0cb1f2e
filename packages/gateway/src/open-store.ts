import { join } from 'node:path';
import type { Config } from './config.ts';
import type { Rejection } from './core/base/rejection.ts';
import { hasOperatorKey, openOperatorKey, prepareDataDirectory } from './edge/admin/operator-files.ts';
import { durationText } from './core/base/clock.ts';
import { clockOffMaxMs, usualQuietMs } from './core/nodes/members.ts';
import { DatabaseClock } from './flow/nodes/database-clock.ts';
import { onlyNode, type Nodes, type NodeTimes } from './flow/nodes/nodes.ts';
import { Meters } from './flow/metrics/meters.ts';
import type { Traces } from './flow/metrics/traces.ts';
import type { Tools } from './flow/ports.ts';
import { Replays } from './flow/replay/replays.ts';
import { SharedNodes, takenOver } from './flow/nodes/shared-nodes.ts';
import type { Cleaner } from './flow/privacy/erasing.ts';
import type { DropOld } from './flow/privacy/retention.ts';
import { machineClock, sleep, type Clock } from './runtime/clock.ts';
import { Loop } from './runtime/loop.ts';
import type { Log } from './runtime/log.ts';
import { machineRandom, type Random } from './runtime/random.ts';
import { startSteadyClock, type SteadyClock } from './runtime/steady-clock.ts';
import { version } from './runtime/version.ts';
import { ownAction } from './state/decide/access/audit.ts';
import type { Begun } from './state/decide/process.ts';
import { Journal } from './store/journal.ts';
import { lockDataDirectory } from './store/lock.ts';
import { Reader } from './store/reader.ts';
import { cleanSqlite } from './store/sqlite/clean.ts';
import { StoreRefused } from './state/sealing/refused.ts';
import { masterKeyName } from './state/sealing/master-key.ts';
import { databaseName } from './store/stopped.ts';
import type { StorePlace } from './store/writer.ts';

/* Opens the store of this node and its clock, and continues after its last run. All other parts need these. */

export interface Store {
  readonly tools: Tools & {
    readonly clock: SteadyClock;
    readonly journal: Pick<
      Journal,
      'append' | 'appendThen' | 'clean' | 'durability' | 'follow' | 'listen' | 'statistics'
    >;
  };
  /** What this run of the node begins with: its lease and ids, and the last times of a trusted clock. */
  readonly begun: Begun;
  readonly nodes: Nodes;
  /** Counters on the path of a message, for metrics. */
  readonly meters: Meters;
  /** The spans of messages; undefined while they are not exported. */
  readonly traces: Traces | undefined;
  readonly replays: Pick<Replays, 'run'>;
  /** Deletes old copies of an erased number from the database's files. */
  readonly cleaner: Cleaner;
  /** Drops tables of old messages; undefined on SQLite. */
  readonly dropOld: DropOld | undefined;
  readonly operatorKey: string;
}

type StoreConfig = Pick<
  Config,
  | 'dataDir'
  | 'databaseUrl'
  | 'nodeName'
  | 'masterKeyFile'
  | 'commitDelayMs'
  | 'traces'
  | 'clockAheadMaxMs'
  | 'memoryMib'
>;

/** Options of a start. Tests pass their own clock and random numbers, and shorter times for several nodes. */
export interface StoreOptions {
  readonly log: Log;
  /** The clock and the random numbers (default: those of the machine). */
  readonly clock?: Clock;
  readonly random?: Random;
  readonly nodeTimes?: NodeTimes;
  /** Whether the operator accepts that the database has lost commits. */
  readonly isLossAccepted?: boolean;
}

/** Opens the store and continues the work of the last run. Throws StoreRefused if the store cannot be used. */
export async function openStore(
  config: StoreConfig,
  options: StoreOptions,
  opened: AsyncDisposableStack,
): Promise<Store> {
  const { log, random = machineRandom, nodeTimes: times } = options;
  const { dataDir, databaseUrl, nodeName, clockAheadMaxMs: aheadMaxMs } = config;
  const { journal, reader, prices, place: storePlace, ...others } = await openDatabase(config, options, opened);
  const key = openOperatorKey(dataDir);
  if (!key.ok) throw new StoreRefused(key.error);
  const onStep = (driftMs: number) =>
    log.warn({ driftMs }, 'the time of this machine was changed by a step: deadlines stay as they were');
  const databaseClock = new DatabaseClock(options.clock ?? machineClock);
  if (databaseUrl !== undefined) {
    await refuseTwin(databaseUrl, nodeName, { clock: databaseClock, times });
    await compareClocks(databaseUrl, databaseClock, times);
  }
  const clock = startSteadyClock(databaseClock, onStep);
  opened.defer(() => clock.stop());
  const at = clock.now();
  const { lostCommits = 0 } = journal.durability;
  if (lostCommits > 0) log.warn({ lostCommits }, 'the database has lost commits, which the operator has accepted');
  const given = JSON.stringify({ lostCommits });
  const accepted = ownAction({ at, operation: 'serve.acceptLoss', carrier: null, reason: null, given });
  const audit = lostCommits > 0 ? { audit: accepted } : {};
  const begun = await journal.append<'begin'>({ kind: 'begin', at, aheadMaxMs, ...audit });
  if (!begun.ok) throw notWritable(dataDir, begun.error);
  const { inDoubt, lease, node } = begun.value;
  if (inDoubt > 0)
    log.warn({ parts: inDoubt }, 'some parts had no answer of a carrier when the last run ended; they are in doubt');
  const place = { databaseUrl, nodeName, node, lease, times, databaseClock };
  const nodes = opened.use(await openNodes(place, { journal, clock, log }));
  if (databaseUrl !== undefined) opened.use(await startKeepingSchema(databaseUrl, { clock, log }));
  const replays = opened.use(new Replays({ log, clock, place: storePlace }));
  return {
    ...others,
    tools: { log, clock, random, journal, reader, prices },
    replays,
    begun: begun.value,
    nodes,
    cleaner: cleanerOf(config, journal),
    dropOld: databaseUrl === undefined ? undefined : droppingIn(databaseUrl),
    operatorKey: key.value,
  };
}

const usualNodeName = 'node';

/** Locks the data directory for this process and opens its database for writing and reading. */
async function openDatabase(
  { dataDir, databaseUrl: url, nodeName: name = usualNodeName, ...config }: StoreConfig,
  { log, isLossAccepted }: Pick<StoreOptions, 'log' | 'isLossAccepted'>,
  opened: AsyncDisposableStack,
) {
  const prepared = prepareDataDirectory(dataDir);
  if (!prepared.ok) throw new StoreRefused(prepared.error);
  if (prepared.value.warning !== undefined) log.warn(prepared.value.warning);
  opened.use(lockDataDirectory(dataDir));
  const file = join(dataDir, databaseName);
  const masterKey = config.masterKeyFile ?? join(dataDir, masterKeyName);
  const common = { masterKey, commitDelayMs: config.commitDelayMs, memoryMib: config.memoryMib };
  const place: StorePlace =
    url === undefined
      ? { ...common, kind: 'sqlite', file, isExpected: hasOperatorKey(dataDir), isLossAccepted }
      : { ...common, kind: 'postgres', url, name };
  const needs = {
    place,
    onFatal: (reason: string) => die(log, reason),
    onFault: (reason: string) => log.error({ reason }, 'the store refused a command'),
  };
  const meters = new Meters();
  const traces = config.traces && opened.use(await openTraces(config.traces));
  const journal = await Journal.open({
    ...needs,
    onApplied: (command, result) => {
      meters.applied(command, result);
      traces?.applied(command, result);
    },
    onGroup: (times) => meters.group(times),
    onReplaced: () => endReplaced(log, takenOver),
    onLost: (groups) => log.error({ groups }, lostCommits),
  });
  opened.use(journal);
  for (const warning of journal.durability.warnings) log.warn(warning);
  const [reader, prices] = [opened.use(new Reader(needs)), opened.use(new Reader(needs))];
  return { journal, meters, traces, reader, prices, place };
}

/** The error for lost commits: a primary without a synchronous standby died, or its standby was behind. */
const lostCommits =
  'the database came back without the newest commits: messages and charges that this node has acknowledged are missing. Compare the log of the clients and the receipts of the carriers with the messages of the last minutes, and see docs/nodes.md for a standby that loses nothing';

async function openTraces(options: NonNullable<Config['traces']>) {
  // A gateway without traces does not load the packages of OpenTelemetry.
  const { Tracing } = await import('./edge/tracing/tracing.ts');
  return new Tracing(options);
}

const twinLookMs = 100;

/**
 * Refuses to start under the name of a running node, because each of the two would end the other. A killed process has
 * no connection to the database any more. A process whose machine is gone may have one, but is quiet.
 */
async function refuseTwin(
  url: string,
  name = usualNodeName,
  { clock, times }: { readonly clock: Clock; readonly times: NodeTimes | undefined },
): Promise<void> {
  const { findTwin } = await import('./store/postgres/members.ts');
  const first = await findTwin(url, name);
  const until = clock.monotonicMs() + (times?.quietMs ?? usualQuietMs);
  for (let twin = first; twin && clock.monotonicMs() < until; twin = await findTwin(url, name)) {
    if (twin.renewedAt !== first?.renewedAt) {
      const from = twin.address === null ? '' : `, and its connection to the database comes from ${twin.address}`;
      throw new StoreRefused(
        `a node named ${name} runs already${from}: give each node a MORSEL_NODE_NAME of its own, or stop the other one`,
      );
    }
    await sleep(clock, twinLookMs);
  }
}

/** Sets the gateway's time to the database's time from the start. Refuses a machine's clock that is too wrong. */
async function compareClocks(url: string, clock: DatabaseClock, times: NodeTimes | undefined): Promise<void> {
  const maxMs = times?.clockOffMaxMs ?? clockOffMaxMs;
  if (maxMs === Infinity) return;
  const { readClock } = await import('./store/postgres/members.ts');
  clock.hear(await readClock(url, clock.machine.now));
  if (Math.abs(clock.offMs) <= maxMs) return;
  const off = `${durationText(Math.abs(clock.offMs))} ${clock.offMs > 0 ? 'ahead of' : 'behind'}`;
  throw new StoreRefused(
    `the clock of this machine is ${off} the clock of the database, and a node may be off by ${durationText(maxMs)} at most: set the wrong one with NTP (docs/nodes.md), and start again`,
  );
}

/** On PostgreSQL, registers this node and learns of the other nodes and their duties. */
async function openNodes(
  place: Pick<Begun, 'node' | 'lease'> & {
    readonly databaseUrl: string | undefined;
    readonly nodeName: string | undefined;
    readonly times: NodeTimes | undefined;
    readonly databaseClock: DatabaseClock;
  },
  { journal, clock, log }: Pick<StoreOptions, 'log'> & Pick<Store['tools'], 'clock'> & { readonly journal: Journal },
): Promise<Nodes> {
  const { databaseUrl: url, nodeName: name = usualNodeName, node, lease, times, databaseClock } = place;
  if (url === undefined) return onlyNode;
  // A gateway on SQLite does not load the client of PostgreSQL.
  const { NodeMembers } = await import('./store/postgres/members.ts');
  const members = new NodeMembers({ url, name, node, lease, release: version });
  const lost = (reason: string) => endReplaced(log, reason);
  return joinNodes({ members, node, times, databaseClock, clock, log, lost }, journal);
}

/** Joins the nodes of a database. A simulation has a database of its own. */
export async function joinNodes(
  place: Omit<ConstructorParameters<typeof SharedNodes>[0], 'settingsChanged' | 'takeOver'>,
  journal: Journal,
): Promise<Nodes> {
  const { members, clock, log } = place;
  await members.join();
  return new SharedNodes({
    ...place,
    settingsChanged: () => journal.forget(),
    takeOver: async (silent, its) => {
      const taken = await journal.append<'take-over'>({ kind: 'take-over', at: clock.now(), node: silent, lease: its });
      const parts = taken.ok ? taken.value.inDoubt : 0;
      if (parts > 0) log.warn({ parts, number: silent }, 'the parts that the silent node was sending are in doubt');
    },
  });
}

function cleanerOf({ dataDir, databaseUrl: url }: StoreConfig, journal: Journal): Cleaner {
  if (url === undefined) {
    const place = { journal, dataDir, file: join(dataDir, databaseName) };
    return { clean: (number, isLeft) => cleanSqlite(place, number, isLeft) };
  }
  return {
    clean: async () => {
      const { cleanPostgres } = await import('./store/postgres/clean.ts');
      return cleanPostgres(url);
    },
  };
}

function droppingIn(url: string): DropOld {
  return async (now) => {
    const { dropPartitions } = await import('./store/postgres/drop-partitions.ts');
    return dropPartitions(url, now);
  };
}

const keepSchemaEveryMs = 60 * 60_000;

/** Makes the tables of the next weeks in PostgreSQL, and finishes a migration that waited for older nodes. */
async function startKeepingSchema(url: string, tools: Pick<Tools, 'clock' | 'log'>): Promise<Loop> {
  const { keepSchema } = await import('./store/postgres/migrate.ts');
  const turn = () => keepSchema(url);
  return new Loop({ ...tools, name: 'keep the schema', everyMs: keepSchemaEveryMs, turn });
}

function notWritable(dataDir: string, { code }: Rejection): Error {
  if (code !== 'unavailable') return new Error('the first write to the store failed');
  return new StoreRefused(
    `the disk with ${dataDir} is full or read-only: free some space, or remount it writable, then start again`,
  );
}

/** Exit status of a node that others may have replaced: its supervisor starts it again. */
const replacedStatus = 75;

function endReplaced(log: Log, reason: string): never {
  log.fatal({ reason }, 'this node ends now, so that no work is done twice');
  process.exit(replacedStatus);
}

/** Ends the process, because after a failed fsync no earlier write can be trusted (P4). */
function die(log: Log, reason: string): never {
  log.fatal({ reason }, 'the store failed: the process ends now');
  process.exit(70);
}
