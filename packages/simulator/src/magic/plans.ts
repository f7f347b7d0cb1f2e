import type { MessageState } from '@morsel/smpp';
import type { Dialect } from '../delivery/dialects.ts';
import type { IdForm } from '../delivery/ids.ts';
import type { InboundPlan } from '../delivery/inbound.ts';
import type { Wound } from '../answer/wounds.ts';

/** What the simulator can be told to do with a message: the words that the table of magic receivers is written in. */

/** How a connection ends: with a goodbye, without one, or only in that nothing more is said on it. */
export type Ending = 'fin' | 'rst' | 'silence';

export type AnswerPlan =
  | { readonly kind: 'accept'; readonly delayMs?: number; readonly id?: IdForm; readonly wound?: Wound }
  /** `hasBody`: with an empty message_id, which some send where the standard has none. */
  | { readonly kind: 'refuse'; readonly command_status: number; readonly hasBody?: true; readonly wound?: Wound }
  | { readonly kind: 'silence' }
  /** Ends the connection, with none, half or all of the answer sent. */
  | { readonly kind: 'disconnect'; readonly answer: 'none' | 'half' | 'whole'; readonly by: Ending };

export interface ReceiptPlan {
  readonly state: MessageState;
  /** In the text, where it is not the standard's word for the state. */
  readonly stat?: string;
  /** message_state, where it says another state than the text. */
  readonly tlvState?: MessageState;
  /** After the submit_sm. Default: the simulator's receiptDelayMs, twice and three times that for those that follow. */
  readonly afterMs?: number;
  /** `bare`: the text alone, and esm_class does not say that it is a receipt. Default `both`. */
  readonly form?: 'both' | 'text' | 'tlvs' | 'bare';
  /** How the text is written. Default: as 3.4 appendix B has it. */
  readonly dialect?: Dialect;
  readonly esmClass?: number;
  readonly command?: 'deliver_sm' | 'data_sm';
  readonly id?: IdForm;
  /** receipted_message_id, where it is spelt otherwise than in the text. */
  readonly tlvId?: IdForm;
  /** receipted_message_id without its NUL. */
  readonly hasNoNul?: true;
  /** The octets of network_error_code. */
  readonly networkError?: readonly number[];
  /** About a message that nobody has sent. */
  readonly isStranger?: true;
  /** Source and destination as in the submit_sm, not swapped. */
  readonly unswapped?: boolean;
  /** On another session of the client's than the submit_sm came on, if it has one. */
  readonly elsewhere?: true;
  /** By its dates, so long after the submit_sm. */
  readonly daysLate?: number;
  readonly wound?: Wound;
}

export interface Behaviour {
  readonly about: string;
  /** Default: accepted at once. */
  readonly answer?: AnswerPlan;
  /** How many submit_sm to one receiver meet this; those after them are accepted as to any other number. */
  readonly times?: number;
  readonly receipts: readonly ReceiptPlan[];
  readonly inbound?: InboundPlan;
}
