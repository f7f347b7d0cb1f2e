import type { MessageId } from '../../core/base/message-id.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { EntryKind, Micros } from '@morsel/api/values/money.ts';

export interface EntryRow {
  readonly id: number;
  readonly account: number;
  readonly kind: EntryKind;
  amount: Micros;
  balanceAfter: Micros;
  messages: number;
  /** Those of the messages that it charges; 1 for a refund. */
  parts: number;
  firstMessage: MessageId | null;
  lastMessage: MessageId | null;
  readonly part: number | null;
  readonly reason: string;
  readonly actor: string;
  /** So that a top-up that is tried again is made once. */
  readonly key: string | null;
  readonly createdAt: Instant;
}

/** A credit limit, for the entries behind that one. */
export interface LimitRow {
  readonly account: number;
  readonly afterEntry: number;
  readonly creditLimit: Micros;
}
