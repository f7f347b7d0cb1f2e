import { Worker } from 'node:worker_threads';
import { refused, type Result } from '@morsel/api/values/result.ts';
import { minuteMs } from '@morsel/api/values/time.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import type { StorePlace } from '../../store/writer.ts';
import type { Tools } from '../ports.ts';
import { failed, type FromReplay, type Replayed, type ReplayRequest } from './replay.ts';

/** A replay takes some seconds. Under heavy load it may take longer, but not without limit. */
const replayMaxMs = minuteMs;

/** Replays messages in a thread of its own, one replay at a time, so that they take at most one processor. */
export class Replays implements AsyncDisposable {
  readonly #needs;
  #running: Worker | undefined;

  constructor(needs: Pick<Tools, 'log' | 'clock'> & { readonly place: StorePlace }) {
    this.#needs = needs;
  }

  async run(request: ReplayRequest): Promise<Result<Replayed, Rejection>> {
    if (this.#running) return refused({ code: 'unavailable', detail: 'another replay runs: try again in a moment' });
    const { place, log, clock } = this.#needs;
    const worker = new Worker(new URL('./replay-thread.ts', import.meta.url), { workerData: { place, request } });
    this.#running = worker;
    const { promise, resolve } = Promise.withResolvers<Result<Replayed, Rejection>>();
    const timer = clock.setTimer(() => resolve(tooLong), replayMaxMs);
    worker.on('message', (message: FromReplay) => {
      if (message.kind === 'done') resolve(message.answer);
      else log.error({ reason: message.reason }, 'a replay of messages failed');
    });
    worker.on('error', ({ message: reason }: Error) => {
      log.error({ reason }, 'a replay of messages failed');
      resolve(failed);
    });
    worker.on('exit', () => resolve(stopping));
    const answer = await promise;
    timer.cancel();
    await worker.terminate();
    this.#running = undefined;
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running?.terminate();
  }
}

const tooLong = refused({
  code: 'unavailable',
  detail: 'the replay took more than a minute: try again later',
} as const);
const stopping = refused({ code: 'unavailable', detail: 'the service is stopping' } as const);
