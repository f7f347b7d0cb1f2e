import type { MessageEvent } from '@morsel/api/values/message.ts';
import type { MessageId } from '../core/base/message-id.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/** What passes between the APIs (`edge/http`, `edge/smpp`) and the flow: the same for both. */

/** The answer to an accepted message, given only after the commit (A1). */
export interface AcceptedMessage {
  readonly msgId: MessageId;
  readonly numParts: number;
  readonly totalCost: Micros;
  /** The balance right after this debit, in the order of the commits (M6). */
  readonly clientBalance: Micros;
  readonly clientCurrency: string;
  /** It was accepted before, under the same idempotency key: nothing was charged or sent again. */
  readonly isReplayed?: true;
}

export interface MessageReport {
  readonly msgId: MessageId;
  readonly event: MessageEvent;
  readonly numParts: number;
  readonly sendTime: Instant;
  readonly dlrTime: Instant;
  readonly errorCode?: string | undefined;
  readonly clientRef?: string | undefined;
  /** In order of their numbers; only when details were asked for. */
  readonly parts?: readonly PartReport[] | undefined;
}

export interface PartReport {
  /** Its place among the parts, from 1. */
  readonly part: number;
  readonly event: MessageEvent;
  readonly dlrTime: Instant;
  readonly errorCode?: string | undefined;
}

export interface Balance {
  readonly clientBalance: Micros;
  readonly clientCurrency: string;
}

/** The submitter of a message and its address, stored with it. */
export interface Submitter {
  /** The public id of a token, the system_id of a session, or the name of an operator. */
  readonly name: string;
  readonly address?: string | undefined;
  /** As session list names it. */
  readonly session?: string | undefined;
}

/** The log of events that the operator should know. */
export interface EventLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * The detailed log: links, sessions and decisions at `debug`, PDU headers at `trace`. Call `isLevelEnabled` before making
 * a line, so that a line below the level costs nothing. Messages are named by their ids, never by their numbers or texts.
 */
export interface DetailLog {
  isLevelEnabled?(level: 'debug' | 'trace'): boolean;
  debug?(fields: object, message: string): void;
  trace?(fields: object, message: string): void;
}
