import type { Ask, MessageState } from '@morsel/smpp';
import type { Inbound } from './inbound.ts';
import type { ReceiptFacts } from './receipts.ts';

/*
 * Plans say how the simulator handles a message: how it answers, which receipts it sends, and which reply. Each ending
 * of a receiver has a plan.
 */

/**
 * How the simulator ends a connection: with FIN, with RST, or with silence. With silence, the connection stays open but
 * the simulator sends nothing more.
 */
export type ConnectionEnd = 'fin' | 'rst' | 'silence';

export interface AnswerPlan {
  /** The status of the answer; null sends no answer. Default: ESME_ROK, the message is accepted. */
  readonly command_status?: number | null;
  readonly delayMs?: number;
  /** Ends the connection after the answer. */
  readonly end?: ConnectionEnd;
  /** For tests: returns the message_id of the answer. Default: the format of the simulator's option. */
  readonly spell?: (id: number) => string;
  /** For tests: returns the octets to send instead of the answer. Our encoder writes only correct PDUs. */
  readonly octets?: (answer: Buffer) => Uint8Array;
}

export interface ReceiptPlan {
  readonly state: MessageState;
  /**
   * The time from the submit_sm to the receipt. Default: receiptDelayMs for the first receipt, twice receiptDelayMs for
   * the second receipt, and so on.
   */
  readonly afterMs?: number;
  /** The TLV network_error_code (3.4 section 5.3.2.31). */
  readonly networkError?: { readonly type: number; readonly code: number };
  /** For tests: returns the id in the receipt. Default: the format of the simulator's option. */
  readonly spell?: (id: number) => string;
  /** For tests: returns the PDU to send instead of this receipt. */
  readonly rewrite?: (receipt: Ask & { readonly command: 'deliver_sm' }, facts: ReceiptFacts) => Ask;
}

export interface Behaviour {
  /** How to answer the submit_sm. Default: accept the submit_sm at once. */
  readonly answer?: AnswerPlan;
  /**
   * How many submit_sm to one receiver get this behaviour. Later submit_sm to the receiver are accepted and delivered.
   */
  readonly times?: number;
  readonly receipts: readonly ReceiptPlan[];
  /** The inbound messages of the receiver after the receipts. Default: the receiver does not reply. */
  readonly replies?: readonly Inbound[];
}

/** The behaviour for receivers without a special ending. */
export const ordinary: Behaviour = { receipts: [{ state: 'DELIVERED' }] };
