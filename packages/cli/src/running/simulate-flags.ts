import type { Option } from '../command.ts';
import { magicHelp } from '../magic-help.ts';

/*
 * The options of `morsel simulate`: where the simulator listens, which binds it accepts, and how it misbehaves.
 */

export const simulateFlags: readonly Option[] = [
  { flags: '--port <port>', summary: 'port to listen on; 0 for any free port', isRequired: true },
  { flags: '--host <host>', summary: 'address to listen on (default: 127.0.0.1)' },
  { flags: '--system-id <id>', summary: 'system_id that binds must have (default: any)' },
  { flags: '--password <password>', summary: 'password that binds must have (default: any)' },
  { flags: '--receipt-delay-ms <ms>', summary: 'time from a message to its receipt (default: 500)' },
  { flags: '--retry-ms <ms>', summary: 'time until a receipt without acknowledgement is sent again (default: 1000)' },
  { flags: '--journal <file>', summary: 'append every event to this file, one JSON object in each line' },
  { flags: '--journal-texts', summary: 'write the texts of messages into the journal, too' },
  {
    flags: '--throughput <count>',
    summary: 'most messages a second; refuse others with ESME_RTHROTTLED (default: no limit)',
  },
  {
    flags: '--throttle-chance <share>',
    summary: 'refuse this share of messages with ESME_RTHROTTLED at random, for example 2% (default: 0%)',
  },
  { flags: '--throttle-penalty-ms <ms>', summary: 'refuse a client that was too fast for this time (default: 0)' },
  {
    flags: '--window <count>',
    summary: 'most messages without an answer; refuse others with ESME_RMSGQFUL (default: no limit)',
  },
  {
    flags: '--deliveries-max <count>',
    summary: 'most receipts without acknowledgement; then refuse messages with ESME_RMSGQFUL (default: 100000)',
  },
  { flags: '--tls-cert <file>', summary: 'speak TLS with the certificate in this PEM file' },
  { flags: '--tls-key <file>', summary: 'PEM file with the key of the certificate' },
  { flags: '--tls-ca <file>', summary: 'require client certificates from the authority in this PEM file' },
  {
    flags: '--smpp-version <version>',
    summary: 'newest version of SMPP to speak (default: 5.0)',
    choices: ['3.3', '3.4', '5.0'],
  },
  { flags: '--system-type <type>', summary: 'system_type that binds must have (default: any)' },
  { flags: '--address-range <range>', summary: 'address_range that binds must have (default: any)' },
  {
    flags: '--binds <count>',
    summary: 'most sessions of one system_id; refuse other binds with ESME_RALYBND (default: no limit)',
  },
  { flags: '--bind-status <status>', summary: 'refuse binds with this status: a name, a number, or unanswered' },
  { flags: '--bind-refusals <count>', summary: 'how many binds to refuse (default: all)' },
  { flags: '--bind-body', summary: 'send refusals of binds with a body' },
  { flags: '--message-ids <form>', summary: 'form of message ids in answers (default: decimal)' },
  { flags: '--receipt-ids <form>', summary: 'form of message ids in receipts (default: the same as in answers)' },
  { flags: '--magic <switch>', summary: 'whether magic receivers work (default: on)', choices: ['on', 'off'] },
  { flags: '--ordinary <ending>', summary: 'treat all other receivers like this magic one' },
  { flags: '--demands <words>', summary: 'demands on messages, separated by commas; refuse others' },
  { flags: '--answers <order>', summary: 'order of answers (default: in_order)', choices: ['in_order', 'reversed'] },
  { flags: '--answer-delay-ms <ms>', summary: 'delay of answers (default: 0)' },
  {
    flags: '--closing <how>',
    summary: 'end connections with half of the answers sent, in this way',
    choices: ['fin', 'rst', 'silence'],
  },
  { flags: '--closing-after <count>', summary: 'messages before a connection is ended (default: 100)' },
  { flags: '--closing-times <count>', summary: 'how many connections to end (default: 1)' },
  {
    flags: '--unanswered <words>',
    summary: 'requests to leave unanswered: enquire_link, unbind, or both with a comma',
  },
  { flags: '--first-sequence <number>', summary: 'sequence number of the first request of each session (default: 1)' },
  { flags: '--inbound <text>', summary: 'send this inbound message when a client is bound that can receive' },
  {
    flags: '--from <number>',
    summary: 'sender of inbound messages (default: the receiver of the newest message, or +41791234567)',
  },
  {
    flags: '--to <number>',
    summary: 'receiver of inbound messages (default: the sender of the newest message, or +41791112233)',
  },
];

/** Notes for the help. Words are repeated here, because the simulator takes time to load. */
export function simulateNotes(): string {
  return `Each line of standard input is sent as an inbound message, too. Long texts are sent in several parts.

Forms of ids: decimal, hex, upper_hex, zeros, long, long_hex, uuid, upper_uuid, same, empty.
Demands: no_validity, relative_validity, absolute_validity, plus, no_plus, double_zero, international, no_alphanumeric,
  no_udh, no_sar, no_payload, one_method, no_tlvs, no_ucs2, registered_17.

${magicHelp()}`;
}
