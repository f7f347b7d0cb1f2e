import type { Rejection } from '../core/rejection.ts';
import { secondMs } from '../core/time.ts';
import { fieldOf, httpStatus } from './answers.ts';

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
/** Accounts and codes that are told apart in a period; what is beyond counts as one. */
const kindsMax = 1_000;

interface Kind {
  readonly account: string | undefined;
  readonly code: string;
  seen: number;
}

/** Writes refused requests to the log: never a token, a text or a whole number. */
export class RefusalLog {
  readonly #log: InfoLog | undefined;
  readonly #later: (act: () => void, ms: number) => void;
  readonly #kinds = new Map<string, Kind>();

  constructor(log: InfoLog | undefined, later: (act: () => void, ms: number) => void = actLater) {
    this.#log = log;
    this.#later = later;
  }

  note(rejection: Rejection, request: RefusedRequest): void {
    const log = this.#log;
    if (!log?.info || log.isLevelEnabled?.('info') === false) return;
    const { code } = rejection;
    const kind = this.#kindOf(request.account, code);
    kind.seen += 1;
    if (kind.seen > linesMax) return;
    const receiver = 'receiver' in rejection ? maskNumber(rejection.receiver) : undefined;
    const rule = 'rule' in rejection ? rejection.rule : undefined;
    log.info(
      { ...request, code, status: statusOf(rejection), field: fieldOf(rejection), rule, receiver },
      'request refused',
    );
  }

  #kindOf(account: string | undefined, code: string): Kind {
    if (this.#kinds.size === 0) this.#later(() => this.#endPeriod(), periodMs);
    const key = this.#kinds.size < kindsMax ? `${code} ${account ?? ''}` : 'others';
    const known = this.#kinds.get(key);
    if (known) return known;
    const kind = key === 'others' ? { account: undefined, code: 'others', seen: linesMax } : { account, code, seen: 0 };
    this.#kinds.set(key, kind);
    return kind;
  }

  #endPeriod(): void {
    for (const { account, code, seen } of this.#kinds.values()) {
      if (seen <= linesMax) continue;
      const fields = { account, code, leftOut: seen - linesMax, seconds: periodMs / secondMs };
      this.#log?.info?.(fields, 'refused requests were left out of the log');
    }
    this.#kinds.clear();
  }
}

function actLater(act: () => void, ms: number): void {
  setTimeout(act, ms).unref();
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
