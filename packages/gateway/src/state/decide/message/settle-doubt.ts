/* Settles parts in doubt as the operator decides. */

import type { DoubtSettlement } from '@morsel/api/values/message.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { parseMessageId } from '../../../core/base/message-id.ts';
import { isFinal } from '../../../core/base/message.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { PartRow } from '../../tables/message.ts';
import type { Rows } from '../../rows/rows.ts';
import { invalid } from '../../../core/base/rejection.ts';
import { missing } from '../decided.ts';
import type { Unsettled } from '../decision.ts';
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
    for (const part of parts) {
      settleAs(rows, part, { as, at });
      addNote(rows, part, { at, kind: 'settled', detail: `the operator settled the part as ${as}` });
    }
    return ok(null);
  },
};

export const messageDecisions = { 'message.settle': settle };

function settleAs(rows: Rows, part: PartRow, { as, at }: { readonly as: DoubtSettlement; readonly at: Instant }): void {
  if (as === 'resend') {
    enqueuePart(rows, part, at, at);
    return;
  }
  const deadline = receiptDeadline(rows, messageOf(rows, part));
  movePart(rows, part, as, { at, byReceipt: false, deadline: isFinal(as) ? null : deadline });
}
