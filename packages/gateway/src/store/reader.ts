/* The only way to read: asks the reading thread for a view. */

import { Worker } from 'node:worker_threads';
import { refused, ok, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../core/base/rejection.ts';
import type { AskedView, ReaderReply } from './views/answer.ts';
import { reasonOfEnd } from './sqlite/faults.ts';
import type { StorePlace } from './writer.ts';
import type { ViewAnswer, ViewInput, ViewName } from './views/views.ts';

/** The most questions under way at once. Above it, a reader gets `unavailable`. */
const questionsMax = 10_000;

/** The size of the young generation, if the heap has a limit. */
const youngMaxMib = 8;

interface ReaderOptions {
  readonly place: StorePlace;
  readonly onFault: (reason: string) => void;
  readonly onFatal: (reason: string) => void;
  /** The limit of the reading thread's heap; if undefined, Node decides. */
  readonly heapMaxMib?: number;
}

/**
 * Asks views in a thread of its own: reads never wait for a group that is being written, and do not block the event
 * loop. The thread starts with the first question.
 */
export class Reader implements AsyncDisposable {
  readonly #options: ReaderOptions;
  #worker: Worker | undefined;
  #isClosed = false;
  readonly #waiting = new Map<number, (reply: ReaderReply) => void>();
  #lastId = 0;

  /** The journal must be open, because it migrates the database. */
  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  #start(): Worker {
    const options = this.#options;
    const worker = new Worker(new URL(`./${options.place.kind}/reader-thread.ts`, import.meta.url), {
      workerData: options.place,
      ...(options.heapMaxMib !== undefined && {
        resourceLimits: { maxOldGenerationSizeMb: options.heapMaxMib, maxYoungGenerationSizeMb: youngMaxMib },
      }),
    });
    worker.on('message', (reply: ReaderReply) => {
      const answer = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      answer?.(reply);
    });
    worker.on('error', (fault) => {
      const reason = reasonOfEnd('reading thread', fault, options.place);
      this.#fail(reason);
      options.onFatal(reason);
    });
    return worker;
  }

  async ask<V extends ViewName>(view: V, input: ViewInput<V>): Promise<Result<ViewAnswer<V>, Rejection>> {
    if (this.#waiting.size >= questionsMax) {
      return refused({ code: 'unavailable', detail: 'too many questions wait for the store' });
    }
    if (this.#isClosed) return refused({ code: 'unavailable', detail: 'the service is stopping' });
    const worker = (this.#worker ??= this.#start());
    const id = ++this.#lastId;
    const reply = await new Promise<ReaderReply>((resolve) => {
      this.#waiting.set(id, resolve);
      const question: AskedView = { id, view, input };
      worker.postMessage(question);
    });
    // The view's name chose the function whose answer this is: the one place where the two sides of the thread meet.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    if (reply.ok) return ok(reply.answer as ViewAnswer<V>);
    if (reply.isAway) return refused({ code: 'unavailable', detail: 'the database does not answer' });
    this.#options.onFault(reply.reason);
    return refused({ code: 'internal_error' });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
    this.#fail('closed');
  }

  #fail(reason: string): void {
    for (const [id, answer] of this.#waiting) answer({ id, ok: false, isAway: false, reason });
    this.#waiting.clear();
  }
}
