import type { Rejection } from '../core/base/rejection.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import type { Clock } from '../runtime/clock.ts';
import { fieldOf, httpStatus } from './refusals.ts';

/*
 * Logs refused requests and binds, so that an operator can help a client. It limits the lines, because a client that errs does
 * so in every request.
 */

interface InfoLog {
  info?(fields: object, message: string): void;
  isLevelEnabled?(level: string): boolean;
}

/** What is known of a refused request: its id over HTTP; its session and sequence number over SMPP. */
export interface RefusedRequest {
  readonly requestId?: string;
  readonly session?: string;
  readonly sequence?: number;
  readonly account?: string | undefined;
  /** The path as the API's contract has it. The path of the request may hold a token. */
  readonly path?: string | undefined;
  readonly command?: string;
}

/** Lines for each kind of refusal in a period. Further ones are only counted. */
const linesMax = 10;
const periodMs = 10 * secondMs;
/** Kinds of refusals that are counted apart in a period. All others count as one. */
const kindsMax = 1_000;

/** The kind that all others count as. */
const others = 'others';

/** Refusals of one kind in this period. */
interface Kind {
  /** The fields that all of them share. */
  readonly common: object;
  readonly what: 'requests' | 'binds' | 'requests and binds';
  seen: number;
}

/** What is known of a refused bind. An unknown system_id is left out, because it may be a password in the wrong field. */
export interface RefusedBind {
  readonly address: string;
  readonly systemId?: string | undefined;
  readonly account?: string | undefined;
}

/** Writes refused requests and binds to the log: never a token, a password, a text or a whole number. */
export class RefusalLog {
  readonly #log: InfoLog | undefined;
  readonly #clock: Pick<Clock, 'setTimer'>;
  readonly #kinds = new Map<string, Kind>();

  constructor(log: InfoLog | undefined, clock: Pick<Clock, 'setTimer'>) {
    this.#log = log;
    this.#clock = clock;
  }

  note(rejection: Rejection, request: RefusedRequest): void {
    const { code } = rejection;
    const { account } = request;
    if (!this.#isWanted(`${code} ${account ?? ''}`, { common: { account, code }, what: 'requests' })) return;
    const receiver = 'receiver' in rejection ? maskNumber(rejection.receiver) : undefined;
    const rule = 'rule' in rejection ? rejection.rule : undefined;
    this.#log?.info?.(
      { ...request, code, status: statusOf(rejection), field: fieldOf(rejection), rule, receiver },
      'request refused',
    );
  }

  /** `reason` is the true reason, which the client does not get. */
  noteBind(reason: string, { address, systemId, account }: RefusedBind): void {
    const common = { systemId, account, reason };
    if (!this.#isWanted(`bind ${reason} ${systemId ?? ''}`, { common, what: 'binds' })) return;
    this.#log?.info?.({ address, ...common }, 'bind refused');
  }

  /** Whether a refusal is one of the first of its kind. Counts it in any case. */
  #isWanted(key: string, kind: Pick<Kind, 'common' | 'what'>): boolean {
    if (!this.#log?.info || this.#log.isLevelEnabled?.('info') === false) return false;
    const counted = this.#kindOf(key, kind);
    counted.seen += 1;
    return counted.seen <= linesMax;
  }

  #kindOf(key: string, kind: Pick<Kind, 'common' | 'what'>): Kind {
    if (this.#kinds.size === 0) this.#clock.setTimer(() => this.#endPeriod(), periodMs);
    const known = this.#kinds.get(key) ?? this.#kinds.get(others);
    if (known) return known;
    const isRoom = this.#kinds.size < kindsMax;
    const made: Kind = isRoom
      ? { ...kind, seen: 0 }
      : { common: { code: others }, what: 'requests and binds', seen: linesMax };
    this.#kinds.set(isRoom ? key : others, made);
    return made;
  }

  #endPeriod(): void {
    for (const { common, what, seen } of this.#kinds.values()) {
      if (seen <= linesMax) continue;
      const fields = { ...common, leftOut: seen - linesMax, seconds: periodMs / secondMs };
      this.#log?.info?.(fields, `refused ${what} were left out of the log`);
    }
    this.#kinds.clear();
  }
}

/** A refusal that only SMPP has needs no HTTP status. */
function statusOf(rejection: Rejection): number | undefined {
  return rejection.code === 'invalid_tlv' ? undefined : httpStatus(rejection);
}

/** Shows enough of a number to see its country and to recognize it: `+4179*****34`. */
export function maskNumber(number: string): string {
  const [first, last] = number.length > 8 ? [5, 2] : [3, 0];
  const hidden = Math.max(0, number.length - first - last);
  return number.slice(0, first) + '*'.repeat(hidden) + number.slice(number.length - last);
}
