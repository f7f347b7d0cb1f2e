/* Sends requests to the gateway during a benchmark, and measures how long each answer takes. */

import type { GatewayProcess } from '../packages/gateway/test/support/gateway-process.ts';

const everyMs = 200;

export interface Waits {
  readonly asked: number;
  /** Requests without an answer, and refused requests. */
  readonly failed: number;
  readonly medianMs: number;
  readonly longestMs: number;
}

/** Sends requests repeatedly, and keeps the duration of each answer. */
export class Asking implements AsyncDisposable {
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  #waits: number[] = [];
  #failed = 0;

  constructor(ask: () => Promise<unknown>) {
    this.#ended = this.#run(ask);
  }

  /** Results since the last call. */
  take(): Waits {
    const sorted = this.#waits.toSorted((one, other) => one - other);
    const failed = this.#failed;
    this.#waits = [];
    this.#failed = 0;
    return { asked: sorted.length, failed, medianMs: sorted[sorted.length >> 1] ?? 0, longestMs: sorted.at(-1) ?? 0 };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  async #run(ask: () => Promise<unknown>): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const begin = performance.now();
      await ask().catch(() => (this.#failed += 1));
      this.#waits.push(performance.now() - begin);
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }
}

/** Requests /sms/dlr of the first message in the store. */
export function deliveryQuestion(program: GatewayProcess, token: string): () => Promise<void> {
  let msgId: string | undefined;
  return async () => {
    msgId ??= await newestOf(program);
    if (msgId === undefined) return;
    const response = await fetch(program.url(`/sms/dlr?auth=${token}&messageId=${msgId}`));
    if (!response.ok) throw new Error(`/sms/dlr answered ${response.status}`);
    await response.arrayBuffer();
  };
}

async function newestOf(program: GatewayProcess): Promise<string | undefined> {
  const found = (await program.ask('v1/messages?limit=1&account=acme')).at('items', '0', 'msgId');
  return typeof found === 'string' ? found : undefined;
}
