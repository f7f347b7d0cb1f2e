import type { MessageState } from '@morsel/smpp';
import type { Dialect } from './delivery/dialects.ts';
import type { IdForm } from './delivery/ids.ts';
import type { InboundPlan } from './inbound.ts';
import type { Wound } from './answer/wounds.ts';

/*
 * Plans say how the simulator handles a message: how it answers, which receipts it sends, and which reply. Each magic
 * receiver has a plan.
 */

/**
 * How the simulator ends a connection: with FIN, with RST, or with silence. With silence, the connection stays open but
 * the simulator sends nothing more.
 */
export type Ending = 'fin' | 'rst' | 'silence';

export type AnswerPlan =
  | { readonly kind: 'accept'; readonly delayMs?: number; readonly id?: IdForm; readonly wound?: Wound }
  /**
   * Refuses the message. With `hasBody`, the answer contains an empty message_id; the standard does not allow a body in
   * a refusal, but some carriers send one.
   */
  | { readonly kind: 'refuse'; readonly command_status: number; readonly hasBody?: true; readonly wound?: Wound }
  | { readonly kind: 'silence' }
  /** Ends the connection before the answer, after half of the answer, or after the whole answer. */
  | { readonly kind: 'disconnect'; readonly answer: 'none' | 'half' | 'whole'; readonly by: Ending };

export interface ReceiptPlan {
  readonly state: MessageState;
  /** The `stat` in the text. Default: the word of the standard for `state`. */
  readonly stat?: string;
  /** The state in the TLV message_state. Default: `state`. */
  readonly tlvState?: MessageState;
  /**
   * The time from the submit_sm to the receipt. Default: receiptDelayMs for the first receipt, twice receiptDelayMs for
   * the second receipt, and so on.
   */
  readonly afterMs?: number;
  /**
   * The content of the receipt. `both` (the default): text and TLVs. `bare`: only a text, with an esm_class that does
   * not mark a receipt.
   */
  readonly form?: 'both' | 'text' | 'tlvs' | 'bare';
  /** The variant of the text format. Default: the format of SMPP 3.4 appendix B. */
  readonly dialect?: Dialect;
  readonly esmClass?: number;
  readonly command?: 'deliver_sm' | 'data_sm';
  readonly id?: IdForm;
  /** The format of the id in the TLV receipted_message_id. Default: the same format as in the text. */
  readonly tlvId?: IdForm;
  /** If true, the TLV receipted_message_id has no NUL at its end. */
  readonly hasNoNul?: true;
  /** The octets of the TLV network_error_code. */
  readonly networkError?: readonly number[];
  /** If true, the receipt has the id of a message that nobody submitted. */
  readonly isStranger?: true;
  /**
   * If true, the receipt has the same source and destination as the submit_sm. Normally a receipt swaps source and
   * destination.
   */
  readonly unswapped?: boolean;
  /** If true, the receipt is sent on another session than the submit_sm came on, if the client has several. */
  readonly elsewhere?: true;
  /** How many days the submit date in the receipt is earlier than the actual date. */
  readonly daysLate?: number;
  readonly wound?: Wound;
}

export interface Behaviour {
  /** How to answer the submit_sm. Default: accept the submit_sm at once. */
  readonly answer?: AnswerPlan;
  /**
   * How many submit_sm to one receiver get this behaviour. Later submit_sm to the receiver are accepted and delivered.
   */
  readonly times?: number;
  readonly receipts: readonly ReceiptPlan[];
  readonly inbound?: InboundPlan;
}

/** The behaviour of a magic receiver. `about` describes the behaviour in the help. */
export interface MagicBehaviour extends Behaviour {
  readonly about: string;
}
