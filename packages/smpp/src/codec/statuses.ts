/**
 * command_status: every value of SMPP 3.4 (section 5.1.3, whose spelling is kept) and 5.0 (section 4.7.6), with a line
 * for the operator. Values from 0x400 to 0x4FF are the vendor's own.
 */
export const statuses = {
  ESME_ROK: { value: 0x00, meaning: 'accepted' },
  ESME_RINVMSGLEN: { value: 0x01, meaning: 'the message has a length that is not allowed' },
  ESME_RINVCMDLEN: { value: 0x02, meaning: 'the length of the PDU is wrong' },
  ESME_RINVCMDID: { value: 0x03, meaning: 'the command is not known' },
  ESME_RINVBNDSTS: { value: 0x04, meaning: 'the command is not allowed on a session bound like this one' },
  ESME_RALYBND: { value: 0x05, meaning: 'the system_id is bound already' },
  ESME_RINVPRTFLG: { value: 0x06, meaning: 'priority_flag is not valid' },
  ESME_RINVREGDLVFLG: { value: 0x07, meaning: 'registered_delivery is not valid' },
  ESME_RSYSERR: { value: 0x08, meaning: 'the other side has trouble of its own' },
  ESME_RINVSRCADR: { value: 0x0a, meaning: 'the sender is not valid or not allowed' },
  ESME_RINVDSTADR: { value: 0x0b, meaning: 'the receiver is not valid or not reachable' },
  ESME_RINVMSGID: { value: 0x0c, meaning: 'message_id is not known' },
  ESME_RBINDFAIL: { value: 0x0d, meaning: 'the bind failed' },
  ESME_RINVPASWD: { value: 0x0e, meaning: 'the password is wrong' },
  ESME_RINVSYSID: { value: 0x0f, meaning: 'the system_id is not known' },
  ESME_RCANCELFAIL: { value: 0x11, meaning: 'the message could not be cancelled' },
  ESME_RREPLACEFAIL: { value: 0x13, meaning: 'the message could not be replaced' },
  ESME_RMSGQFUL: { value: 0x14, meaning: 'the queue is full' },
  ESME_RINVSERTYP: { value: 0x15, meaning: 'service_type is not valid' },
  ESME_RINVNUMDESTS: { value: 0x33, meaning: 'the number of receivers is not valid' },
  ESME_RINVDLNAME: { value: 0x34, meaning: 'the distribution list is not known' },
  ESME_RINVDESTFLAG: { value: 0x40, meaning: 'dest_flag is not valid' },
  ESME_RINVSUBREP: { value: 0x42, meaning: 'replacing a message that waits is not possible here' },
  ESME_RINVESMCLASS: { value: 0x43, meaning: 'esm_class is not valid' },
  ESME_RCNTSUBDL: { value: 0x44, meaning: 'submitting to a distribution list is not possible' },
  ESME_RSUBMITFAIL: { value: 0x45, meaning: 'the message was not taken' },
  ESME_RINVSRCTON: { value: 0x48, meaning: 'source_addr_ton is not valid' },
  ESME_RINVSRCNPI: { value: 0x49, meaning: 'source_addr_npi is not valid' },
  ESME_RINVDSTTON: { value: 0x50, meaning: 'dest_addr_ton is not valid' },
  ESME_RINVDSTNPI: { value: 0x51, meaning: 'dest_addr_npi is not valid' },
  ESME_RINVSYSTYP: { value: 0x53, meaning: 'system_type is not valid' },
  ESME_RINVREPFLAG: { value: 0x54, meaning: 'replace_if_present_flag is not valid' },
  ESME_RINVNUMMSGS: { value: 0x55, meaning: 'the number of messages is not valid' },
  ESME_RTHROTTLED: { value: 0x58, meaning: 'we send faster than agreed' },
  ESME_RINVSCHED: { value: 0x61, meaning: 'schedule_delivery_time is not valid' },
  ESME_RINVEXPIRY: { value: 0x62, meaning: 'validity_period is not valid' },
  ESME_RINVDFTMSGID: { value: 0x63, meaning: 'sm_default_msg_id is not known' },
  ESME_RX_T_APPN: { value: 0x64, meaning: 'the receiving application cannot take it now' },
  ESME_RX_P_APPN: { value: 0x65, meaning: 'the receiving application will never take it' },
  ESME_RX_R_APPN: { value: 0x66, meaning: 'the receiving application rejects it' },
  ESME_RQUERYFAIL: { value: 0x67, meaning: 'the state of the message could not be read' },
  ESME_RINVOPTPARSTREAM: { value: 0xc0, meaning: 'the optional parameters could not be read (5.0: RINVTLVSTREAM)' },
  ESME_ROPTPARNOTALLWD: { value: 0xc1, meaning: 'an optional parameter is not allowed here (5.0: RTLVNOTALLWD)' },
  ESME_RINVPARLEN: { value: 0xc2, meaning: 'a parameter has the wrong length (5.0: RINVTLVLEN)' },
  ESME_RMISSINGOPTPARAM: { value: 0xc3, meaning: 'an optional parameter is missing (5.0: RMISSINGTLV)' },
  ESME_RINVOPTPARAMVAL: { value: 0xc4, meaning: 'an optional parameter has a wrong value (5.0: RINVTLVVAL)' },
  ESME_RDELIVERYFAILURE: { value: 0xfe, meaning: 'the delivery failed' },
  ESME_RUNKNOWNERR: { value: 0xff, meaning: 'an error without a name' },
  ESME_RSERTYPUNAUTH: { value: 0x100, meaning: 'not allowed to use this service_type' },
  ESME_RPROHIBITED: { value: 0x101, meaning: 'not allowed to use this command' },
  ESME_RSERTYPUNAVAIL: { value: 0x102, meaning: 'the service_type is not available now' },
  ESME_RSERTYPDENIED: { value: 0x103, meaning: 'the service_type is denied for this message' },
  ESME_RINVDCS: { value: 0x104, meaning: 'data_coding is not valid' },
  ESME_RINVSRCADDRSUBUNIT: { value: 0x105, meaning: 'source_addr_subunit is not valid' },
  ESME_RINVDSTADDRSUBUNIT: { value: 0x106, meaning: 'dest_addr_subunit is not valid' },
  ESME_RINVBCASTFREQINT: { value: 0x107, meaning: 'broadcast_frequency_interval is not valid' },
  ESME_RINVBCASTALIAS_NAME: { value: 0x108, meaning: 'the alias of the broadcast area is not valid' },
  ESME_RINVBCASTAREAFMT: { value: 0x109, meaning: 'the format of the broadcast area is not valid' },
  ESME_RINVNUMBCAST_AREAS: { value: 0x10a, meaning: 'the number of broadcast areas is not valid' },
  ESME_RINVBCASTCNTTYPE: { value: 0x10b, meaning: 'broadcast_content_type is not valid' },
  ESME_RINVBCASTMSGCLASS: { value: 0x10c, meaning: 'broadcast_message_class is not valid' },
  ESME_RBCASTFAIL: { value: 0x10d, meaning: 'the broadcast was not taken' },
  ESME_RBCASTQUERYFAIL: { value: 0x10e, meaning: 'the state of the broadcast could not be read' },
  ESME_RBCASTCANCELFAIL: { value: 0x10f, meaning: 'the broadcast could not be cancelled' },
  ESME_RINVBCAST_REP: { value: 0x110, meaning: 'broadcast_rep_num is not valid' },
  ESME_RINVBCASTSRVGRP: { value: 0x111, meaning: 'broadcast_service_group is not valid' },
  ESME_RINVBCASTCHANIND: { value: 0x112, meaning: 'broadcast_channel_indicator is not valid' },
} as const satisfies Record<string, { readonly value: number; readonly meaning: string }>;

export type StatusName = keyof typeof statuses;

interface Status {
  readonly name: string;
  readonly meaning: string;
}

const statusByValue: ReadonlyMap<number, Status> = new Map(
  Object.entries(statuses).map(([name, { value, meaning }]) => [value, { name, meaning }]),
);

/** The number of a status: `status('ESME_RTHROTTLED')` is 0x58. */
export function status(name: StatusName): number {
  return statuses[name].value;
}

/** `ESME_RTHROTTLED` for 0x58; `0x00000410` for a value of no standard. */
export function statusName(value: number): string {
  return statusByValue.get(value)?.name ?? `0x${value.toString(16).padStart(8, '0')}`;
}

/** One line that an operator understands, also for a vendor's or reserved value. */
export function statusMeaning(value: number): string {
  const known = statusByValue.get(value);
  if (known !== undefined) return known.meaning;
  return value >= 0x400 && value <= 0x4ff
    ? "a status of the vendor's own: see the carrier's manual"
    : 'a status of no standard';
}
