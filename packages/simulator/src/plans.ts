import type { Ask, MessageState } from '@morsel/smpp';
import type { Inbound } from './inbound.ts';

/* How the simulator handles a message: how it answers, which receipts it sends, and which reply. */

export interface AnswerPlan {
  /** The status of the answer; null sends no answer. Default: ESME_ROK. */
  readonly command_status?: number | null;
  readonly delayMs?: number;
  /** Whether the connection ends after the answer. Default: it stays open. */
  readonly isLast?: boolean;
  /** For tests. Default: the format of the simulator's option. */
  readonly spell?: (id: number) => string;
  /** For tests: other octets instead of the answer, because the encoder writes only correct PDUs. */
  readonly octets?: (answer: Buffer) => Uint8Array;
}

export interface ReceiptPlan {
  readonly state: MessageState;
  /**
   * The time from the submit_sm to the receipt. Default: receiptDelayMs for the first receipt, twice that for the
   * second, and so on.
   */
  readonly afterMs?: number;
  /** network_error_code (3.4 section 5.3.2.31). */
  readonly networkError?: { readonly type: number; readonly code: number };
  /** For tests. Default: the format of the simulator's option. */
  readonly spell?: (id: number) => string;
  /** For tests: the PDU that is sent instead of this receipt. */
  readonly rewrite?: (receipt: Ask & { readonly command: 'deliver_sm' }) => Ask;
}

export interface Behaviour {
  /** Default: accept the submit_sm at once. */
  readonly answer?: AnswerPlan;
  /** How many submit_sm to one receiver get this behaviour. Later ones are accepted and delivered. */
  readonly times?: number;
  readonly receipts: readonly ReceiptPlan[];
  /** The replies of the receiver after the receipts. Default: none. */
  readonly replies?: readonly Inbound[];
}

/** Behaviour for receivers without a special ending. */
export const ordinary: Behaviour = { receipts: [{ state: 'DELIVERED' }] };
