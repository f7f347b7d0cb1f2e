import { readTlv, statuses } from '@morsel/smpp';
import type { TlvName, StatusName } from '@morsel/smpp';
import type { Submit } from './answering.ts';

/** What carriers want of a message, each in its own way, and how they refuse it (smpp-in-the-wild, 12 to 15). */

interface Want {
  readonly about: string;
  readonly command_status: number;
  readonly isMet: (pdu: Submit) => boolean;
}

const tonInternational = 1;
const tonAlphanumeric = 5;
const npiE164 = 1;
const esmClassUdhi = 0x40;
const dataCodingUcs2 = 8;
const registeredFinalAndIntermediate = 0x11;

const wants = {
  no_validity: want('no validity_period', 'ESME_RINVEXPIRY', (pdu) => validityOf(pdu) === ''),
  relative_validity: want('validity_period relative or empty', 'ESME_RINVEXPIRY', (pdu) =>
    /^(.*R)?$/.test(validityOf(pdu)),
  ),
  absolute_validity: want(
    'validity_period absolute or empty',
    'ESME_RINVEXPIRY',
    (pdu) => !validityOf(pdu).endsWith('R'),
  ),
  plus: want('a plus before international receivers', 'ESME_RINVDSTADR', (pdu) => pdu.destination_addr.startsWith('+')),
  no_plus: want('no plus before receivers', 'ESME_RINVDSTADR', (pdu) => !pdu.destination_addr.startsWith('+')),
  double_zero: want('00 before international receivers', 'ESME_RINVDSTADR', (pdu) =>
    pdu.destination_addr.startsWith('00'),
  ),
  international: want(
    'receivers of TON 1 and NPI 1',
    'ESME_RINVDSTTON',
    (pdu) => pdu.dest_addr_ton === tonInternational && pdu.dest_addr_npi === npiE164,
  ),
  no_alphanumeric: want('no alphanumeric senders', 'ESME_RINVSRCADR', (pdu) => pdu.source_addr_ton !== tonAlphanumeric),
  no_udh: want('no user data headers', 'ESME_RINVESMCLASS', (pdu) => !hasHeader(pdu)),
  no_sar: want('no sar_ TLVs', 'ESME_ROPTPARNOTALLWD', (pdu) => !has(pdu, 'sar_total_segments')),
  no_payload: want('no message_payload', 'ESME_ROPTPARNOTALLWD', (pdu) => !has(pdu, 'message_payload')),
  one_method: want(
    'one way at a time to send long texts',
    'ESME_RINVESMCLASS',
    (pdu) => [hasHeader(pdu), has(pdu, 'sar_total_segments'), has(pdu, 'message_payload')].filter(Boolean).length <= 1,
  ),
  no_tlvs: want('no TLVs at all', 'ESME_ROPTPARNOTALLWD', (pdu) => pdu.tlvs.length === 0),
  no_ucs2: want('no data_coding 8', 'ESME_RINVDCS', (pdu) => pdu.data_coding !== dataCodingUcs2),
  registered_17: want(
    'registered_delivery 0x11',
    'ESME_RINVREGDLVFLG',
    (pdu) => pdu.registered_delivery === registeredFinalAndIntermediate,
  ),
} as const satisfies Record<string, Want>;

export type Demand = keyof typeof wants;

/** Every demand with what it wants, for whoever lets a person choose. */
export const demands: Readonly<Record<Demand, { readonly about: string }>> = wants;

/** The status with which a message is refused that does not meet all demanded. */
export function refusalOf(pdu: Submit, demanded: readonly Demand[]): number | undefined {
  const unmet = demanded.find((demand) => !wants[demand].isMet(pdu));
  return unmet === undefined ? undefined : wants[unmet].command_status;
}

function want(about: string, name: StatusName, isMet: (pdu: Submit) => boolean): Want {
  return { about, command_status: statuses[name], isMet };
}

/** data_sm has none. */
function validityOf(pdu: Submit): string {
  return pdu.command === 'submit_sm' ? pdu.validity_period : '';
}

function hasHeader(pdu: Submit): boolean {
  return (pdu.esm_class & esmClassUdhi) !== 0;
}

function has(pdu: Submit, name: TlvName): boolean {
  return readTlv(pdu, name) !== undefined;
}
