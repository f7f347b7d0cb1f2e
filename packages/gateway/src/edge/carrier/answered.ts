import { statusName } from '@morsel/smpp';
import type { PduOf } from '@morsel/smpp';
import type { Answered } from '../../flow/routing/carrier-link.ts';

/** ESME_RUNKNOWNERR, for a generic_nack without a status. */
const unknownError = 0xff;

/** A carrier's answer to a submit_sm that was sent at `sentAt`. */
export function answered(pdu: PduOf<'submit_sm_resp' | 'generic_nack'>, sentAt: number): Answered {
  const commandStatus = pdu.command === 'generic_nack' ? pdu.command_status || unknownError : pdu.command_status;
  return {
    kind: 'answered',
    // A generic_nack never accepts a message, whatever its status.
    commandStatus,
    errorCode: statusName(commandStatus),
    messageId: pdu.command === 'submit_sm_resp' ? (pdu.message_id ?? '') : '',
    sentAt,
  };
}
