/**
 * The form in which a carrier writes its receipts (smpp-in-the-wild, 18 to 22), as one receipt shows it. It is for the
 * operator's eyes: no match depends on it.
 */
export interface ReceiptDialect {
  /** Where the message's id stands; `differ`: in both places, written in two ways. */
  readonly idIn: 'tlv' | 'text' | 'both' | 'differ' | 'none';
  /** Where the state stands. */
  readonly stateIn: 'tlv' | 'text' | 'both' | 'none';
  /** What tells that it is a receipt; `tlv` and `text` where esm_class says nothing. */
  readonly markedBy: 'esm_class' | 'tlv' | 'text';
  /** Digits of its dates. */
  readonly dates: '10' | '12' | '14' | 'other' | 'none';
  /** How an error is written. */
  readonly error: 'three digits' | 'four digits' | 'digits' | 'hexadecimal' | 'network_error_code' | 'other' | 'none';
  readonly command: 'deliver_sm' | 'data_sm';
}

/** How source and destination stand in a receipt whose message is known. */
export type AddressOrder = 'swapped back' | 'as submitted' | 'other numbers';
