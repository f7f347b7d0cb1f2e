/* Idempotency: a repeated request gets the answer of the first request with its key. */

import {
  idempotencyLifeMs,
  isSameRequest,
  type FirstAccepted,
  type IdempotencyKey,
} from '../../core/message/idempotency.ts';
import type { Account } from '../../core/account/account.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { AcceptedMessage, Tools } from '../ports.ts';

interface RepeatNeeds extends Pick<Tools, 'clock' | 'reader'> {
  readonly isHeld: () => boolean;
}

type Answer = Result<AcceptedMessage, Rejection>;

interface Turn {
  readonly hash: Uint8Array;
  readonly answer: Promise<Answer>;
}

/**
 * For each key, requests run one at a time (M7); the commit decides which is the first. A repeat is recognised before
 * rules, route, price and balance are checked, because these may have changed.
 */
export class Repeats {
  readonly #needs: RepeatNeeds;
  /** For each key, the last request that is under way. */
  readonly #underWay = new Map<string, Turn>();

  constructor(needs: RepeatNeeds) {
    this.#needs = needs;
  }

  /** Calls `accept` if no request with this key has succeeded before. */
  async once(account: Account, idempotency: IdempotencyKey, accept: () => Promise<Answer>): Promise<Answer> {
    const id = `${account.id} ${idempotency.key}`;
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

/** The first answer under a key that has not expired. A different request with the same key is rejected. */
export async function firstUnder(
  needs: RepeatNeeds,
  account: Account,
  { key, hash }: IdempotencyKey,
): Promise<Result<FirstAccepted | undefined, Rejection>> {
  const after = needs.isHeld() ? 0 : needs.clock.now() - idempotencyLifeMs;
  const known = await needs.reader.ask('idempotency', { account: account.id, key, hash, after });
  if (!known.ok) return known;
  if (known.value === undefined) return ok(undefined);
  return known.value.isSame ? ok(known.value.first) : refused({ code: 'idempotency_conflict' });
}

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
