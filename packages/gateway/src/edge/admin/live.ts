/*
 * Repeats the answer to a GET as server-sent events (WHATWG HTML, section 9.2), for a page that shows it live. Each
 * second an event has the whole answer, if the answer has changed. Streams of the same answer share one query a second.
 */

import { writeJson, type Json } from '@morsel/api/fields/exact-json.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { hourMs, secondMs } from '@morsel/api/values/time.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { sleep, type Clock } from '../../runtime/clock.ts';

/** After this time the gateway ends the stream, and the browser opens a new one. */
const streamMs = hourMs;
const everyMs = secondMs;
/** The most streams of an operator. A browser has six connections to a gateway, and its other requests need some of them. */
const streamsMax = 4;

export function isStreamWanted(accept: string | undefined): boolean {
  return accept?.split(',').some((each) => each.split(';')[0]?.trim() === 'text/event-stream') === true;
}

export interface Watched {
  /** A name that all streams with the same answer have in common. */
  readonly name: string;
  readonly ask: () => Promise<Result<Json, Rejection>>;
  /** The operator that the limit of streams counts for. */
  readonly party: string;
  readonly isAllowed: () => boolean;
}

/** One answer, which all streams with the same name share until the next answer is due. */
interface Round {
  /** The answer as text; undefined if the request was refused. */
  readonly text: Promise<string | undefined>;
  readonly end: Promise<void>;
}

export class LiveAnswers {
  readonly #clock: Clock;
  readonly #ending: AbortSignal;
  readonly #rounds = new Map<string, Round>();
  readonly #streams = new Map<string, number>();

  constructor(clock: Clock, ending: AbortSignal) {
    this.#clock = clock;
    this.#ending = ending;
  }

  /**
   * Opens a stream. The stream ends when the gateway stops, when a request is refused, or when the caller loses its
   * rights. The caller must call `close`.
   */
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
      // A comment line (`:`) keeps the connection open while the answer does not change.
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
