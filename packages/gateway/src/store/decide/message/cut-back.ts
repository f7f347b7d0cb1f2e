import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { CutBack, ProcessResults } from '../../commands/process.ts';
import { touch } from '../../tables/rows.ts';
import type { Rows } from '../../tables/rows.ts';
import { enqueuePart, leaveQueue } from './part.ts';

/**
 * Decides the correction after a clock that ran ahead. Messages accepted by it are due now; their validity and their
 * wait for receipts start now. Otherwise they would wait until the wrong date.
 */
export function decideCutBack(rows: Rows, { at }: CutBack): Result<ProcessResults['cut-back'], never> {
  const { accepted, last, isMore } = rows.doubted;
  for (const { message: id, acceptedAt } of accepted) {
    const message = rows.messages.get(id);
    if (!message?.parts.some(({ deadline }) => deadline !== null)) continue;
    const aheadMs = acceptedAt - at;
    message.dueAt = at;
    message.expiresAt -= aheadMs;
    rows.redated.push(message);
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
