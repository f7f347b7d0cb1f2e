import type { Option } from './command.ts';
import { magicHelp } from './magic-help.ts';

/** What `morsel simulate` can be told: where it listens, whom it lets in, and in which ways it errs. */
export const simulateFlags: readonly Option[] = [
  { flags: '--port <port>', summary: 'where it listens, 0 for any free port', isRequired: true },
  { flags: '--host <host>', summary: 'and on which address (127.0.0.1)' },
  { flags: '--system-id <id>', summary: 'who may bind (anybody)' },
  { flags: '--password <password>', summary: 'with which password (any)' },
  { flags: '--receipt-delay-ms <ms>', summary: 'how long after a message its receipt comes (500)' },
  { flags: '--retry-ms <ms>', summary: 'how long after a refusal a receipt comes again (1000)' },
  { flags: '--journal <file>', summary: 'append what happens to this file, one JSON object a line' },
  { flags: '--journal-texts', summary: 'with the texts of messages' },
  { flags: '--throughput <count>', summary: 'messages a second; more are answered ESME_RTHROTTLED (no limit)' },
  {
    flags: '--throttle-chance <share>',
    summary: 'answer this share of messages ESME_RTHROTTLED by chance, such as 2% (0%)',
  },
  { flags: '--throttle-penalty-ms <ms>', summary: 'who was too fast is refused so long (0)' },
  { flags: '--window <count>', summary: 'messages without an answer; more are answered ESME_RMSGQFUL (no limit)' },
  { flags: '--deliveries-max <count>', summary: 'receipts not yet acknowledged; more get ESME_RMSGQFUL (100000)' },
  { flags: '--tls-cert <file>', summary: 'speak TLS with this certificate, in PEM' },
  { flags: '--tls-key <file>', summary: 'and its key' },
  { flags: '--tls-ca <file>', summary: 'and ask clients for a certificate of this authority' },
  { flags: '--smpp-version <version>', summary: 'the newest version it speaks (5.0)', choices: ['3.3', '3.4', '5.0'] },
  { flags: '--system-type <type>', summary: 'the system_type that a bind has to have (any)' },
  { flags: '--address-range <range>', summary: 'the address_range that a bind has to have (any)' },
  { flags: '--binds <count>', summary: 'sessions of one system_id; more are answered ESME_RALYBND (no limit)' },
  { flags: '--bind-status <status>', summary: 'refuse binds with this, such as ESME_RALYBND or 13, or unanswered' },
  { flags: '--bind-refusals <count>', summary: 'and how many (all)' },
  { flags: '--bind-body', summary: 'with a body in the refusal' },
  { flags: '--message-ids <form>', summary: 'how answers spell their ids (decimal)' },
  { flags: '--receipt-ids <form>', summary: 'how receipts spell them (as answers)' },
  { flags: '--magic <switch>', summary: 'if numbers are special (on)', choices: ['on', 'off'] },
  { flags: '--ordinary <ending>', summary: 'treat all others as numbers of this ending' },
  { flags: '--demands <words>', summary: 'what messages have to be like, comma-separated' },
  { flags: '--answers <order>', summary: 'the order of answers (in_order)', choices: ['in_order', 'reversed'] },
  { flags: '--answer-delay-ms <ms>', summary: 'how late they are (0)' },
  { flags: '--closing <how>', summary: 'end a link in mid-window, half answered', choices: ['fin', 'rst', 'silence'] },
  { flags: '--closing-after <count>', summary: 'after so many messages (100)' },
  { flags: '--closing-times <count>', summary: 'and how often (1)' },
  { flags: '--unanswered <words>', summary: 'what gets no answer: enquire_link, unbind, or both with a comma' },
  { flags: '--first-sequence <number>', summary: 'where the sequence numbers of its requests begin (1)' },
  { flags: '--inbound <text>', summary: 'send this inbound message as soon as a client is bound that can receive' },
  {
    flags: '--from <number>',
    summary: 'the phone that sends inbound messages (default: the receiver of the newest message, or +41791234567)',
  },
  {
    flags: '--to <number>',
    summary: 'the number that they are sent to (default: the sender of the newest message, or +41791112233)',
  },
];

/** What the words are that some options take, and what the numbers do. Here and not from the simulator, which takes time to load. */
export function simulateNotes(): string {
  return `While it runs, each line of standard input is sent as an inbound message, too. Long texts are sent in parts.

Forms of ids: decimal, hex, upper_hex, zeros, long, long_hex, uuid, upper_uuid, same, empty.
Demands: no_validity, relative_validity, absolute_validity, plus, no_plus, double_zero, international, no_alphanumeric,
  no_udh, no_sar, no_payload, one_method, no_tlvs, no_ucs2, registered_17.

${magicHelp()}`;
}
