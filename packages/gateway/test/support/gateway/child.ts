import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { endsWithUs } from '../ends-with-us.ts';
import { toJson, type Json } from '../json.ts';

/** The file that runs the command line. */
export const program = join(import.meta.dirname, '../../../../cli/src/morsel.ts');
/** Settings that let every listener choose a free port. */
export const anyPorts = {
  MORSEL_HTTP_PORT: '0',
  MORSEL_ADMIN_PORT: '0',
  MORSEL_SMPP_PORT: '0',
  MORSEL_SIMULATOR_PORT: '0',
};

const readyMs = 120_000;
/** A program that has not stopped after this time is killed. */
const stopMaxMs = 60_000;

export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly errors: string;
}

export interface ChildOptions {
  /** Environment variables besides those of this process and `anyPorts`. An undefined one is not set. */
  readonly environment?: { readonly [name: string]: string | undefined };
  readonly cwd?: string;
  /** Another program, with arguments, that runs our program, such as strace. */
  readonly under?: readonly string[];
  /** The file to run; the command line by default. */
  readonly file?: string;
  readonly uid?: number;
  readonly gid?: number;
}

/** One of our programs in its own process, and its whole output. The program ends with this process. */
export class Child implements AsyncDisposable {
  readonly ended: Promise<Ended>;
  readonly #process: ChildProcess;
  /** Resolves when the program has printed a line. */
  readonly #line = Promise.withResolvers<void>();
  #ready: Json | undefined;
  #out = '';
  #errors = '';
  #isEnded = false;

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  constructor(words: readonly string[], { environment, under = [], file = program, ...options }: ChildOptions = {}) {
    const [command = '', ...rest] = [...under, process.execPath, ...process.execArgv, file, ...words];
    // The program must not get settings of the developer who runs the tests.
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('MORSEL_'));
    const child = spawn(command, rest, {
      ...options,
      env: { ...Object.fromEntries(inherited), ...anyPorts, ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#process = endsWithUs(child);
    child.stdin.on('error', () => undefined);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#out += text;
      if (text.includes('\n')) this.#line.resolve();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => void (this.#errors += text));
    this.ended = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (status, signal) => {
        this.#isEnded = true;
        resolve({ status, signal, out: this.#out, errors: this.#errors });
      });
    });
  }

  /** Waits for the line of JSON that `--json` prints once the program is ready. */
  async untilReady(): Promise<this> {
    const tooLong = new Promise((resolve) => setTimeout(resolve, readyMs).unref());
    await Promise.race([this.#line.promise, this.ended, tooLong]);
    if (!this.#out.startsWith('{')) {
      this.#process.kill('SIGKILL');
      throw new Error(`the program is not ready: ${this.#out}${this.#errors}`);
    }
    this.#ready = toJson(JSON.parse(this.#out.slice(0, this.#out.indexOf('\n'))));
    return this;
  }

  /** The line that the program prints when it is ready. */
  get ready(): Json {
    return this.#ready ?? {};
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** The program's standard output. */
  get out(): string {
    return this.#out;
  }

  /** The program's standard error, which is its log. */
  get errors(): string {
    return this.#errors;
  }

  /** The program's standard input and output, as streams. */
  get streams(): Pick<ChildProcess, 'stdin' | 'stdout'> {
    return this.#process;
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    this.signal(signal);
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), stopMaxMs);
    const ended = await this.ended;
    clearTimeout(timer);
    return ended;
  }

  /** Sends `kill -9`, to which the program cannot react. */
  async kill(): Promise<void> {
    await this.stop('SIGKILL');
  }

  /** Stops the program if it still runs. A gateway has time to unbind and to close in order. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isEnded) await Child.prototype.stop.call(this, 'SIGTERM');
  }
}
