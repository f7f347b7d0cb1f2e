/*
 * What the simulator keeps of a submitted message, and how it addresses the PDUs that it sends to clients.
 */

interface Address {
  readonly ton: number;
  readonly npi: number;
  readonly addr: string;
}

/** What is kept of a submit_sm until its last receipt is acknowledged. */
export interface Submitted {
  readonly id: number;
  /** Its place among all submit_sm. */
  readonly serial: number;
  readonly source: Address;
  readonly destination: Address;
  readonly submittedAtMs: number;
  /** The first octets of the text. */
  readonly head: Uint8Array;
}

const shortCodeDigitsMax = 6;

/** The address fields of a PDU. */
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

/** International 1/1, short code 3/0, alphanumeric 5/0. */
export function addressOf(text: string): Address {
  const addr = text.replace(/^\+/, '');
  if (!/^\d+$/.test(addr)) return { ton: 5, npi: 0, addr };
  return addr.length > shortCodeDigitsMax ? { ton: 1, npi: 1, addr } : { ton: 3, npi: 0, addr };
}
