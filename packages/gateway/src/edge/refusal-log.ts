import type { Rejection } from '../core/base/rejection.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import type { Clock } from '../runtime/clock.ts';
import { fieldOf, httpStatus } from './refusals.ts';

interface InfoLog {
  info?(fields: object, message: string): void;
  isLevelEnabled?(level: string): boolean;
}

/** Who was refused, as far as that is known: by its id over HTTP, by session and sequence number over SMPP. */
export interface RefusedRequest {
  readonly requestId?: string;
  readonly session?: string;
  readonly sequence?: number;
  readonly account?: string | undefined;
  /** The path of the contract, never the one that came: that may hold a token. */
  readonly path?: string | undefined;
  readonly command?: string;
}

/** A client that errs does so in every request: its first ones say what is wrong, and the others are counted. */
const linesMax = 10;
const periodMs = 10 * secondMs;
/** Kinds of refusals that are told apart in a period; what is beyond counts as one. */
const kindsMax = 1_000;

/** The kind of those beyond. */
const others = 'others';

/** Refusals of one kind in this period. */
interface Kind {
  /** What they have in common. */
  readonly common: object;
  readonly what: 'requests' | 'binds' | 'requests and binds';
  seen: number;
}

/** Who was refused a bind. A system_id that is not ours is left out: it may be a password in the wrong place. */
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

  /** With the true reason, which the client is not told. */
  noteBind(reason: string, { address, systemId, account }: RefusedBind): void {
    const common = { systemId, account, reason };
    if (!this.#isWanted(`bind ${reason} ${systemId ?? ''}`, { common, what: 'binds' })) return;
    this.#log?.info?.({ address, ...common }, 'bind refused');
  }

  /** Whether a refusal is one of the first of its kind. Those beyond are counted. */
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

/** What SMPP alone refuses has no status of HTTP that means anything. */
function statusOf(rejection: Rejection): number | undefined {
  return rejection.code === 'invalid_tlv' ? undefined : httpStatus(rejection);
}

/** Enough of a number to see where it belongs, and to find it again if one has it: `+4179*****34`. */
export function maskNumber(number: string): string {
  const [first, last] = number.length > 8 ? [5, 2] : [3, 0];
  const hidden = Math.max(0, number.length - first - last);
  return number.slice(0, first) + '*'.repeat(hidden) + number.slice(number.length - last);
}
