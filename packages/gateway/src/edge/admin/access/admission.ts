import { hash, timingSafeEqual } from 'node:crypto';
import { mayCall } from '@morsel/api/admin/access/role.ts';
import type { Operation } from '@morsel/api/admin/resource.ts';
import { actorHeader, idempotencyKeyHeader, reasonHeader } from '@morsel/api/admin/client.ts';
import { sentence } from '@morsel/api/fields/fields.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { dayMs } from '@morsel/api/values/time.ts';
import { verifyOperatorKey } from '../../../core/account/token.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { isIdempotencyKey } from '../../../core/message/idempotency.ts';
import { isFrom } from '../../../flow/account/authenticate.ts';
import { localOwner, type Caller } from '../../../core/account/caller.ts';
import { malformed } from '../../http/request/malformed.ts';
import type { Exchange } from '../../http/routes.ts';
import type { Head } from '../../http/request/head.ts';
import type { OperatorNeeds } from '../operator-needs.ts';
import { checkPlace } from './place.ts';
import { sessionKeyIn } from './session-cookie.ts';

/* Decides who may call the operator's API: the owner with the key of the data directory, or an operator with a key. */

export interface AdmissionOptions {
  /** The key of the data directory. */
  readonly key: string;
  /** The names under which the listener is known, besides its addresses. */
  readonly names: readonly string[];
  readonly operator: Pick<OperatorNeeds, 'snapshot' | 'clock' | 'journal'>;
  readonly log: { info(fields: object, message: string): void };
}

const actor = sentence({ max: 64, summary: '' });
/** The longest reason of a change, in characters. */
const reason = sentence({ max: 200, summary: '' });

type OperationRights = Pick<Operation, 'role' | 'isForSessions'>;

export class Admission {
  readonly #options: AdmissionOptions;
  readonly #builtIn: Buffer;
  readonly #callers = new WeakMap<Exchange, Caller>();
  /** The day on which the use of each operator key was last recorded. Only keys that work are in this map. */
  readonly #usedOn = new Map<string, number>();

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#builtIn = digest(options.key);
  }

  /**
   * Admits a request before its body is read. Gives its connection a place that connections without a key cannot take.
   * The connections of a party share its places; by default, the party is the operator.
   */
  admit(exchange: Exchange, party?: string): Rejection | undefined {
    const wrongPlace = this.admitAnybody(exchange);
    if (wrongPlace) return wrongPlace;
    const found = this.#find(exchange);
    if (!found.ok) return found.error;
    this.#callers.set(exchange, found.value);
    return exchange.connection.admit(party ?? partyOf(found.value)) ? undefined : tooMany;
  }

  /** Checks a request that needs no operator key: a request for a file of the console, or a sign-in. */
  admitAnybody({ request }: Exchange): Rejection | undefined {
    return checkPlace(request.headers, this.#options.names);
  }

  /** Whether the key of an admitted request still works, with the same role as at the admission. */
  isStillAdmitted(exchange: Exchange): boolean {
    const found = this.#find(exchange);
    return found.ok && found.value.role === this.callerOf(exchange).role;
  }

  /** Refuses a caller whose role may not call the operation, and an operator key where only a session may call it. */
  check(exchange: Exchange, { role: least, isForSessions }: OperationRights): Rejection | undefined {
    const { name, role, isSession } = this.callerOf(exchange);
    if (isForSessions && !isSession) return notByKey;
    if (mayCall(role, least)) return undefined;
    const fields = { requestId: exchange.requestId, operator: name, role, needs: least };
    this.#options.log.info(fields, 'an operator is refused because of the role');
    return { code: 'forbidden', detail: `this needs the role ${least}, and operator ${name} has the role ${role}` };
  }

  callerOf(exchange: Exchange): Caller {
    const caller = this.#callers.get(exchange);
    if (!caller) throw new Error('a request was not admitted');
    return caller;
  }

  #find({ request, requestId, address }: Exchange): Result<Caller, Rejection> {
    const { authorization } = request.headers;
    const cookie = authorization === undefined ? sessionKeyIn(request.headers) : undefined;
    const given = cookie ?? /^Bearer (.*)$/.exec(authorization ?? '')?.[1] ?? '';
    const idempotencyKey = idempotencyKeyIn(request);
    if (!idempotencyKey.ok) return idempotencyKey;
    const called = { address, requestId, idempotencyKey: idempotencyKey.value };
    const why = readHeader(request, reasonHeader, reason);
    if (cookie === undefined && timingSafeEqual(digest(given), this.#builtIn)) {
      const who = readHeader(request, actorHeader, actor);
      if (!who.ok) return who;
      if (!why.ok) return why;
      return ok({ ...localOwner, name: who.value ?? localOwner.name, ...called, reason: why.value });
    }
    const { snapshot, clock } = this.#options.operator;
    const { operatorKeys, operators } = snapshot();
    const key = verifyOperatorKey(operatorKeys, given, clock.now());
    const role = key && operators.get(key.operator);
    if (!key || !role || key.kind !== (cookie === undefined ? 'key' : 'session'))
      return refused({ code: 'unauthorized' });
    // A page of another site might make the browser send the cookie, with or without an Origin. Both are refused.
    if (cookie !== undefined && request.method !== 'GET' && request.headers.origin === undefined) {
      return refused({ code: 'forbidden', detail: 'a change with the cookie of a session needs the header Origin' });
    }
    if (!isFrom(key.from, called.address)) {
      return refused({ code: 'forbidden', detail: notFromHere });
    }
    if (!why.ok) return why;
    if (request.headers[actorHeader] !== undefined) return refused(actorIsOperator);
    this.#used(key.id);
    const isSession = key.kind === 'session';
    return ok({ name: key.operator, role, key: key.id, isSession, ...called, reason: why.value });
  }

  /** Records the use of an operator key, at most once a day. */
  #used(id: string): void {
    const { clock, journal } = this.#options.operator;
    const at = clock.now();
    const day = Math.floor(at / dayMs);
    if (this.#usedOn.get(id) === day) return;
    this.#usedOn.set(id, day);
    void journal.append<'touch-operator-key'>({ kind: 'touch-operator-key', at, id });
  }
}

