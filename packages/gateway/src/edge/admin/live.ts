/*
 * Answers a GET again and again as server-sent events (WHATWG HTML, section 9.2), for who watches the gateway: an event a second
 * with the whole answer, if it differs from the one before. However many watch the same answer, it is made once a second.
 */

import { writeJson, type Json } from '@morsel/api/admin/exact-json.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { hourMs, secondMs } from '@morsel/api/values/time.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { sleep, type Clock } from '../../runtime/clock.ts';

/** After this time the stream ends, and the browser asks again. */
const streamMs = hourMs;
const everyMs = secondMs;
/** The most streams of an operator. A browser has six connections to a gateway, and its other requests need some of them. */
const streamsMax = 4;

export function isStreamWanted(accept: string | undefined): boolean {
  return accept?.split(',').some((each) => each.split(';')[0]?.trim() === 'text/event-stream') === true;
}

/** What a stream shows. */
export interface Watched {
  /** Equal for streams with the same answer. */
  readonly name: string;
  readonly ask: () => Promise<Result<Json, Rejection>>;
  /** Who watches, for the limit of streams. */
  readonly party: string;
  readonly isAllowed: () => boolean;
}

/** An answer, which all streams share until the next one is due. */
interface Round {
  /** Undefined if the question was refused. */
  readonly text: Promise<string | undefined>;
  readonly end: Promise<void>;
}

/** The streams of a listener. */
export class LiveAnswers {
  readonly #clock: Clock;
  readonly #ending: AbortSignal;
  readonly #rounds = new Map<string, Round>();
  readonly #streams = new Map<string, number>();

  constructor(clock: Clock, ending: AbortSignal) {
    this.#clock = clock;
    this.#ending = ending;
  }

  /** A stream ends when the gateway stops, at a refusal, or when its caller may not ask any more. `close` must be called. */
  open(watched: Watched): Result<{ readonly events: AsyncGenerator<string>; readonly close: () => void }, Rejection> {
    const { party } = watched;
    const count = this.#streams.get(party) ?? 0;
    if (count >= streamsMax) return refused({ code: 'conflict', detail: tooMany });
    this.#streams.set(party, count + 1);
    const close = () => {
      const left = (this.#streams.get(party) ?? 1) - 1;
      if (left === 0) this.#streams.delete(party);
      else this.#streams.set(party, left);
    };
    return ok({ events: this.#events(watched), close });
  }

  async *#events(watched: Watched): AsyncGenerator<string> {
    const end = this.#clock.monotonicMs() + streamMs;
    for (let last = ''; this.#clock.monotonicMs() < end && !this.#ending.aborted && watched.isAllowed();) {
      const round = this.#rounds.get(watched.name) ?? this.#begin(watched);
      const text = await round.text;
      if (text === undefined) return;
      // A comment keeps the connection open.
      yield text === last ? ':\n\n' : `data: ${text}\n\n`;
      last = text;
      await round.end;
    }
  }

  #begin({ name, ask }: Watched): Round {
    const end = sleep(this.#clock, everyMs, this.#ending).then(() => void this.#rounds.delete(name));
    const text = ask().then((answer) => (answer.ok ? writeJson(answer.value) : undefined));
    const round = { text, end };
    this.#rounds.set(name, round);
    return round;
  }
}

const tooMany = `an operator may have at most ${streamsMax} event streams: close one of them`;
