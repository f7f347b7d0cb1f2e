import type { Rejection } from '../core/base/rejection.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import { maskNumber } from '../core/number/masked.ts';
import type { Counts } from '../flow/account/counts.ts';
import type { Clock } from '../runtime/clock.ts';
import { fieldOf, httpStatus, shownCode } from './refusals.ts';

/*
 * Logs refused requests and binds, so that an operator can help a client. The number of log lines is limited, because a client
 * with an error usually repeats it in every request.
 */

interface InfoLog {
  info?(fields: object, message: string): void;
  isLevelEnabled?(level: string): boolean;
}

/** The log fields of a refused request: the request id over HTTP; the session and sequence number over SMPP. */
export interface RefusedRequest {
  readonly requestId?: string;
  /** The trace id of the header `traceparent`. */
  readonly traceId?: string;
  readonly session?: string;
  readonly sequence?: number;
  readonly account?: string | undefined;
  /**
   * The path of the endpoint in the API's contract. The path of the request itself is not logged, because it may have a token.
   */
  readonly path?: string | undefined;
  readonly command?: string;
}

/** The most log lines for each kind of refusal in a period. Above this limit, refusals of the same kind are only counted. */
const linesMax = 10;
const periodMs = 10 * secondMs;
/**
 * The most kinds of refusals that are counted separately in a period. Above this limit, refusals of all further kinds are counted
 * together.
 */
const kindsMax = 1_000;

/** The kind under which all further kinds are counted. */
const others = 'others';

/** The count of refusals of one kind in the current period. */
interface Kind {
  /** The log fields that all refusals of this kind have in common. */
  readonly common: object;
  readonly what: 'requests' | 'binds' | 'connections' | 'requests and binds';
  seen: number;
}

export interface RefusedBind {
  readonly address: string;
  readonly systemId?: string | undefined;
  /** The account of the login with this system_id; undefined if no login has it. */
  readonly account?: string | undefined;
}

/** Writes refused requests and binds to the log, without tokens, passwords, texts and whole phone numbers. */
export class RefusalLog {
  readonly #log: InfoLog | undefined;
  readonly #clock: Pick<Clock, 'setTimer'>;
  readonly #kinds = new Map<string, Kind>();

  readonly #counts: Pick<Counts, 'refused'> | undefined;

  /** With `counts`, refused requests are also counted in the store, and the logged ones are kept there. */
  constructor(log: InfoLog | undefined, clock: Pick<Clock, 'setTimer'>, counts?: Pick<Counts, 'refused'>) {
    this.#log = log;
    this.#clock = clock;
    this.#counts = counts;
  }

  note(rejection: Rejection, request: RefusedRequest): void {
    const code = shownCode(rejection.code);
    const { account } = request;
    const isSample = this.#isAmongFirst(`${code} ${account ?? ''}`, { common: { account, code }, what: 'requests' });
    const field = fieldOf(rejection);
    const rule = 'rule' in rejection ? rejection.rule : undefined;
    const receiver = 'receiver' in rejection ? maskNumber(rejection.receiver) : undefined;
    this.#counts?.refused({
      isSample,
      account: account ?? '',
      code,
      requestId: request.requestId ?? `${request.session}/${request.sequence}`,
      operation: request.path ?? request.command ?? null,
      field: field ?? null,
      rule: rule ?? null,
      receiver: receiver ?? null,
    });
    if (!isSample) return;
    this.#info({ ...request, code, status: statusOf(rejection), field, rule, receiver }, 'request refused');
  }

  /** `reason` is the true reason of the refusal, which the client does not learn. */
  noteBind(reason: string, { address, systemId, account }: RefusedBind): void {
    // All binds with unknown system_ids are one kind, so that invented system_ids cannot fill the log.
    const common = account === undefined ? { reason } : { systemId, account, reason };
    if (this.#isAmongFirst(`bind ${reason} ${account === undefined ? '' : systemId}`, { common, what: 'binds' }))
      this.#info({ address, systemId, account, reason }, 'bind refused');
  }

  /** Connections of a load balancer that are closed because their PROXY protocol header is missing or wrong. */
  noteConnection(balancer: string, reason: string): void {
    const common = { balancer, reason };
    if (this.#isAmongFirst(`connection ${balancer} ${reason}`, { common, what: 'connections' }))
      this.#info(common, 'connection of a load balancer refused');
  }

  /** Counts a refusal. Returns whether it is among the first of its kind in this period. */
  #isAmongFirst(key: string, kind: Pick<Kind, 'common' | 'what'>): boolean {
    const counted = this.#kindOf(key, kind);
    counted.seen += 1;
    return counted.seen <= linesMax;
  }

  #info(fields: object, message: string): void {
    if (this.#log?.isLevelEnabled?.('info') !== false) this.#log?.info?.(fields, message);
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
      this.#info(fields, `further refused ${what} were not logged`);
    }
    this.#kinds.clear();
  }
}

/** A rejection that occurs only over SMPP has no HTTP status. */
function statusOf(rejection: Rejection): number | undefined {
  return rejection.code === 'invalid_option' ? undefined : httpStatus(rejection);
}
