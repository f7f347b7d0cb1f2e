/**
 * The form of a carrier's receipts, as read from one receipt. Only the operator sees it; the gateway does not use it
 * for matching.
 */
export interface ReceiptDialect {
  /** Where the receipt has the id of the message; `differ` means in TLV and text, but in different forms. */
  readonly idIn: 'tlv' | 'text' | 'both' | 'differ' | 'none';
  readonly stateIn: 'tlv' | 'text' | 'both' | 'none';
  /** How a PDU is marked as a receipt; `tlv` or `text` only if its esm_class does not mark it. */
  readonly markedBy: 'esm_class' | 'tlv' | 'text';
  readonly dates: '10' | '12' | '14' | 'other' | 'none';
  readonly error: 'three digits' | 'four digits' | 'digits' | 'hexadecimal' | 'network_error_code' | 'other' | 'none';
  readonly command: 'deliver_sm' | 'data_sm';
}

/** Whether a receipt swaps the submitted source and destination or keeps them; known once the receipt is matched. */
export type AddressOrder = 'swapped back' | 'as submitted' | 'other numbers';
