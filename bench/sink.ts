/* Starts the carrier `smsc_sink.c`, and reads its counts. */

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { endsWithUs } from '../packages/gateway/test/support/ends-with-us.ts';
import { compile } from './compile.ts';

export interface SinkCounts {
  readonly submits: number;
  /** The number of receipts that were acknowledged with status 0. */
  readonly acks: number;
  /** The time from the first submit_sm to the last acknowledgement. */
  readonly seconds: number;
}

const pollMs = 100;
/** After this time without a new message or receipt, the sink waits no longer for missing ones. */
const stalledMs = 15_000;

/** A running smsc_sink.c: a carrier that uses little CPU, answers at once and sends a receipt for each message. */
export class Sink implements AsyncDisposable {
  readonly port: number;
  readonly #child: ChildProcess;
  #last: SinkCounts = { submits: 0, acks: 0, seconds: 0 };

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /** The carrier's message ids count up from the first one. */
  static async start(firstId = 1): Promise<Sink> {
    const child = spawn(compile('smsc_sink'), [String(firstId)], { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface({ input: endsWithUs(child).stdout });
    const [first] = await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => [])]);
    if (first === undefined) throw new Error('the sink ended before it said its port');
    const sink = new Sink(child, numberIn(String(first), 'port'));
    lines.on('line', (line) => sink.#read(line));
    return sink;
  }

  /** Waits until the sink has this many messages and receipts. Returns false if they stop coming before. */
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

  /** Sets the counts to 0. Their time starts with the next submit_sm. */
  async countAnew(): Promise<void> {
    this.#child.kill('SIGUSR1');
    while (this.#last.submits > 0 && !this.#isOver) await new Promise((resolve) => setTimeout(resolve, pollMs));
  }

  /** Stops the sink, and returns its last counts. */
  async stop(): Promise<SinkCounts> {
    if (!this.#isOver) {
      this.#child.kill('SIGTERM');
      await once(this.#child, 'close');
    }
    return this.#last;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  get #isOver(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  #read(line: string): void {
    this.#last = {
      submits: numberIn(line, 'submits'),
      acks: numberIn(line, 'acks'),
      seconds: numberIn(line, 'seconds'),
    };
  }
}

function numberIn(line: string, name: string): number {
  const found = new RegExp(`\\b${name}=([0-9.]+)`).exec(line)?.[1];
  if (found === undefined) throw new Error(`the sink said no ${name}: ${line}`);
  return Number(found);
}
