/* Idempotency: requests under one key take turns, and a repeat gets the first answer again. */

import { idempotencyLifeMs, isSameRequest } from '../../core/message/idempotency.ts';
import type { FirstAccepted, IdempotencyKey } from '../../core/message/idempotency.ts';
import type { Account } from '../../core/account/account.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Reader } from '../../store/reader.ts';
import { idempotencyId } from '../../store/tables/idempotency.ts';
import type { AcceptedMessage } from '../ports.ts';

interface RepeatNeeds {
  readonly reader: Pick<Reader, 'ask'>;
  readonly clock: { now(): Instant };
  /** No key expires: the clock is not trusted. */
  readonly isHeld: () => boolean;
}

type Answer = Result<AcceptedMessage, Rejection>;

interface Turn {
  readonly hash: Uint8Array;
  readonly answer: Promise<Answer>;
}

/**
 * Requests with an idempotency key, one at a time for each key (M7). The commit decides which is the first. The check
 * before it saves a repeat from checks whose answer may be different now: rules, route, price, balance. There are never
 * more of them than connections have requests under way, and each waits only for commits before it.
 */
export class Repeats {
  readonly #needs: RepeatNeeds;
  /** The last request of each key that is under way. */
  readonly #underWay = new Map<string, Turn>();

  constructor(needs: RepeatNeeds) {
    this.#needs = needs;
  }

  /** The answer of the first success under the key, or the answer of `accept`, which is then the first. */
  async once(account: Account, idempotency: IdempotencyKey, accept: () => Promise<Answer>): Promise<Answer> {
    const id = idempotencyId(account.id, idempotency.key);
    const before = this.#underWay.get(id);
    const turn: Turn = { hash: idempotency.hash, answer: this.#after(before, { account, idempotency, accept }) };
    this.#underWay.set(id, turn);
    try {
      return await turn.answer;
    } finally {
      if (this.#underWay.get(id) === turn) this.#underWay.delete(id);
    }
  }

  async #after(
    before: Turn | undefined,
    { account, idempotency, accept }: { account: Account; idempotency: IdempotencyKey; accept: () => Promise<Answer> },
  ): Promise<Answer> {
    // A bug in one request does not concern the next.
    const [earlier] = await Promise.allSettled([before?.answer]);
    if (before && earlier.status === 'fulfilled' && earlier.value?.ok === true) {
      return isSameRequest(before.hash, idempotency.hash)
        ? ok({ ...earlier.value.value, isReplayed: true as const })
        : refused({ code: 'idempotency_conflict' });
    }
    const first = await firstUnder(this.#needs, account, idempotency);
    if (!first.ok) return first;
    return first.value ? ok(acceptedBefore(first.value, account)) : accept();
  }
}

/** The first acceptance under a live key, if the request is the same; another request is refused. */
export async function firstUnder(
  needs: RepeatNeeds,
  account: Account,
  { key, hash }: IdempotencyKey,
): Promise<Result<FirstAccepted | undefined, Rejection>> {
  const after = needs.isHeld() ? 0 : needs.clock.now() - idempotencyLifeMs;
  const known = await needs.reader.ask('idempotency', { account: account.id, key, after });
  if (!known.ok) return known;
  if (known.value === undefined) return ok(undefined);
  return isSameRequest(known.value.hash, hash) ? ok(known.value.first) : refused({ code: 'idempotency_conflict' });
}

/** The first answer again, from the stored message. */
export function acceptedBefore(first: FirstAccepted, account: Account): AcceptedMessage {
  return {
    msgId: first.message,
    numParts: first.numParts,
    totalCost: first.totalCost,
    clientBalance: first.clientBalance,
    clientCurrency: account.currency,
    isReplayed: true,
  };
}
