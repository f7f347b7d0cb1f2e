/* Messages that the simulator remembers, and the addresses of the PDUs that it sends. */

interface Address {
  readonly ton: number;
  readonly npi: number;
  readonly addr: string;
}

/** A submitted message, which is remembered until the client has acknowledged its last receipt. */
export interface Submitted {
  readonly id: number;
  /** Number of the submit_sm, counted over all sessions from 1. */
  readonly serial: number;
  /** The client that gets receipts and replies. */
  readonly system_id: string;
  readonly source: Address;
  readonly destination: Address;
  readonly submittedAtMs: number;
  /** The first octets of the text, for the receipt. */
  readonly head: Uint8Array;
}

const shortCodeDigitsMax = 6;

export function between(
  source: Address,
  destination: Address,
): {
  readonly source_addr_ton: number;
  readonly source_addr_npi: number;
  readonly source_addr: string;
  readonly dest_addr_ton: number;
  readonly dest_addr_npi: number;
  readonly destination_addr: string;
} {
  return {
    source_addr_ton: source.ton,
    source_addr_npi: source.npi,
    source_addr: source.addr,
    dest_addr_ton: destination.ton,
    dest_addr_npi: destination.npi,
    destination_addr: destination.addr,
  };
}

/** TON and NPI are 1/1 for an international number, 3/0 for a short code and 5/0 for a name. */
export function addressOf(text: string): Address {
  const addr = text.replace(/^\+/, '');
  if (!/^\d+$/.test(addr)) return { ton: 5, npi: 0, addr };
  return addr.length > shortCodeDigitsMax ? { ton: 1, npi: 1, addr } : { ton: 3, npi: 0, addr };
}
