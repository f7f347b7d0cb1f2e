/* Retries requests: decides how often, for how long, and how long to wait between tries. */

import { extended, MorselError } from './morsel-error.ts';
import { networkError } from './exchange.ts';

/** The limits of a call: its times and its number of tries. */
export interface Patience {
  /** The time limit of one try. */
  readonly timeoutMs: number;
  /** The most retries after the first try. */
  readonly retries: number;
  /** The time limit of all tries and waits together. */
  readonly deadlineMs: number;
  /**
   * The wait before the first retry. Each next wait is twice as long, up to 8 seconds. A random factor shortens each
   * wait by up to half.
   */
  readonly backoffMs: number;
  readonly signal?: AbortSignal | undefined;
}

const backoffMaxMs = 8_000;

/**
 * Calls `run` until it succeeds, fails with an error that is not temporary, or a limit is reached. `run` must be safe
 * to repeat. If the effect of one try is unknown, the final error says so, even if a later try is refused.
 */
export async function withRetries<T>(
  run: (signal: AbortSignal) => Promise<T>,
  { patience, hasEffect }: { readonly patience: Patience; readonly hasEffect: boolean },
): Promise<T> {
  const { timeoutMs, retries, deadlineMs, backoffMs, signal } = patience;
  const endsAt = performance.now() + deadlineMs;
  let isInDoubt = false;
  for (let tried = 0; ; tried += 1) {
    const left = Math.max(0, endsAt - performance.now());
    const limitMs = Math.min(timeoutMs, left);
    const outcome = await bounded(run, { limitMs, signal, hasEffect }).then(
      (value) => ({ value }),
      (reason: unknown) => networkError(reason, hasEffect),
    );
    if ('value' in outcome) return outcome.value;
    isInDoubt ||= outcome.isInDoubt;
    const waitMs = waitBefore(tried + 1, { error: outcome, backoffMs });
    // Do not wait if the wait would end after the deadline.
    const isLast = !outcome.isTransient || tried >= retries || performance.now() + waitMs >= endsAt;
    if (isLast) throw extended(outcome, { isInDoubt });
    await pause(waitMs, signal, () => extended(aborted(), { isInDoubt }));
  }
}

/**
 * Returns the wait before a retry: exponential, and randomly shortened by up to half, so that many clients do not retry
 * at the same time. The wait is never shorter than `Retry-After`.
 */
export function waitBefore(retry: number, { error, backoffMs }: { error: MorselError; backoffMs: number }): number {
  const backoff = Math.min(backoffMs * 2 ** (retry - 1), backoffMaxMs);
  return (error.retryAfterMs ?? 0) + backoff * (0.5 + Math.random() / 2);
}

interface Bounds {
  readonly limitMs: number;
  readonly signal: AbortSignal | undefined;
  readonly hasEffect: boolean;
}

/** Calls `run` and rejects when its time limit is over or the caller aborts, even if `run` ignores the signal. */
function bounded<T>(run: (signal: AbortSignal) => Promise<T>, { limitMs, signal, hasEffect }: Bounds): Promise<T> {
  if (signal?.aborted === true) return Promise.reject(aborted());
  const controller = new AbortController();
  return new Promise<T>((resolve, reject) => {
    const end = (error: MorselError): void => {
      cleanUp();
      reject(error);
      controller.abort();
    };
    const stop = (): void => end(extended(aborted(), { isInDoubt: hasEffect }));
    const timer = setTimeout(() => end(timedOut(limitMs, hasEffect)), Math.min(limitMs, timerMaxMs));
    const cleanUp = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    };
    signal?.addEventListener('abort', stop);
    void run(controller.signal).then(resolve, reject).finally(cleanUp);
  });
}

/** The longest time that setTimeout supports. */
const timerMaxMs = 2 ** 31 - 1;

/** Waits for `waitMs`. If the signal aborts, rejects with the error that `stopped` returns. */
export function pause(waitMs: number, signal: AbortSignal | undefined, stopped: () => MorselError): Promise<void> {
  if (signal?.aborted === true) return Promise.reject(stopped());
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(stopped());
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      },
      Math.min(waitMs, timerMaxMs),
    );
    signal?.addEventListener('abort', stop, { once: true });
  });
}

export function aborted(): MorselError {
  return new MorselError({ kind: 'aborted', code: 'aborted', message: 'the AbortSignal aborted the call' });
}

function timedOut(limitMs: number, isInDoubt: boolean): MorselError {
  const message = `no answer from the gateway within ${Math.round(limitMs)} ms`;
  return new MorselError({ kind: 'timeout', code: 'timeout', message, isTransient: true, isInDoubt });
}
