/*
 * Answers a GET again and again as server-sent events (WHATWG HTML, section 9.2), for who watches the gateway: an event a second
 * with the whole answer, if it differs from the one before.
 */

import { writeJson } from '@morsel/api/admin/exact-json.ts';
import type { Json } from '@morsel/api/admin/exact-json.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { hourMs, secondMs } from '@morsel/api/values/time.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { sleep } from '../../runtime/clock.ts';
import type { Clock } from '../../runtime/clock.ts';

/** After this time the stream ends, and the browser asks again. */
const streamMs = hourMs;
const everyMs = secondMs;

export function isStreamWanted(accept: string | undefined): boolean {
  return accept?.split(',').some((each) => each.split(';')[0]?.trim() === 'text/event-stream') === true;
}

/** The stream ends when the gateway stops, at a refusal, or when `ask` returns undefined because the caller may not ask any more. */
export async function* eventsOf(
  ask: () => Promise<Result<Json, Rejection>> | undefined,
  { clock, ending }: { readonly clock: Clock; readonly ending: AbortSignal },
): AsyncGenerator<string> {
  const end = clock.monotonicMs() + streamMs;
  for (let last = ''; clock.monotonicMs() < end && !ending.aborted;) {
    const answer = await ask();
    if (!answer?.ok) return;
    const text = writeJson(answer.value);
    // A comment keeps the connection open.
    yield text === last ? ':\n\n' : `data: ${text}\n\n`;
    last = text;
    await sleep(clock, everyMs, ending);
  }
}
