/* Decides commands of the process itself: its start, and the correction of messages after the clock ran ahead. */

import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Begin, Begun, CutBack, SeeClock, SystemAlert } from '../commands/process.ts';
import type { MarginAlert } from '../commands/carrier.ts';
import type { Sweep } from '../commands/commands.ts';
import { raise } from './notification/alert.ts';
import { query } from '../rows/lookup.ts';
import type { Needs } from '../rows/needs.ts';
import { messageTable } from '../tables/message.ts';
import type { MessageRow } from '../tables/message.ts';
import { pick, shape } from '../tables/table.ts';
import { rewrite, touch } from '../tables/rows.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Rows } from '../tables/rows.ts';
import { enqueuePart, leaveQueue } from './message/part.ts';
import { judgeClock } from '../../core/base/clock.ts';
import { expectUnanswered } from './message/inbound-repeat.ts';
import { doubt, endClaim } from './message/outcome.ts';

const acceptedAfter = query<[after: number, max: number]>()(
  shape(pick(messageTable, 'id', 'acceptedAt', 'dueAt')),
  'select id, accepted_at, due_at from message where id > ? order by id limit ?',
);

/** A message that was accepted later than now. A message with a time from its client keeps it. */
const isUntrusted = (now: Instant) => (message: Pick<MessageRow, 'acceptedAt' | 'dueAt'>) =>
  message.acceptedAt > now && message.acceptedAt === message.dueAt;

/**
 * Corrects messages that were accepted while the clock ran ahead. They become due now. Their validity and their wait
 * for receipts start now, too. Otherwise they would wait until the wrong date.
 */
function decideCutBack(
  rows: Rows,
  command: CutBack,
): Result<{ readonly last: number; readonly isMore: boolean }, never> {
  const { at, after, max } = command;
  for (const { id, acceptedAt } of rows.values(acceptedAfter, after, max).filter(isUntrusted(at))) {
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
  const found = rows.values(acceptedAfter, after, max);
  return ok({ last: found.at(-1)?.id ?? after, isMore: found.length === max });
}

export const cutBackCommand = {
  needs(need: Needs, { at, after, max }: CutBack): void {
    for (const { id } of need.values(acceptedAfter, after, max).filter(isUntrusted(at))) need.message(id);
  },
  decide: decideCutBack,
};

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

/** Records that the clock is trusted at this instant. */
export function decideSeeClock({ node }: Rows, { at, isForced }: SeeClock): Result<null, never> {
  node.seenAt = isForced ? at : Math.max(node.seenAt, at);
  if (isForced) node.untrustedFrom = null;
  touch(node);
  return ok(null);
}

export function decideSystemAlert(rows: Rows, { alert: kind, at, detail }: SystemAlert): Result<null, never> {
  raise(rows, { kind, account: null, at, detail });
  return ok(null);
}

export function decideMarginAlert(rows: Rows, alert: MarginAlert): Result<null, never> {
  raise(rows, { ...alert, kind: 'below-margin' });
  return ok(null);
}

export function decideSweep(rows: Rows, command: Sweep): Result<{ readonly isMore: boolean }, never> {
  rows.sweep = command;
  return ok({ isMore: rows.forgotten.length === command.max });
}
