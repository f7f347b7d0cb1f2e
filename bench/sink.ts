import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** What the carrier at the other end has seen. */
export interface SinkCounts {
  readonly submits: number;
  readonly receipts: number;
  /** Receipts that were acknowledged with status 0. */
  readonly acks: number;
  /** From the first submit_sm to the last acknowledgement. */
  readonly seconds: number;
}

/** What POSIX systems call theirs. */
const compiler = 'cc';

const pollMs = 100;
/** With nothing new for so long, what is missing never comes. */
const stalledMs = 15_000;

/** smsc_sink.c: a carrier that costs next to nothing, answers at once and brings a receipt for each message. */
export class Sink implements AsyncDisposable {
  readonly port: number;
  readonly #child: ChildProcess;
  #last: SinkCounts = { submits: 0, receipts: 0, acks: 0, seconds: 0 };

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /** Compiles it into `folder` and starts it. Port 0 is any free one. */
  static async start(folder: string, port = 0): Promise<Sink> {
    const program = join(folder, 'smsc_sink');
    execFileSync(compiler, ['-O2', '-o', program, join(import.meta.dirname, 'smsc_sink.c')]);
    const child = spawn(program, ['-p', String(port), '-d'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout });
    const [first] = await once(lines, 'line');
    const sink = new Sink(child, numberIn(String(first), 'port'));
    lines.on('line', (line) => sink.#read(line));
    return sink;
  }

  /** Waits until it has `messages`, and an acknowledgement of each receipt; false if they stopped coming before. */
  async has(messages: number): Promise<boolean> {
    let before = -1;
    let since = performance.now();
    for (;;) {
      const { submits, acks } = this.#last;
      if (submits >= messages && acks >= messages) return true;
      if (submits + acks !== before) {
        before = submits + acks;
        since = performance.now();
      } else if (performance.now() - since > stalledMs) return false;
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }

  /** Counts from zero again, and the time from the next submit_sm. */
  async countAnew(): Promise<void> {
    this.#child.kill('SIGUSR1');
    while (this.#last.submits > 0) await new Promise((resolve) => setTimeout(resolve, pollMs));
  }

  /** Ends it; its last words. */
  async stop(): Promise<SinkCounts> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGTERM');
      await once(this.#child, 'close');
    }
    return this.#last;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #read(line: string): void {
    this.#last = {
      submits: numberIn(line, 'submits'),
      receipts: numberIn(line, 'receipts'),
      acks: numberIn(line, 'acks'),
      seconds: line.startsWith('summary') ? numberIn(line, 'seconds') : 0,
    };
  }
}

function numberIn(line: string, name: string): number {
  const found = new RegExp(`\\b${name}=([0-9.]+)`).exec(line)?.[1];
  if (found === undefined) throw new Error(`the sink said no ${name}: ${line}`);
  return Number(found);
}
