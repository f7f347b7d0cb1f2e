/*
 * Repeats of an operator's changes with the same idempotency key. The first answer stays in memory for a while, because it may have
 * a secret that is stored nowhere. Behind that, the key in the store keeps a change from being done twice.
 */

import { hash } from 'node:crypto';
import { writeJson, type Json } from '@morsel/api/admin/exact-json.ts';
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

/** How long answers are kept, and how many: a viewer who repeats a lost request does it soon. */
const [keptMs, keptMax] = [15 * minuteMs, 1_000];

export class OperatorRepeats {
  /** The oldest first. */
  readonly #firsts = new Map<string, First>();

  /** Runs a change, or returns the answer of the first request with its key. A refused request changes nothing, and may come again. */
  async once(needs: RepeatNeeds, request: IdempotencyKey, run: () => Promise<Answer>): Promise<Answer> {
    const { caller, clock } = needs;
    this.#forget(clock.monotonicMs());
    // The answer may have a secret, so only the operator key that got it gets it again: another operator may have the same name later.
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

/** The hash of an operation with its fields, in whatever order they are given. */
export function hashOperation(name: string, given: { readonly [field: string]: Json }): Uint8Array {
  const fields = Object.entries(given).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return hash('sha256', writeJson([name, ...fields]), 'buffer');
}
