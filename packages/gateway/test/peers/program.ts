import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { runProgram } from '@morsel/cli/program.ts';
import { endsWithUs } from './ends-with-us.ts';

/*
 * The gateway as its users have it: a process of its own, set up by its command line and looked at from outside.
 */

const main = join(import.meta.dirname, '../../../cli/src/morsel.ts');

const startMaxMs = 60_000;
const stopMaxMs = 60_000;
const pollMs = 25;
const anyPorts = { MORSEL_HTTP_PORT: '0', MORSEL_ADMIN_PORT: '0', MORSEL_SMPP_PORT: '0' };

export interface ProgramOptions {
  readonly dataDir: string;
  /** A program and its arguments before ours, such as strace. */
  readonly under?: readonly string[];
  /** Settings beside those that every test has. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** `morsel serve` in a process of its own, on any free ports. */
export class Program implements AsyncDisposable {
  readonly dataDir: string;
  /** How it ended, once it has. */
  readonly ended: Promise<End>;
  readonly #child: ChildProcess;
  /** Its own words when it was ready. */
  #ready = new Shown(undefined);
  #log = '';
  #isOver = false;

  private constructor(child: ChildProcess, dataDir: string) {
    this.#child = child;
    this.dataDir = dataDir;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#log += text));
    this.ended = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        this.#isOver = true;
        resolve({ code, signal });
      });
    });
  }

  /** Starts it and waits until it says that it is ready. */
  static async start({ dataDir, under = [], environment = {} }: ProgramOptions): Promise<Program> {
    const [command, ...rest] = [...under, process.execPath, main, 'serve', '--json'];
    const child = spawn(command, rest, {
      env: environmentFor(dataDir, { ...anyPorts, ...environment }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const program = new Program(endsWithUs(child), dataDir);
    const line = await Promise.race([
      once(createInterface({ input: child.stdout }), 'line'),
      program.ended,
      new Promise((resolve) => setTimeout(resolve, startMaxMs).unref()),
    ]);
    if (!Array.isArray(line)) {
      await program.stop();
      throw new Error(`the gateway did not start: ${program.log}`);
    }
    program.#ready = new Shown(JSON.parse(String(line[0])));
    return program;
  }

  /** Runs it until it ends by itself, or has said that it is ready and is stopped; all that it wrote. */
  static async run({ dataDir }: ProgramOptions): Promise<End & { readonly log: string }> {
    const child = spawn(process.execPath, [main, 'serve'], {
      env: environmentFor(dataDir, anyPorts),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const program = new Program(endsWithUs(child), dataDir);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      program.#log += text;
      child.kill('SIGTERM');
    });
    return { ...(await program.ended), log: program.log };
  }

  /** What it has logged so far. */
  get log(): string {
    return this.#log;
  }

  get pid(): number {
    return this.#ready.number('pid');
  }

  get httpPort(): number {
    return this.#ready.number('httpPort');
  }

  get adminPort(): number {
    return this.#ready.number('adminPort');
  }

  get smppPort(): number {
    return this.#ready.number('smppPort');
  }

  get smppTlsPort(): number {
    return this.#ready.number('smppTlsPort');
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.httpPort}${path}`;
  }

  /** Asks the operator's API, such as `status` or `totals`. */
  async ask(path: string): Promise<Shown> {
    if (this.#isOver) throw new Error(`the gateway has ended: ${this.#log}`);
    const key = readFileSync(join(this.dataDir, 'operator-key'), 'utf8').trim();
    const response = await fetch(`http://127.0.0.1:${this.#ready.number('adminPort')}/admin/${path}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    if (!response.ok) throw new Error(`/admin/${path} answered ${response.status}`);
    return new Shown(await response.json());
  }

  /** A command of the operator, run in this process, which is many times faster than a process each. */
  async morsel(...words: readonly string[]): Promise<Shown> {
    let out = '';
    let errors = '';
    const status = await runProgram([...words, '--json'], {
      environment: { MORSEL_DATA_DIR: this.dataDir },
      print: (text) => void (out += text),
      printError: (text) => void (errors += text),
      isInteractive: false,
      readInput: () => Promise.resolve(''),
      async *readLines() {},
    });
    if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${errors}`);
    return new Shown(JSON.parse(out));
  }

  /** Has it drain and end. */
  async stop(): Promise<End> {
    // Under another program the signal has to go to the gateway itself.
    if (!this.#isOver && this.pid > 0) process.kill(this.pid, 'SIGTERM');
    else this.#child.kill('SIGKILL');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), stopMaxMs);
    const end = await this.ended;
    clearTimeout(timer);
    return end;
  }

  /** `kill -9`: nothing is said to anybody. */
  async kill(): Promise<void> {
    process.kill(this.pid, 'SIGKILL');
    await this.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** JSON that somebody answered, read by path. */
export class Shown {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }

  at(...path: readonly string[]): unknown {
    let value = this.value;
    for (const name of path) value = new Map(Object.entries(value ?? {})).get(name);
    return value;
  }

  /** 0 where there is none. */
  number(...path: readonly string[]): number {
    return Number(this.at(...path) ?? 0);
  }

  text(...path: readonly string[]): string {
    const value = this.at(...path);
    if (typeof value !== 'string') throw new Error(`there is no text at ${path.join('.')}`);
    return value;
  }
}

/** What the accounts of these tests pay a part. */
export const unitPrice = 0.0075;

export interface Account {
  readonly token: string;
  readonly balance: number;
}

export interface CarrierSettings {
  readonly port: number;
  readonly window: number;
  /** More words of `carrier add`, such as `--preset pair`. */
  readonly settings?: readonly string[];
}

/** An account with a token, and a carrier that everything to 41 goes through. */
export async function setUp(program: Program, carrier: CarrierSettings): Promise<Account> {
  const balance = 1_000_000;
  const { port, window, settings = [] } = carrier;
  const host = settings.includes('--host') ? [] : ['--host', '127.0.0.1'];
  const address = [...host, '--port', String(port)];
  const login = ['--system-id', 'morsel', '--password', 'secret'];
  const price = ['--prefix', '41', '--price', String(unitPrice)];
  const [token] = await Promise.all([
    program
      .morsel('account', 'add', 'acme', '--currency', 'EUR', '--balance', String(balance))
      .then(() => program.morsel('token', 'add', 'acme')),
    program
      .morsel('carrier', 'add', 'sink', ...address, ...login, '--window', String(window), ...settings)
      .then(() => program.morsel('route', 'add', '--prefix', '41', '--carrier', 'sink')),
    program.morsel('price', 'set', '--list', 'default', '--currency', 'EUR', ...price),
  ]);
  return { token: token.text('token'), balance };
}

/** A data directory that is ready to be run under something that would slow its making down, or break it. */
export async function setUpAndStop(dataDir: string, carrier: { port: number }): Promise<Account> {
  await using program = await Program.start({ dataDir });
  return await setUp(program, { port: carrier.port, window: 10 });
}

/** Waits until `isSo`, or says what never came. */
export async function until(what: string, maxMs: number, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + maxMs;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`not within ${maxMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** Waits until the first link of the first carrier is up. */
export async function untilBound(program: Program): Promise<void> {
  await until('the link is bound', 10_000, async () => {
    const status = await program.ask('status');
    return status.at('carriers', '0', 'linkStates', '0', 'state') === 'bound';
  });
}

/** Waits until so many messages are delivered. */
export async function untilDelivered(program: Program, count: number): Promise<void> {
  await until(`${count} are delivered`, 20_000, async () => {
    return (await program.ask('totals')).number('messages', 'delivered') === count;
  });
}

/** A port that nobody had a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}

/** The environment without settings of whoever runs the tests. */
function environmentFor(dataDir: string, settings: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('MORSEL_'));
  return { ...Object.fromEntries(inherited), MORSEL_DATA_DIR: dataDir, MORSEL_LOG_LEVEL: 'warn', ...settings };
}
