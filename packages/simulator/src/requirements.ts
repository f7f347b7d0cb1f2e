import { esmClass, readTlv, statuses, type TlvName, type StatusName } from '@morsel/smpp';
import type { Submit } from './answering.ts';

/* Requirements of carriers, and the status that refuses a message that does not meet one. */

interface Rule {
  readonly command_status: number;
  readonly isMet: (pdu: Submit) => boolean;
}

const tonInternational = 1;
const tonAlphanumeric = 5;
const npiE164 = 1;

const rules = {
  no_validity: rule('ESME_RINVEXPIRY', (pdu) => validityOf(pdu) === ''),
  /** The validity_period must be relative or empty. */
  relative_validity: rule('ESME_RINVEXPIRY', (pdu) => /^(.*R)?$/.test(validityOf(pdu))),
  /** The validity_period must be absolute or empty. */
  absolute_validity: rule('ESME_RINVEXPIRY', (pdu) => !validityOf(pdu).endsWith('R')),
  plus: rule('ESME_RINVDSTADR', (pdu) => pdu.destination_addr.startsWith('+')),
  no_plus: rule('ESME_RINVDSTADR', (pdu) => !pdu.destination_addr.startsWith('+')),
  double_zero: rule('ESME_RINVDSTADR', (pdu) => pdu.destination_addr.startsWith('00')),
  international: rule(
    'ESME_RINVDSTTON',
    (pdu) => pdu.dest_addr_ton === tonInternational && pdu.dest_addr_npi === npiE164,
  ),
  no_alphanumeric: rule('ESME_RINVSRCADR', (pdu) => pdu.source_addr_ton !== tonAlphanumeric),
  no_udh: rule('ESME_RINVESMCLASS', (pdu) => !hasHeader(pdu)),
  no_sar: rule('ESME_ROPTPARNOTALLWD', (pdu) => !has(pdu, 'sar_total_segments')),
  no_payload: rule('ESME_ROPTPARNOTALLWD', (pdu) => !has(pdu, 'message_payload')),
} as const satisfies Record<string, Rule>;

export type Requirement = keyof typeof rules;

/** Names for the options of a command line. */
export const requirements: readonly Requirement[] = Object.keys(rules).filter((name): name is Requirement =>
  Object.hasOwn(rules, name),
);

/** The status that refuses a message; undefined if it meets all requirements. */
export function refusalOf(pdu: Submit, required: readonly Requirement[]): number | undefined {
  const unmet = required.find((name) => !rules[name].isMet(pdu));
  return unmet === undefined ? undefined : rules[unmet].command_status;
}

function rule(name: StatusName, isMet: (pdu: Submit) => boolean): Rule {
  return { command_status: statuses[name], isMet };
}

/** The validity_period; empty for data_sm, which does not have this field. */
function validityOf(pdu: Submit): string {
  return pdu.command === 'submit_sm' ? pdu.validity_period : '';
}

function hasHeader(pdu: Submit): boolean {
  return (pdu.esm_class & esmClass.userDataHeader) !== 0;
}

function has(pdu: Submit, name: TlvName): boolean {
  return readTlv(pdu, name) !== undefined;
}
