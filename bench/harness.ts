/*
 * What all questions share: a gateway of this or another checkout, the load, the figures, and the comparison of the
 * counts.
 */

import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Child } from '../packages/gateway/test/support/gateway/child.ts';
import { endsWithUs } from '../packages/gateway/test/support/ends-with-us.ts';
import {
  GatewayProcess,
  type GatewayProcessOptions,
} from '../packages/gateway/test/support/gateway/gateway-process.ts';
import { Shown } from '../packages/gateway/test/support/json.ts';
import { compare, readSettledBooks } from './books.ts';
import { compile } from './compile.ts';
import type { Sink, SinkCounts } from './sink.ts';

export interface Options {
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: number;
  /** Messages a second; 0 for the usual rate of the question. */
  readonly rate: number;
  /** Messages that a full store has before the first round. */
  readonly stored: number;
  /** How often a round may be repeated because other programs used the machine. */
  readonly repeats: number;
  readonly peer: boolean;
  readonly floor: boolean;
  /** The folder of another checkout; empty for none. */
  readonly against: string;
}

export interface Question {
  readonly options: readonly (keyof Options)[];
  /** The programs that the question needs besides Node. */
  readonly programs: (options: Options) => readonly string[];
  /** The gateways or settings that are measured in turn. The other sides are compared with the first side. */
  readonly sides: (options: Options) => readonly Side[];
}

export interface Side {
  readonly name: string;
  readonly measure: () => Promise<Round>;
  /** Whether the side is another gateway. The benchmark does not fail if that gateway loses messages. */
  readonly isPeer?: boolean;
}

export interface Round {
  readonly figures: readonly Figure[];
  /** Broken promises, as sentences. */
  readonly faults: readonly string[];
}

export interface Figure {
  /** The name of the figure in JSON, with the unit at the end. */
  readonly name: string;
  readonly what: string;
  readonly unit: string;
  readonly value: number;
}

export function figure(name: string, what: string, unit: string, value: number): Figure {
  return { name, what, unit, value };
}

/** Each round starts with load that is not measured, because code is compiled and caches fill meanwhile. */
export const warmUpSeconds = 3;
export const windowMax = 1_000;

/** A checkout of Morsel; without a folder, this checkout. */
export interface Checkout {
  readonly name: string;
  readonly folder?: string;
}

export function checkoutsOf({ against }: Options): readonly Checkout[] {
  return [{ name: 'Morsel' }, ...(against === '' ? [] : [{ name: 'the other Morsel', folder: against }])];
}

export function programIn(folder: string): string {
  return join(folder, 'packages/cli/src/morsel.ts');
}

class CheckoutProcess extends GatewayProcess {
  readonly #file: string;

  constructor(options: GatewayProcessOptions & { readonly file: string }) {
    super(options);
    this.#file = options.file;
  }

