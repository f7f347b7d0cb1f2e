/* Settles parts in doubt as the operator decides. */

import type { DoubtSettlement } from '@morsel/api/values/message.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { parseMessageId, type MessageId } from '../../../core/base/message-id.ts';
import { isFinal } from '../../../core/base/message.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { PartRow } from '../../tables/message.ts';
import type { Rows } from '../../rows/rows.ts';
import { invalid } from '../../../core/base/rejection.ts';
import { missing } from '../decided.ts';
import type { JobStep, RowDone, Unsettled } from '../decision.ts';
import { addNote, enqueuePart, messageOf, movePart, receiptDeadline } from './part.ts';

/**
 * Settles parts in doubt as the operator decides; without a part all of them. A part that is sent again may be delivered
 * twice. After `sent` or `unknown`, a receipt can still change the state.
 */
const settle: Unsettled<'message.settle'> = {
  isSetting: false,
  decide(rows, { id, part: wanted, as }, { at }) {
    const msgId = parseMessageId(id);
    const message = msgId === undefined ? undefined : rows.message(msgId);
    if (!message) return refused({ code: 'message_not_found' });
    const parts = message.parts.filter(
      ({ state, number }) => state === 'in_doubt' && (wanted === undefined || number === wanted),
    );
    if (parts.length === 0)
      return missing(
        `${wanted === undefined ? 'no part of the message is' : `part ${wanted} of the message is not`} in doubt`,
      );
    if (as === 'resend' && at >= message.expiresAt) {
      return invalid(
        'as',
        'the validity of the message has ended, so it cannot be sent again: settle it as sent or unknown',
      );
    }
    for (const part of parts) settleAs(rows, part, { as, at, by: 'the operator' });
    return ok(null);
  },
};

export const messageDecisions = { 'message.settle': settle };

/** Settles a part for a job, which leaves parts that got in doubt after its start. */
export function settleRow(
  rows: Rows,
  { message: id, part: number }: { readonly message: MessageId; readonly part: number },
  { at, job, filter: { as, until } }: JobStep<{ readonly as: DoubtSettlement; readonly until: Instant }>,
): RowDone<'settled' | 'changed meanwhile' | 'too old to be sent again'> {
  const message = rows.message(id);
  const part = message?.parts[number - 1];
  if (!message || part?.state !== 'in_doubt' || part.changedAt > until) return { outcome: 'changed meanwhile' };
  if (as === 'resend' && at >= message.expiresAt) return { outcome: 'too old to be sent again' };
  settleAs(rows, part, { as, at, by: `job ${job}` });
  return { outcome: 'settled' };
}

interface Settlement {
  readonly as: DoubtSettlement;
  readonly at: Instant;
  readonly by: string;
}

function settleAs(rows: Rows, part: PartRow, { as, at, by }: Settlement): void {
  if (as === 'resend') enqueuePart(rows, part, at, at);
  else {
    const deadline = receiptDeadline(rows, messageOf(rows, part));
    movePart(rows, part, as, { at, byReceipt: false, deadline: isFinal(as) ? null : deadline });
  }
  addNote(rows, part, { at, kind: 'settled', detail: `${by} settled the part as ${as}` });
}
