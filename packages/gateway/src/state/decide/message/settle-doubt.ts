/* Settles parts in doubt as the operator decides. */

import type { DoubtSettlement } from '@morsel/api/values/message.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import { isFinal } from '../../../core/base/message.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Reads } from '../../rows/reads.ts';
import type { PartRow } from '../../tables/message.ts';
import type { Rows } from '../../rows/rows.ts';
import { addNote, enqueuePart, messageOf, movePart, receiptDeadline } from './part.ts';

/** The operator settles the parts of a message that are in doubt. */
interface SettleDoubt {
  readonly at: Instant;
  readonly message: MessageId;
  /** Null for all of them. */
  readonly part: number | null;
  readonly as: DoubtSettlement;
}

interface Settled {
  readonly parts: number;
  readonly isWaiting: boolean;
}

/**
 * Settles parts in doubt as the operator decides. A part that is sent again may be delivered twice. After `sent` or
 * `unknown`, a receipt can still change the state.
 */
export const settleDoubtCommand = {
  reads(read: Reads, { message }: SettleDoubt): void {
    read.message(message);
  },
  decide(rows: Rows, command: SettleDoubt): Result<Settled, Rejection> {
    const message = rows.messages.get(command.message);
    if (!message) return refused({ code: 'message_not_found' });
    const parts = message.parts.filter(
      ({ state, number }) => state === 'in_doubt' && (command.part === null || number === command.part),
    );
    if (parts.length === 0) {
      const which = command.part === null ? 'no part of the message is' : `part ${command.part} of the message is not`;
      return refused({ code: 'does_not_exist', detail: `${which} in doubt` });
    }
    if (command.as === 'resend' && command.at >= message.expiresAt) {
      const detail = 'the validity of the message has ended, so it cannot be sent again: settle it as sent or unknown';
      return refused({ code: 'invalid_parameter', field: 'as', detail });
    }
    let isWaiting = false;
    for (const part of parts) {
      isWaiting = settleAs(rows, part, command) || isWaiting;
      addNote(rows, part, {
        at: command.at,
        kind: 'settled',
        detail: `the operator settled the part as ${command.as}`,
      });
    }
    return ok({ parts: parts.length, isWaiting });
  },
};

/** Settles one part. Returns whether the part waits in the queue again. */
function settleAs(rows: Rows, part: PartRow, { as, at }: SettleDoubt): boolean {
  if (as === 'resend') return enqueuePart(rows, part, at, at);
  const deadline = receiptDeadline(rows, messageOf(rows, part));
  movePart(rows, part, as, { at, byReceipt: false, deadline: isFinal(as) ? null : deadline });
  return false;
}
