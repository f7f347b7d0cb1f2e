import type { MessageId } from '../../core/base/message-id.ts';
import type { DoubtSettlement } from '@morsel/api/values/message.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { ReceiptRecorded, Rematched } from './receipt.ts';

/*
 * The closed list of all writes. A command is plain data, because it crosses a thread. It names its own time (`at`) and
 * has one result type in `Results`.
 */

/** The operator settles the parts of a message that are in doubt. */
export interface SettleDoubt {
  readonly kind: 'settle-doubt';
  readonly at: Instant;
  readonly message: MessageId;
  /** Null for all of them. */
  readonly part: number | null;
  readonly as: DoubtSettlement;
}

/** The result of each command that is not refused. */
export interface Results {
  receipt: ReceiptRecorded;
  rematch: Rematched;
  'settle-doubt': { readonly parts: number; readonly isWaiting: boolean };
}
