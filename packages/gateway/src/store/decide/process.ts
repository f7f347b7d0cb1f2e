/* Decides commands of the process itself: its start, and the correction of messages after the clock ran ahead. */

import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Begin, Begun, CutBack, ProcessResults } from '../commands/process.ts';
import { rewrite, touch } from '../tables/rows.ts';
import type { Rows } from '../tables/rows.ts';
import { enqueuePart, leaveQueue } from './message/part.ts';
import { judgeClock } from '../../core/base/clock.ts';
import { expectUnanswered } from './message/inbound-repeat.ts';
import { doubt, endClaim } from './message/outcome.ts';

/**
 * Corrects messages that were accepted while the clock ran ahead. They become due now. Their validity and their wait
 * for receipts start now, too. Otherwise they would wait until the wrong date.
 */
export function decideCutBack(rows: Rows, { at }: CutBack): Result<ProcessResults['cut-back'], never> {
  const { accepted, last, isMore } = rows.untrusted;
  for (const { message: id, acceptedAt } of accepted) {
    const message = rows.messages.get(id);
    if (!message?.parts.some(({ deadline }) => deadline !== null)) continue;
    const aheadMs = acceptedAt - at;
    rewrite(message, { dueAt: at, expiresAt: message.expiresAt - aheadMs });
    for (const part of message.parts) {
      if (part.deadline === null) continue;
      part.deadline -= aheadMs;
      if (part.roundEnds !== null) part.roundEnds -= aheadMs;
      touch(part);
      if (part.due === null || part.due <= at) continue;
      leaveQueue(rows, message, part);
      enqueuePart(rows, part, at, at);
    }
  }
  return ok({ last, isMore });
}

/** Starts a run of the process with a new lease. Attempts of earlier runs that have no answer are now in doubt (P1). */
export function decideBegin(rows: Rows, command: Begin): Result<Begun, never> {
  const { node } = rows;
  const { seenAt } = node;
  const clock = judgeClock(command.at, { seenAt, aheadMaxMs: command.aheadMaxMs ?? Number.POSITIVE_INFINITY });
  // If the clock is wrong, deadlines are computed from the newest stored instant instead.
  const at = clock === 'right' ? command.at : seenAt;
  node.seenAt = Math.max(seenAt, at);
  if (clock === 'ahead') node.untrustedFrom = Math.min(node.untrustedFrom ?? command.at, command.at);
  node.lease += 1;
  touch(node);
  for (const attempt of rows.orphans) {
    const part = rows.messages.get(attempt.message)?.parts[attempt.part - 1];
    attempt.outcome = 'in_doubt';
    attempt.answeredAt = at;
    touch(attempt);
    if (!part) continue;
    endClaim(part, attempt);
    doubt(rows, part, attempt);
  }
  expectUnanswered(rows, command.at);
  return ok({
    lease: node.lease,
    lastMessageId: node.lastMessageId,
    inDoubt: rows.orphans.length,
    seenAt,
    untrustedFrom: node.untrustedFrom,
  });
}
