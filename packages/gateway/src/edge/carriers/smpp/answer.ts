/* Reads the carrier's answer to a submit_sm. */

import { statusName, statuses, type PduOf } from '@morsel/smpp';
import type { Answer } from '../../../core/message/outcome.ts';
import type { SmppProfile } from '@morsel/api/admin/routing/kinds/smpp.ts';

type StatusClass = SmppProfile['statusClasses'][string];

const nobody = { reason: null, code: null, carrierIds: [] } as const;
/** The request was written, and no answer came. */
export const unanswered: Answer = { ...nobody, outcome: 'in_doubt', scope: 'message' };
export const unsent: Answer = { ...nobody, outcome: 'unsent', scope: 'carrier' };

export function unsendable(field: string): Answer {
  return { ...nobody, outcome: 'unsendable', scope: 'message', code: `unsendable ${field}` };
}

/**
 * The class of each status that does not mean a permanent refusal (SMPP 3.4, section 5.1.3). Every other status is
 * `permanent`, including vendor-specific codes from 0x400.
 */
const standardClasses: { readonly [status: number]: StatusClass | undefined } = {
  [statuses.ESME_RMSGQFUL]: 'throttled',
  [statuses.ESME_RTHROTTLED]: 'throttled',
  // The carrier thinks that the session is not bound. This has nothing to do with the message.
  [statuses.ESME_RINVBNDSTS]: 'temporary',
  [statuses.ESME_RSYSERR]: 'temporary',
  [statuses.ESME_RX_T_APPN]: 'temporary',
};

const outcomeOfClass = {
  throttled: 'busy',
  temporary: 'temporary',
  permanent: 'refused',
} as const satisfies Record<StatusClass, Answer['outcome']>;

/**
 * Permanent refusals that concern the carrier and not the message, so another carrier may accept the part (SMPP 3.4,
 * section 5.1.3, and 5.0). Any other refusal, such as an unknown receiver, would probably come from every carrier.
 */
const aboutCarrier: ReadonlySet<number> = new Set([
  statuses.ESME_RINVCMDID,
  statuses.ESME_RINVBNDSTS,
  statuses.ESME_RINVREGDLVFLG,
  statuses.ESME_RBINDFAIL,
  statuses.ESME_RINVSERTYP,
  statuses.ESME_RINVESMCLASS,
  statuses.ESME_RSUBMITFAIL,
  statuses.ESME_RINVSRCTON,
  statuses.ESME_RINVSRCNPI,
  statuses.ESME_RINVSCHED,
  statuses.ESME_RINVEXPIRY,
  statuses.ESME_RUNKNOWNERR,
  statuses.ESME_RPROHIBITED,
  statuses.ESME_RINVDCS,
]);

/** The carrier's own classes take precedence over the standard's, but status 0 of a submit_sm_resp always means accepted. */
export function readAnswer(
  pdu: PduOf<'submit_sm_resp' | 'generic_nack'>,
  classes: SmppProfile['statusClasses'],
): Answer {
  const isNack = pdu.command === 'generic_nack';
  // A generic_nack is always a refusal, even with command_status 0.
  const status = isNack ? pdu.command_status || statuses.ESME_RUNKNOWNERR : pdu.command_status;
  const carrierIds = !isNack && pdu.message_id ? [pdu.message_id] : nobody.carrierIds;
  if (status === statuses.ESME_ROK) return { ...nobody, outcome: 'accepted', scope: 'message', carrierIds };
  const outcome = outcomeOfClass[classes[status] ?? standardClasses[status] ?? 'permanent'];
  return { outcome, scope: scopeOf(status, outcome), reason: null, code: statusName(status), carrierIds };
}

/** The command_status of a stored attempt. A part that the gateway refused for the carrier has none. */
export function statusOf({ outcome, code }: { readonly outcome: string | null; readonly code: string | null }) {
  const name = outcome === 'accepted' ? 'ESME_ROK' : code;
  const value =
    Object.entries(statuses).find(([each]) => each === name)?.[1] ??
    (name?.startsWith('0x') === true ? Number(name) : null);
  return { commandStatus: value, commandStatusName: value === null ? null : name };
}

function scopeOf(status: number, outcome: Answer['outcome']): Answer['scope'] {
  // The queue of one receiver may be full, too.
  if (outcome === 'busy') return status === statuses.ESME_RMSGQFUL ? 'message' : 'carrier';
  if (status === statuses.ESME_RINVSRCADR) return 'sender';
  return aboutCarrier.has(status) ? 'carrier' : 'message';
}
