import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A program that is not ours, or uses one, and the lines that it writes. */
export class PeerProcess implements AsyncDisposable {
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  #isOver = false;

  /** `reads` is the stream to which the program writes the lines that the test reads. */
  constructor(words: readonly string[], reads: 'stdout' | 'stderr') {
    const [command = '', ...rest] = words;
    this.#child = spawn(command, rest, {
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
      stdio: ['pipe', reads === 'stdout' ? 'pipe' : 'ignore', reads === 'stderr' ? 'pipe' : 'inherit'],
    });
    const output = this.#child[reads];
    if (output) createInterface({ input: output }).on('line', (line) => this.#lines.push(line));
    // Writing fails if the program has ended before it read its commands.
    this.#child.stdin?.on('error', () => undefined);
    this.ended = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('close', (code, signal) => {
        this.#isOver = true;
        resolve({ code, signal });
      });
    });
  }

  /** The lines that the program has written so far. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  tell(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  signal(signal: 'SIGSTOP' | 'SIGKILL'): void {
    this.#child.kill(signal);
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isOver) await this.kill();
  }
}
