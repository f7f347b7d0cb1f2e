import { statusName } from '@morsel/smpp';
import type { PduOf } from '@morsel/smpp';
import type { Answered } from '../../flow/routing/carrier-link.ts';

/** ESME_RUNKNOWNERR, for a refusal that does not say why. */
const unknownError = 0xff;

/** What a carrier answered to a submit_sm that was sent at `sentAt`. */
export function answered(pdu: PduOf<'submit_sm_resp' | 'generic_nack'>, sentAt: number): Answered {
  const commandStatus = pdu.command === 'generic_nack' ? pdu.command_status || unknownError : pdu.command_status;
  return {
    kind: 'answered',
    // A generic_nack is never an acceptance, whatever status it carries.
    commandStatus,
    errorCode: statusName(commandStatus),
    messageId: pdu.command === 'submit_sm_resp' ? (pdu.message_id ?? '') : '',
    sentAt,
  };
}