/** An operator key may be limited to addresses and days. A password that the key could set would have no limits. */
const notByKey: Rejection = {
  code: 'forbidden',
  detail:
    'only a session of the console may do this, and no key: sign in to the console, or ask an owner for a sign-in link',
};

const notFromHere = 'requests with this operator key are not allowed from this address';
const actorIsOperator: Rejection = {
  code: 'forbidden',
  detail: 'a name (--actor) can be given only with the operator key of the data directory: this key has an operator',
};

const tooMany: Rejection = {
  code: 'unavailable',
  detail: 'this operator has too many connections that wait for an answer: try again',
};
const ownerParty = 'the key of the data directory';

/** The party whose connections and event streams are counted together. */
export function partyOf({ name, key }: Caller): string {
  return key === localOwner.key ? ownerParty : `operator ${name}`;
}

function readHeader({ headers }: Head, header: string, field: typeof reason): Result<string | null, Rejection> {
  const given = headers[header];
  if (typeof given !== 'string') return ok(null);
  const read = field.read(decoded(given));
  return read.ok ? read : malformed(`the header ${header} ${read.error}`);
}

function idempotencyKeyIn({ headers }: Head): Result<string | null, Rejection> {
  const given = headers[idempotencyKeyHeader];
  if (typeof given !== 'string') return ok(null);
  if (isIdempotencyKey(given)) return ok(given);
  return malformed('an idempotency key must have 1 to 255 printable ASCII characters');
}

/**
 * Decodes a header that is percent-encoded UTF-8. Node reads octets outside ASCII as Latin-1. Returns an empty text,
 * which no field takes, if the header is invalid.
 */
function decoded(header: string): string {
  try {
    return /[\u0080-\u00ff]/.test(header) ? '' : decodeURIComponent(header);
  } catch {
    return '';
  }
}

/** Digests have the same length, so the time of their comparison tells nothing about the key. */
function digest(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}
