import type { MessageState } from '@morsel/smpp';
import type { Dialect } from '../delivery/dialects.ts';
import type { IdForm } from '../delivery/ids.ts';
import type { InboundPlan } from '../delivery/inbound.ts';
import type { Wound } from '../answer/wounds.ts';

/*
 * The plans for a message: how to answer it, which receipts to send, and which reply. The magic receivers use them.
 */

/** How a connection ends: by FIN, by RST, or it stays open and the simulator sends nothing more. */
export type Ending = 'fin' | 'rst' | 'silence';

export type AnswerPlan =
  | { readonly kind: 'accept'; readonly delayMs?: number; readonly id?: IdForm; readonly wound?: Wound }
  /** `hasBody`: with an empty message_id. The standard has no body here, but some carriers send one. */
  | { readonly kind: 'refuse'; readonly command_status: number; readonly hasBody?: true; readonly wound?: Wound }
  | { readonly kind: 'silence' }
  /** Ends the connection after none, half or all of the answer. */
  | { readonly kind: 'disconnect'; readonly answer: 'none' | 'half' | 'whole'; readonly by: Ending };

export interface ReceiptPlan {
  readonly state: MessageState;
  /** The `stat` of the text. Default: the standard's word for the state. */
  readonly stat?: string;
  /** The state in message_state. Default: the same state. */
  readonly tlvState?: MessageState;
  /** Time after the submit_sm. Default: receiptDelayMs for the first receipt, twice that for the second, and so on. */
  readonly afterMs?: number;
  /** `both` (the default): text and TLVs. `bare`: only the text, and esm_class does not mark it as a receipt. */
  readonly form?: 'both' | 'text' | 'tlvs' | 'bare';
  /** The dialect of the text. Default: that of 3.4 appendix B. */
  readonly dialect?: Dialect;
  readonly esmClass?: number;
  readonly command?: 'deliver_sm' | 'data_sm';
  readonly id?: IdForm;
  /** The spelling of receipted_message_id. Default: the same as in the text. */
  readonly tlvId?: IdForm;
  /** Leaves out the NUL of receipted_message_id. */
  readonly hasNoNul?: true;
  /** The octets of network_error_code. */
  readonly networkError?: readonly number[];
  /** The receipt is for a message that nobody submitted. */
  readonly isStranger?: true;
  /** Source and destination are those of the submit_sm, instead of swapped. */
  readonly unswapped?: boolean;
  /** Uses another session of the client than that of the submit_sm, if there is one. */
  readonly elsewhere?: true;
  /** How many days late the receipt is, by its dates. */
  readonly daysLate?: number;
  readonly wound?: Wound;
}

export interface Behaviour {
  /** Default: accept at once. */
  readonly answer?: AnswerPlan;
  /** How many submit_sm to one receiver get this behaviour. Later ones are treated like those to any other number. */
  readonly times?: number;
  readonly receipts: readonly ReceiptPlan[];
  readonly inbound?: InboundPlan;
}

/** The behaviour of a magic receiver, with a description for the help. */
export interface MagicBehaviour extends Behaviour {
  readonly about: string;
}
