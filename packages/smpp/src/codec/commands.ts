import { type Field, cstring, destAddresses, int1, octets, unsuccessSmes } from './fields.ts';

/*
 * The command table: every command of SMPP 3.4 (section 4) and 5.0 (section 4) with its id and its mandatory fields in
 * wire order. The encoder, the decoder and the types of PDUs are derived from this table. Length octets (sm_length,
 * number_of_dests, no_unsuccess) are not in the table, because the codec treats each as part of the next field.
 */

// Some carriers assign a system_id or password that is longer than the standard's 15 and 8 characters. We must send a
// long system_id or password unchanged.
const loginWriteMax = 65;

const address = cstring(21);
/**
 * Addresses of data_sm and alert_notification are longer, because they may be IP addresses or names (3.4 section
 * 4.7.1).
 */
const longAddress = cstring(65);
const messageId = cstring(65);
const serviceType = cstring(6);
/** A time field: either empty, or a time of 16 characters (3.4 section 7.1.1). */
const time = cstring(17);
/** The maximum length of short_message is 254 octets in SMPP 3.4, and 255 in SMPP 5.0. */
const shortMessage = octets(255);

const bind = {
  system_id: cstring(16, loginWriteMax),
  password: cstring(9, loginWriteMax),
  system_type: cstring(13, loginWriteMax),
  interface_version: int1,
  addr_ton: int1,
  addr_npi: int1,
  address_range: cstring(41),
} as const;

const bindResp = { system_id: cstring(16, loginWriteMax) } as const;

const source = { source_addr_ton: int1, source_addr_npi: int1, source_addr: address } as const;
const destination = { dest_addr_ton: int1, dest_addr_npi: int1, destination_addr: address } as const;

const delivery = {
  esm_class: int1,
  protocol_id: int1,
  priority_flag: int1,
  schedule_delivery_time: time,
  validity_period: time,
  registered_delivery: int1,
  replace_if_present_flag: int1,
  data_coding: int1,
  sm_default_msg_id: int1,
  short_message: shortMessage,
} as const;

const message = { service_type: serviceType, ...source, ...destination, ...delivery } as const;

