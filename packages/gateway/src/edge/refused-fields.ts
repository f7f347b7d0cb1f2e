import { statuses } from '@morsel/smpp';
import { validitySeconds } from '@morsel/api/values/message.ts';
import type { TlvFault } from '../core/base/rejection.ts';
import { daysAheadMax, minutesPastMax } from '../core/message/schedule.ts';

/*
 * What SMPP says of a single field or TLV at fault: its command_status, its name and its limits. SMPP 3.4, section 5.1.3.
 */

export const submitFail = statuses.ESME_RSUBMITFAIL;
export const badSender = statuses.ESME_RINVSRCADR;
export const badReceiver = statuses.ESME_RINVDSTADR;
export const badLength = statuses.ESME_RINVMSGLEN;

/** The status of a field that is missing or invalid. Fields without a status of their own share one. */
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
  // Fields that only SMPP has.
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

/** SMPP 3.3 has no TLVs, and no statuses for them. */
export function tlvStatus(fault: TlvFault, interfaceVersion: number): number {
  return interfaceVersion >= 0x34 ? statusByTlvFault[fault] : submitFail;
}

const statusByTlvFault: Readonly<Record<TlvFault, number>> = {
  stream: statuses.ESME_RINVOPTPARSTREAM,
  not_allowed: statuses.ESME_ROPTPARNOTALLWD,
  length: statuses.ESME_RINVPARLEN,
  missing: statuses.ESME_RMISSINGOPTPARAM,
  value: statuses.ESME_RINVOPTPARAMVAL,
};

/** RINVDCS came with SMPP 5.0 (section 4.7.6). Clients of older versions do not know it. */
export function codingStatus(interfaceVersion: number): number {
  return interfaceVersion >= 0x50 ? statuses.ESME_RINVDCS : submitFail;
}

/** What SMPP calls the fields of the HTTP API. */
export const smppFieldNames: Readonly<Record<string, string>> = {
  sender: 'source_addr',
  receiver: 'destination_addr',
  text: 'the text (short_message or message_payload)',
};

const daySeconds = 86_400;

/** Limits that both APIs have, with the field names of SMPP. */
export const smppFieldLimits: Readonly<Record<string, string>> = {
  sendAt: `schedule_delivery_time must be at most ${daysAheadMax} days ahead and at most ${minutesPastMax} minutes past`,
  validity:
    `validity_period (in data_sm qos_time_to_live) must end ${validitySeconds.min} seconds to ${validitySeconds.max / daySeconds} days ` +
    'after the time at which the message is to be sent',
};
