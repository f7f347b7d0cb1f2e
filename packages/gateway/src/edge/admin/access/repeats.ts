/*
 * Answers repeats of an operator's changes with the same idempotency key. The first answer stays in memory for a while,
 * because it may have a secret that is stored nowhere. After that, the stored key prevents a second change.
 */

import { hash } from 'node:crypto';
import { writeJson, type Json } from '@morsel/api/fields/exact-json.ts';
import { refused, type Result } from '@morsel/api/values/result.ts';
import { minuteMs } from '@morsel/api/values/time.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { idempotencyLifeMs, isSameRequest, type IdempotencyKey } from '../../../core/message/idempotency.ts';
import { doneBefore } from '../../../state/decide/access/request.ts';
import type { Caller } from '../../../core/account/caller.ts';
import type { Tools } from '../../../flow/ports.ts';

interface RepeatNeeds extends Pick<Tools, 'clock' | 'reader'> {
  readonly caller: Pick<Caller, 'name' | 'key'>;
}

type Answer = Result<unknown, Rejection>;

interface First {
  readonly hash: Uint8Array;
  readonly answer: Promise<Answer>;
  readonly atMs: number;
}

/** How long answers are kept in memory, and how many of them: an operator repeats a lost request soon. */
const [keptMs, keptMax] = [15 * minuteMs, 1_000];

export class OperatorRepeats {
  /** The oldest request comes first. */
  readonly #firsts = new Map<string, First>();

  /**
   * Runs a change, or returns the answer to the first request with the same idempotency key. A refused request changes
   * nothing, so it may be repeated.
   */
  async once(needs: RepeatNeeds, request: IdempotencyKey, run: () => Promise<Answer>): Promise<Answer> {
    const { caller, clock } = needs;
    this.#forget(clock.monotonicMs());
    // The answer may have a secret, so it is repeated only to the operator key that got it. The name is not enough,
    // because another person may get the same operator name later.
    const id = `${caller.key} ${caller.name} ${request.key}`;
    const before = this.#firsts.get(id);
    if (before)
      return isSameRequest(before.hash, request.hash) ? before.answer : refused({ code: 'idempotency_conflict' });
    const first = { hash: request.hash, answer: firstAnswer(needs, request, run), atMs: clock.monotonicMs() };
    this.#firsts.set(id, first);
    let isDone = false;
    try {
      const answer = await first.answer;
      isDone = answer.ok;
      return answer;
    } finally {
      if (!isDone && this.#firsts.get(id) === first) this.#firsts.delete(id);
    }
  }

  #forget(nowMs: number): void {
    for (const [id, { atMs }] of this.#firsts) {
      if (this.#firsts.size < keptMax && nowMs - atMs < keptMs) return;
      this.#firsts.delete(id);
    }
  }
}

async function firstAnswer(
  { caller, clock, reader }: RepeatNeeds,
  request: IdempotencyKey,
  run: () => Promise<Answer>,
): Promise<Answer> {
  const after = clock.now() - idempotencyLifeMs;
  const known = await reader.ask('operatorRequest', { operator: caller.name, ...request, after });
  if (!known.ok) return known;
  return known.value ? refused(doneBefore(known.value.at, known.value.isSame)) : run();
}

/** The hash of an operation and its fields. The order of the fields does not matter. */
export function hashOperation(name: string, given: { readonly [field: string]: Json }): Uint8Array {
  const fields = Object.entries(given).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return hash('sha256', writeJson([name, ...fields]), 'buffer');
}