export const commands = {
  generic_nack: { id: 0x80000000, fields: {} },
  bind_receiver: { id: 0x00000001, fields: bind },
  bind_receiver_resp: { id: 0x80000001, fields: bindResp },
  bind_transmitter: { id: 0x00000002, fields: bind },
  bind_transmitter_resp: { id: 0x80000002, fields: bindResp },
  query_sm: { id: 0x00000003, fields: { message_id: messageId, ...source } },
  query_sm_resp: {
    id: 0x80000003,
    fields: { message_id: messageId, final_date: time, message_state: int1, error_code: int1 },
  },
  submit_sm: { id: 0x00000004, fields: message },
  submit_sm_resp: { id: 0x80000004, fields: { message_id: messageId } },
  deliver_sm: { id: 0x00000005, fields: message },
  deliver_sm_resp: { id: 0x80000005, fields: { message_id: messageId } },
  unbind: { id: 0x00000006, fields: {} },
  unbind_resp: { id: 0x80000006, fields: {} },
  replace_sm: {
    id: 0x00000007,
    fields: {
      message_id: messageId,
      ...source,
      schedule_delivery_time: time,
      validity_period: time,
      registered_delivery: int1,
      sm_default_msg_id: int1,
      short_message: shortMessage,
    },
  },
  replace_sm_resp: { id: 0x80000007, fields: {} },
  cancel_sm: {
    id: 0x00000008,
    fields: { service_type: serviceType, message_id: messageId, ...source, ...destination },
  },
  cancel_sm_resp: { id: 0x80000008, fields: {} },
  bind_transceiver: { id: 0x00000009, fields: bind },
  bind_transceiver_resp: { id: 0x80000009, fields: bindResp },
  outbind: {
    id: 0x0000000b,
    fields: { system_id: cstring(16, loginWriteMax), password: cstring(9, loginWriteMax) },
  },
  enquire_link: { id: 0x00000015, fields: {} },
  enquire_link_resp: { id: 0x80000015, fields: {} },
  submit_multi: {
    id: 0x00000021,
    fields: { service_type: serviceType, ...source, dest_addresses: destAddresses, ...delivery },
  },
  submit_multi_resp: { id: 0x80000021, fields: { message_id: messageId, unsuccess_smes: unsuccessSmes } },
  alert_notification: {
    id: 0x00000102,
    fields: {
      source_addr_ton: int1,
      source_addr_npi: int1,
      source_addr: longAddress,
      esme_addr_ton: int1,
      esme_addr_npi: int1,
      esme_addr: longAddress,
    },
  },
  data_sm: {
    id: 0x00000103,
    fields: {
      service_type: serviceType,
      source_addr_ton: int1,
      source_addr_npi: int1,
      source_addr: longAddress,
      dest_addr_ton: int1,
      dest_addr_npi: int1,
      destination_addr: longAddress,
      esm_class: int1,
      registered_delivery: int1,
      data_coding: int1,
    },
  },
  data_sm_resp: { id: 0x80000103, fields: { message_id: messageId } },
  broadcast_sm: {
    id: 0x00000111,
    fields: {
      service_type: serviceType,
      ...source,
      message_id: messageId,
      priority_flag: int1,
      schedule_delivery_time: time,
      validity_period: time,
      replace_if_present_flag: int1,
      data_coding: int1,
      sm_default_msg_id: int1,
    },
  },
  broadcast_sm_resp: { id: 0x80000111, fields: { message_id: messageId } },
  query_broadcast_sm: { id: 0x00000112, fields: { message_id: messageId, ...source } },
  query_broadcast_sm_resp: { id: 0x80000112, fields: { message_id: messageId } },
  cancel_broadcast_sm: {
    id: 0x00000113,
    fields: { service_type: serviceType, message_id: messageId, ...source },
  },
  cancel_broadcast_sm_resp: { id: 0x80000113, fields: {} },
} as const satisfies Record<string, { readonly id: number; readonly fields: Readonly<Record<string, Field>> }>;

export type CommandName = keyof typeof commands;

/** Names of the commands whose response is `<name>_resp`. */
export type RequestName = {
  [C in CommandName]: `${C}_resp` extends CommandName ? C : never;
}[CommandName];

/** Responses, generic_nack included. No PDU answers a response. */
export type ResponseName = Extract<CommandName, `${string}_resp` | 'generic_nack'>;

/** The name of the response to a request. */
export type ResponseOf<C extends RequestName> = C extends RequestName ? `${C}_resp` : never;

/** All names of commands, in the order of the command table. */
export const commandNames: readonly CommandName[] = Object.keys(commands).filter(isCommandName);

const nameById: ReadonlyMap<number, CommandName> = new Map(commandNames.map((name) => [commands[name].id, name]));

/** The name of the command with this command_id; undefined if no version of SMPP defines the command. */
export function commandName(id: number): CommandName | undefined {
  return nameById.get(id);
}

export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}

/** The names of responses by request. A name joined for each PDU would be hashed for each look-up. */
const responseNames: ReadonlyMap<CommandName, ResponseOf<RequestName>> = new Map(
  commandNames.filter(hasResponse).map((name) => [name, `${name}_resp`]),
);

function hasResponse(name: CommandName): name is RequestName {
  return isCommandName(`${name}_resp`);
}

export function isRequestName(name: CommandName): name is RequestName {
  return responseNames.has(name);
}

export function isResponseName(name: CommandName): name is ResponseName {
  return isResponseId(commands[name].id);
}

/** Bit 31 of a command_id marks a response, even if the command is unknown (3.4 section 5.1.2.1). */
export function isResponseId(id: number): boolean {
  return id >= 0x80000000;
}

/** For `submit_sm`, returns `submit_sm_resp`. */
export function responseName<C extends RequestName>(request: C): ResponseOf<C>;
export function responseName(request: RequestName): ResponseOf<RequestName> {
  return responseNames.get(request) ?? `${request}_resp`;
}