  override async morsel(...words: readonly string[]): Promise<Shown> {
    const environment = { MORSEL_DATA_DIR: this.dataDir };
    const { status, out, errors } = await new Child([...words, '--json'], { file: this.#file, environment }).ended;
    if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${errors}`);
    return new Shown(JSON.parse(out));
  }
}

export function startGateway({ folder }: Checkout, options: GatewayProcessOptions): Promise<GatewayProcess> {
  if (folder === undefined) return GatewayProcess.start(options);
  return new CheckoutProcess({ ...options, file: programIn(folder) }).untilReady();
}

/**
 * Makes a folder on the disk whose fsync is measured. It is removed when it is disposed of, or when this process ends.
 */
export function makeFolder(): AsyncDisposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'morsel-bench-'));
  const remove = (): void => rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  process.once('exit', remove);
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      process.off('exit', remove);
      remove();
    },
  };
}

/** Counts of the clients, after all requests have ended. */
export interface Answers {
  readonly sent: number;
  readonly answered: number;
  readonly refused: number;
  /** Failed connections, and missing answers. */
  readonly broken: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Runs a client in its own process, which prints its counts as JSON after the word RESULT. */
export async function runClient(program: string, words: readonly (string | number)[]): Promise<Answers> {
  const running = promisify(execFile)(program, words.map(String));
  endsWithUs(running.child);
  const { stdout } = await running;
  const result = /^RESULT (.*)$/m.exec(stdout)?.[1];
  if (result === undefined) throw new Error(`${program} said no result: ${stdout}`);
  const counts = new Shown(JSON.parse(result));
  return {
    sent: counts.number('sent'),
    answered: counts.number('answered'),
    refused: counts.number('refused'),
    broken: counts.number('broken'),
    p50Ms: counts.number('p50') / 1_000,
    p99Ms: counts.number('p99') / 1_000,
  };
}

export interface HttpLoad extends Pick<Options, 'seconds' | 'connections' | 'rate'> {
  readonly gateway: 'morsel' | 'kannel';
  readonly port: number;
  /** The accounts take turns. */
  readonly tokens: readonly string[];
  /**
   * The number of this load, from 0 to 9. Loads at the same time have different numbers, and so different receivers.
   */
  readonly loader?: number;
}

/** At a fixed rate, requests go out at their times as long as so many connections are enough. With 512, Kannel hardly answers. */
const openConnections = 256;

/** Sends as many requests as are answered, or with a rate, as many as the rate says, whatever the answers do. */
export function sendHttp(load: HttpLoad): Promise<Answers> {
  const { gateway, port, tokens, loader = 9, seconds, connections, rate } = load;
  const most = rate > 0 ? Math.max(openConnections, connections) : connections;
  return runClient(compile('http_load'), [port, seconds, rate, most, gateway, loader, ...tokens]);
}

export interface Load {
  /** The gateway, or nodes that share a database. */
  readonly programs: readonly GatewayProcess[];
  readonly sink: Sink;
  readonly seconds: number;
  readonly send: (seconds: number) => Promise<Answers>;
  readonly accounts?: readonly string[];
  /** Microseconds of CPU that the database has used until now. */
  readonly databaseCpu?: () => number;
}

/** Measures a round of the gateway, or of all nodes at the same time. */
export async function measure(load: Load): Promise<Round> {
  const { programs, sink, seconds, databaseCpu } = load;
  const warm = await load.send(warmUpSeconds);
  await sink.has(warm.answered);
  await sink.countAnew();
  const before = await look(load);
  const answers = await load.send(seconds);
  await sink.has(answers.answered);
  const after = await look(load);
  const counts = await sink.stop();
  for (const program of programs) await program.stop();
  const each = (name: 'cpu' | 'databaseCpu') => (after[name] - before[name]) / answers.answered;
  return {
    figures: [
      ...rates(answers, counts, seconds),
      // Each group needs one fsync.
      figure('fsyncsPerSecond', 'fsyncs', '/s', (after.groups - before.groups) / counts.seconds),
      figure('peakMiB', 'memory, peak', 'MiB', after.peakMiB),
      figure('cpuMicroseconds', 'CPU a message', 'us', each('cpu')),
      ...(databaseCpu ? [figure('databaseMicroseconds', 'CPU, database', 'us', each('databaseCpu'))] : []),
    ],
    faults: compare({ answers, counts, before: before.books, after: after.books }),
  };
}

/** A gateway that is not Morsel, and is measured with the same load. */
export interface Peer {
  readonly pids: readonly number[];
  readonly sink: Sink;
  readonly load: HttpLoad;
}

/** Measures a round of another gateway. `faults` has the counts of client and carrier that differ. */
export async function measurePeer({ pids, sink, load }: Peer): Promise<Round & { readonly messages: number }> {
  const warm = await sendHttp({ ...load, seconds: warmUpSeconds });
  await sink.has(warm.answered);
  await sink.countAnew();
  const before = usageOfAll(pids);
  const answers = await sendHttp(load);
  await sink.has(answers.answered);
  const after = usageOfAll(pids);
  const counts = await sink.stop();
  const { answered } = answers;
  return {
    figures: [
      ...rates(answers, counts, load.seconds),
      figure('peakMiB', 'memory, peak', 'MiB', after.peakMiB),
      figure('cpuMicroseconds', 'CPU a message', 'us', (after.cpu - before.cpu) / answered),
    ],
    faults:
      answered > 0 && counts.submits === answered && counts.acks === answered
        ? []
        : [`answered ${answered}, submitted ${counts.submits}, delivered ${counts.acks}`],
    messages: warm.answered + answered,
  };
}

function rates(answers: Answers, counts: SinkCounts, seconds: number): Figure[] {
  return [
    figure('acceptedPerSecond', 'accepted', '/s', answers.answered / seconds),
    figure('endToEndPerSecond', 'end to end', '/s', counts.acks / counts.seconds),
    ...waits(answers),
  ];
}

export function waits({ p50Ms, p99Ms }: Answers): Figure[] {
  return [figure('p50Ms', 'answer, p50', 'ms', p50Ms), figure('p99Ms', 'answer, p99', 'ms', p99Ms)];
}

async function look({ programs, accounts = ['acme'], databaseCpu }: Load) {
  const [first] = programs;
  if (!first) throw new Error('there is no gateway');
  const groups = await Promise.all(
    programs.map(async (program) => (await program.ask('v1/status')).number('store', 'groups')),
  );
  return {
    ...usageOfAll(programs.map(({ pid }) => pid)),
    databaseCpu: databaseCpu?.() ?? 0,
    groups: groups.reduce((sum, each) => sum + each, 0),
    books: await readSettledBooks(first, accounts),
  };
}

function usageOfAll(pids: readonly number[]) {
  const usages = pids.map((pid) => usageOf(pid));
  const sum = (name: 'cpu' | 'peakMiB') => usages.reduce((total, usage) => total + usage[name], 0);
  return { cpu: sum('cpu'), peakMiB: sum('peakMiB') };
}

/** A tick of USER_HZ, the unit of times in /proc (proc(5)): a hundredth of a second on every platform that Node runs on. */
export const tickMicroseconds = 10_000;

/** What Linux counts of a process. On other systems, and after the end of the process, all values are 0. */
export function usageOf(pid: number) {
  const folder = `/proc/${pid}`;
  if (!existsSync(folder)) return { cpu: 0, cpuOfEnded: 0, parent: 0, peakMiB: 0 };
  const stat = readFileSync(join(folder, 'stat'), 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // proc(5) counts fields from 1. `fields` begins behind the name in brackets, the second field.
  const field = (number: number) => Number(fields[number - 3]);
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(join(folder, 'status'), 'latin1'))?.[1] ?? '0';
  return {
    /** User and system time of all threads, in microseconds. */
    cpu: (field(14) + field(15)) * tickMicroseconds,
    /** User and system time of its children that have ended, in microseconds. */
    cpuOfEnded: (field(16) + field(17)) * tickMicroseconds,
    parent: field(4),
    /** The largest resident memory. */
    peakMiB: Number(peak) / 1_024,
  };
}
