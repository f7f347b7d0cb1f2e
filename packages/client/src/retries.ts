/* Retries of a request: how often, how long, and with which waits. */

import { extended, MorselError } from './morsel-error.ts';
import { networkError } from './exchange.ts';

/** Limits of a call: times and tries. */
export interface Patience {
  /** Time limit of one try. */
  readonly timeoutMs: number;
  /** Tries after the first. */
  readonly retries: number;
  /** Time limit of all tries and waits. */
  readonly deadlineMs: number;
  /** First wait between two tries. It doubles each time up to 8 seconds, and varies randomly by half. */
  readonly backoffMs: number;
  readonly signal?: AbortSignal | undefined;
}

const backoffMaxMs = 8_000;

/**
 * Runs an exchange until it gives a result, an error that a retry would not change, or a limit is reached. `run` must
 * be safe to repeat. Once the effect of a try is unknown, it stays unknown.
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
      (reason: unknown) => networkError(reason, { hasEffect }),
    );
    if ('value' in outcome) return outcome.value;
    isInDoubt ||= outcome.isInDoubt;
    const waitMs = waitBefore(tried + 1, { error: outcome, backoffMs });
    // A wait beyond the deadline would be useless.
    const isLast = !outcome.isTransient || tried >= retries || performance.now() + waitMs >= endsAt;
    if (isLast) throw extended(outcome, { isInDoubt });
    await pause(waitMs, signal, () => extended(aborted(), { isInDoubt }));
  }
}

/**
 * Exponential, between half and all of the wait, so that many clients do not come back together. Never before
 * `Retry-After`.
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

/** Runs it until its time is over or the caller aborts, even if it ignores its signal. */
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

/** The most that a timer can count. */
const timerMaxMs = 2 ** 31 - 1;

/** Waits; rejects with the error of `stopped` when the signal aborts. */
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
  return new MorselError({ kind: 'aborted', code: 'aborted', message: 'stopped by the signal' });
}

function timedOut(limitMs: number, isInDoubt: boolean): MorselError {
  const message = `no answer within ${Math.round(limitMs)} ms`;
  return new MorselError({ kind: 'timeout', code: 'timeout', message, isTransient: true, isInDoubt });
}
