import { dataCoding, esmClass, readTlv, statuses, type TlvName, type StatusName } from '@morsel/smpp';
import type { Submit } from './answering.ts';

/*
 * The demands that carriers make on messages, and the status that refuses a message that does not meet a demand.
 */

interface Want {
  readonly command_status: number;
  readonly isMet: (pdu: Submit) => boolean;
}

const tonInternational = 1;
const tonAlphanumeric = 5;
const npiE164 = 1;
const registeredFinalAndIntermediate = 0x11;

const wants = {
  no_validity: want('ESME_RINVEXPIRY', (pdu) => validityOf(pdu) === ''),
  /** The validity_period must be relative or empty. */
  relative_validity: want('ESME_RINVEXPIRY', (pdu) => /^(.*R)?$/.test(validityOf(pdu))),
  /** The validity_period must be absolute or empty. */
  absolute_validity: want('ESME_RINVEXPIRY', (pdu) => !validityOf(pdu).endsWith('R')),
  /** The receiver must begin with a plus. */
  plus: want('ESME_RINVDSTADR', (pdu) => pdu.destination_addr.startsWith('+')),
  no_plus: want('ESME_RINVDSTADR', (pdu) => !pdu.destination_addr.startsWith('+')),
  double_zero: want('ESME_RINVDSTADR', (pdu) => pdu.destination_addr.startsWith('00')),
  /** The receiver must have TON 1 and NPI 1. */
  international: want(
    'ESME_RINVDSTTON',
    (pdu) => pdu.dest_addr_ton === tonInternational && pdu.dest_addr_npi === npiE164,
  ),
  no_alphanumeric: want('ESME_RINVSRCADR', (pdu) => pdu.source_addr_ton !== tonAlphanumeric),
  no_udh: want('ESME_RINVESMCLASS', (pdu) => !hasHeader(pdu)),
  no_sar: want('ESME_ROPTPARNOTALLWD', (pdu) => !has(pdu, 'sar_total_segments')),
  no_payload: want('ESME_ROPTPARNOTALLWD', (pdu) => !has(pdu, 'message_payload')),
  /** A message may use only one of three ways to send a long text: UDH, sar_ TLVs or message_payload. */
  one_method: want(
    'ESME_RINVESMCLASS',
    (pdu) => [hasHeader(pdu), has(pdu, 'sar_total_segments'), has(pdu, 'message_payload')].filter(Boolean).length <= 1,
  ),
  no_tlvs: want('ESME_ROPTPARNOTALLWD', (pdu) => pdu.tlvs.length === 0),
  no_ucs2: want('ESME_RINVDCS', (pdu) => pdu.data_coding !== dataCoding.ucs2),
  /** The registered_delivery must be 0x11. */
  registered_17: want('ESME_RINVREGDLVFLG', (pdu) => pdu.registered_delivery === registeredFinalAndIntermediate),
} as const satisfies Record<string, Want>;

export type Demand = keyof typeof wants;

/** The names of all demands, for the options of a command line. */
export const demands: readonly Demand[] = Object.keys(wants).filter((name): name is Demand => name in wants);

/**
 * Returns the status of the first demand that the message does not meet; undefined if the message meets all demands.
 */
export function refusalOf(pdu: Submit, demanded: readonly Demand[]): number | undefined {
  const unmet = demanded.find((demand) => !wants[demand].isMet(pdu));
  return unmet === undefined ? undefined : wants[unmet].command_status;
}

function want(name: StatusName, isMet: (pdu: Submit) => boolean): Want {
  return { command_status: statuses[name], isMet };
}

/** Returns the validity_period; empty for data_sm, which does not have this field. */
function validityOf(pdu: Submit): string {
  return pdu.command === 'submit_sm' ? pdu.validity_period : '';
}

function hasHeader(pdu: Submit): boolean {
  return (pdu.esm_class & esmClass.userDataHeader) !== 0;
}

function has(pdu: Submit, name: TlvName): boolean {
  return readTlv(pdu, name) !== undefined;
}
