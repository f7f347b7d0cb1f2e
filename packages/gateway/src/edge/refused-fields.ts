import { statuses } from '@morsel/smpp';
import { validitySeconds } from '@morsel/api/values/message.ts';
import type { OptionFault } from '../core/base/rejection.ts';
import { daysAheadMax, minutesPastMax } from '../core/message/schedule.ts';

/* The SMPP answer to an invalid field or TLV: the command_status, the field's name and its limits. SMPP 3.4, section 5.1.3. */

export const submitFail = statuses.ESME_RSUBMITFAIL;
export const badSender = statuses.ESME_RINVSRCADR;
export const badReceiver = statuses.ESME_RINVDSTADR;
export const badLength = statuses.ESME_RINVMSGLEN;

/** The command_status for a missing or invalid field. A field without its own status has ESME_RSUBMITFAIL. */
export function fieldStatus(field: string): number {
  return statusByField[field] ?? submitFail;
}

const statusByField: Readonly<Record<string, number>> = {
  sender: badSender,
  receiver: badReceiver,
  text: badLength,
  validity: statuses.ESME_RINVEXPIRY,
  sendAt: statuses.ESME_RINVSCHED,
  priority: statuses.ESME_RINVPRTFLG,
  // The following fields exist only in SMPP.
  source_addr: badSender,
  destination_addr: badReceiver,
  validity_period: statuses.ESME_RINVEXPIRY,
  schedule_delivery_time: statuses.ESME_RINVSCHED,
  priority_flag: statuses.ESME_RINVPRTFLG,
  message_id: statuses.ESME_RINVMSGID,
  registered_delivery: statuses.ESME_RINVREGDLVFLG,
  esm_class: statuses.ESME_RINVESMCLASS,
  service_type: statuses.ESME_RINVSERTYP,
  replace_if_present_flag: statuses.ESME_RINVREPFLAG,
  sm_default_msg_id: statuses.ESME_RINVDFTMSGID,
};

/** The command_status for an invalid TLV. SMPP 3.3 has no such status, because it has no TLVs. */
export function tlvStatus(fault: OptionFault, interfaceVersion: number): number {
  return interfaceVersion >= 0x34 ? statusByTlvFault[fault] : submitFail;
}

const statusByTlvFault: Readonly<Record<OptionFault, number>> = {
  stream: statuses.ESME_RINVOPTPARSTREAM,
  not_allowed: statuses.ESME_ROPTPARNOTALLWD,
  length: statuses.ESME_RINVPARLEN,
  missing: statuses.ESME_RMISSINGOPTPARAM,
  value: statuses.ESME_RINVOPTPARAMVAL,
};

/**
 * ESME_RINVDCS is new in SMPP 5.0 (section 4.7.6). Clients of older versions do not know ESME_RINVDCS, and get ESME_RSUBMITFAIL.
 */
export function codingStatus(interfaceVersion: number): number {
  return interfaceVersion >= 0x50 ? statuses.ESME_RINVDCS : submitFail;
}

export const smppFieldNames: Readonly<Record<string, string>> = {
  sender: 'source_addr',
  receiver: 'destination_addr',
  text: 'the text (short_message or message_payload)',
};

const daySeconds = 86_400;

/** Error texts for limits of both HTTP and SMPP, with the field names of SMPP. */
export const smppFieldLimits: Readonly<Record<string, string>> = {
  sendAt: `schedule_delivery_time must be at most ${daysAheadMax} days in the future and at most ${minutesPastMax} minutes in the past`,
  validity:
    `validity_period (in data_sm qos_time_to_live) must end ${validitySeconds.min} seconds to ${validitySeconds.max / daySeconds} days ` +
    'after the time at which the message is to be sent',
};
