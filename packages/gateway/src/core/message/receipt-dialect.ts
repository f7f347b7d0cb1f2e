/**
 * The form of a carrier's receipts, as read from one receipt. Only the operator sees it; the gateway does not use it
 * for matching.
 */
export interface ReceiptDialect {
  /** Where the receipt has the id of the message; `differ` means in TLV and text, but in different forms. */
  readonly idIn: 'tlv' | 'text' | 'both' | 'differ' | 'none';
  readonly stateIn: 'tlv' | 'text' | 'both' | 'none';
  /** The mark of a receipt in the PDU; `tlv` and `text` only if esm_class does not. */
  readonly markedBy: 'esm_class' | 'tlv' | 'text';
  readonly dates: '10' | '12' | '14' | 'other' | 'none';
  readonly error: 'three digits' | 'four digits' | 'digits' | 'hexadecimal' | 'network_error_code' | 'other' | 'none';
  readonly command: 'deliver_sm' | 'data_sm';
}

/** Whether a receipt swaps source and destination back or keeps them as submitted; known only after it was matched. */
export type AddressOrder = 'swapped back' | 'as submitted' | 'other numbers';
