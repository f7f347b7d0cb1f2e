/**
 * The form of a carrier's receipts, as one receipt shows it. It is for the operator's
 * eyes: no match depends on it.
 */
export interface ReceiptDialect {
  /** Where the message's id is; `differ`: in both places, in different forms. */
  readonly idIn: 'tlv' | 'text' | 'both' | 'differ' | 'none';
  /** Where the state is. */
  readonly stateIn: 'tlv' | 'text' | 'both' | 'none';
  /** What marks it as a receipt; `tlv` and `text` if esm_class does not. */
  readonly markedBy: 'esm_class' | 'tlv' | 'text';
  /** Digits of its dates. */
  readonly dates: '10' | '12' | '14' | 'other' | 'none';
  /** How an error is written. */
  readonly error: 'three digits' | 'four digits' | 'digits' | 'hexadecimal' | 'network_error_code' | 'other' | 'none';
  readonly command: 'deliver_sm' | 'data_sm';
}

/** The order of source and destination in a receipt, once its message is known. */
export type AddressOrder = 'swapped back' | 'as submitted' | 'other numbers';
