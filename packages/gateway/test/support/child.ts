import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A program of ours in a process of its own, and everything that it prints. */
export class Child {
  readonly ended: Promise<Ended>;
  readonly #process: ChildProcess;
  #output = '';
  #errors = '';
  #isEnded = false;

  constructor(file: string, options: { readonly words?: readonly string[]; readonly environment?: Environment }) {
    // Nothing of the settings of whoever runs the tests reaches the program.
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('MORSEL_'));
    this.#process = spawn(process.execPath, [file, ...(options.words ?? [])], {
      env: { ...Object.fromEntries(inherited), ...options.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#process.stdout?.on('data', (chunk: Buffer) => void (this.#output += chunk.toString('utf8')));
    this.#process.stderr?.on('data', (chunk: Buffer) => void (this.#errors += chunk.toString('utf8')));
    this.ended = new Promise((resolve, reject) => {
      this.#process.once('error', reject);
      this.#process.once('close', (code, signal) => {
        this.#isEnded = true;
        resolve({ code, signal });
      });
    });
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** What it printed on standard output. */
  get output(): string {
    return this.#output;
  }

  /** What it printed on standard error: its log. */
  get errors(): string {
    return this.#errors;
  }

  /** Ends once the process has. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<Ended> {
    this.#process.kill(signal);
    return this.ended;
  }

  signal(signal: 'SIGTERM' | 'SIGKILL' | 'SIGHUP'): void {
    this.#process.kill(signal);
  }
}

type Environment = Readonly<Record<string, string>>;
