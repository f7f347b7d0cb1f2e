import type { MessageEvent } from '../core/message.ts';
import type { Micros } from '../core/money.ts';
import type { Instant } from '../core/time.ts';

/** What passes between the doors (`edge/http`, `edge/customer`) and the flow: the same for both. */

/** A message as a client gave it: nothing checked yet but that the fields are there. */
export interface Draft {
  readonly sender: string;
  readonly receiver: string;
  readonly text: string;
  readonly dcs: string;
  readonly clientRef?: string | undefined;
  /** Seconds. */
  readonly validity?: number | undefined;
}

/** A message that was stored and charged. */
export interface Accepted {
  readonly msgId: string | number;
  readonly numParts: number;
  readonly totalCost: Micros;
  /** Right after this charge. */
  readonly clientBalance: Micros;
  readonly clientCurrency: string;
}

export interface DeliveryReport {
  readonly msgId: string | number;
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
