import { problems, problemType } from '@morsel/api';
import { statuses } from '@morsel/smpp';
import { validityMax, validityMin } from '../core/message/admission.ts';
import { formatMicros } from '@morsel/api/values/money.ts';
import type { Rejection, RejectionCode, TlvFault } from '../core/base/rejection.ts';
import { daysAheadMax, minutesPastMax } from '../core/message/schedule.ts';
import { formatInstant, secondMs } from '@morsel/api/values/time.ts';

/** What a refusal is on the wire: over HTTP a problem, as the answer to submit_sm a command_status. */
interface Answer {
  readonly statuses: readonly [number, ...number[]];
  readonly title: string;
  readonly submitSm: number;
}

const submitFail = statuses.ESME_RSUBMITFAIL;
const systemError = statuses.ESME_RSYSERR;
const badSender = statuses.ESME_RINVSRCADR;
const badReceiver = statuses.ESME_RINVDSTADR;
const badLength = statuses.ESME_RINVMSGLEN;

/** Every refusal there is. Codes of the public API have their status and title from its contract. */
const answers = {
  malformed_request: { ...problems.malformed_request, submitSm: submitFail },
  missing_parameter: { ...problems.missing_parameter, submitSm: submitFail },
  invalid_parameter: { ...problems.invalid_parameter, submitSm: submitFail },
  invalid_sender: { ...problems.invalid_sender, submitSm: badSender },
  invalid_tlv: { statuses: [400], title: 'An optional parameter is wrong', submitSm: submitFail },
  text_not_encodable: { ...problems.text_not_encodable, submitSm: submitFail },
  text_too_long: { ...problems.text_too_long, submitSm: badLength },
  unauthorized: { ...problems.unauthorized, submitSm: submitFail },
  insufficient_balance: { ...problems.insufficient_balance, submitSm: submitFail },
  spend_cap_reached: { ...problems.spend_cap_reached, submitSm: submitFail },
  forbidden: { ...problems.forbidden, submitSm: submitFail },
  message_not_found: { ...problems.message_not_found, submitSm: statuses.ESME_RINVMSGID },
  idempotency_conflict: { ...problems.idempotency_conflict, submitSm: submitFail },
  too_late: { ...problems.too_late, submitSm: statuses.ESME_RCANCELFAIL },
  not_found: { ...problems.not_found, submitSm: systemError },
  method_not_allowed: { ...problems.method_not_allowed, submitSm: systemError },
  too_large: { ...problems.too_large, submitSm: badLength },
  unsupported_media_type: { ...problems.unsupported_media_type, submitSm: submitFail },
  request_timeout: { ...problems.request_timeout, submitSm: systemError },
  sender_not_allowed: { ...problems.sender_not_allowed, submitSm: badSender },
  destination_blocked: { ...problems.destination_blocked, submitSm: submitFail },
  rate_limited: { ...problems.rate_limited, submitSm: statuses.ESME_RTHROTTLED },
  no_route: { ...problems.no_route, submitSm: badReceiver },
  no_price: { ...problems.no_price, submitSm: badReceiver },
  receiver_opted_out: { ...problems.receiver_opted_out, submitSm: badReceiver },
  already_exists: { statuses: [409], title: 'It exists already', submitSm: submitFail },
  in_use: { statuses: [409], title: 'It is in use', submitSm: submitFail },
  conflict: { statuses: [409], title: 'It does not fit what is stored', submitSm: submitFail },
  does_not_exist: { statuses: [404], title: 'It does not exist', submitSm: submitFail },
  internal_error: { ...problems.internal_error, submitSm: systemError },
  unavailable: { ...problems.unavailable, submitSm: systemError },
} as const satisfies Record<RejectionCode, Answer>;

/** Fields at fault that SMPP has a status of its own for; others leave it at the status of the code. */
const submitSmByField: Readonly<Record<string, number>> = {
  sender: badSender,
  receiver: badReceiver,
  text: badLength,
  validity: statuses.ESME_RINVEXPIRY,
  sendAt: statuses.ESME_RINVSCHED,
  priority: statuses.ESME_RINVPRTFLG,
  // What only SMPP asks for, by its own names.
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

/** SMPP 3.4, section 5.1.3. */
const submitSmByTlvFault: Readonly<Record<TlvFault, number>> = {
  stream: statuses.ESME_RINVOPTPARSTREAM,
  not_allowed: statuses.ESME_ROPTPARNOTALLWD,
  length: statuses.ESME_RINVPARLEN,
  missing: statuses.ESME_RMISSINGOPTPARAM,
  value: statuses.ESME_RINVOPTPARAMVAL,
};

/** Optional parameters, and the statuses of theirs, came with 3.4. */
const interfaceVersion34 = 0x34;

/** RINVDCS came with SMPP 5.0 (section 4.7.6); older clients do not know it. */
const interfaceVersion50 = 0x50;

/** Seconds after which a client may try again when we are not available: a restart or a switch of nodes takes about that. */
const retryAfterSeconds = 5;

/** The HTTP status of a refusal. */
export function httpStatus(rejection: Rejection): number {
  return rejection.code === 'too_large' ? rejection.status : answers[rejection.code].statuses[0];
}

/** Headers that belong to a refusal besides those of every answer, as name, value, name, value. */
export function httpHeaders(rejection: Rejection): readonly string[] {
  switch (rejection.code) {
    case 'unauthorized':
      return ['WWW-Authenticate', 'Bearer'];
    case 'method_not_allowed':
      return ['Allow', rejection.allow];
    case 'unavailable':
      return ['Retry-After', String(retryAfterSeconds)];
    case 'spend_cap_reached':
      return ['Retry-After', String(Math.max(1, Math.ceil((rejection.endsAt - rejection.at) / secondMs)))];
    case 'rate_limited':
      return rateLimitHeaders(rejection);
    default:
      return [];
  }
}

/** Which policy it was, and how it stands (draft-ietf-httpapi-ratelimit-headers-09). */
function rateLimitHeaders({ rule, count, seconds, left, waitMs }: RateLimited): readonly string[] {
  const wait = Math.max(1, Math.ceil(waitMs / secondMs));
  return [
    'Retry-After',
    String(wait),
    'RateLimit-Policy',
    `"${rule}";q=${count};w=${seconds}`,
    'RateLimit',
    `"${rule}";r=${left};t=${wait}`,
  ];
}

type RateLimited = Extract<Rejection, { code: 'rate_limited' }>;

/** The body of a refusal: problem details (RFC 9457 section 3) in JSON, amounts exact. */
export function problemBody(rejection: Rejection, requestId: string): string {
  const { code } = rejection;
  return (
    `{"type":${JSON.stringify(problemType(code))},"title":${JSON.stringify(answers[code].title)}` +
    `,"status":${httpStatus(rejection)},"detail":${JSON.stringify(detail(rejection))},"code":"${code}"` +
    `${fieldMember(rejection)}${extras(rejection)},"requestId":${JSON.stringify(requestId)}}`
  );
}

/** The command_status that answers a submit_sm of a client which bound with this interface_version. */
export function submitSmStatus(rejection: Rejection, interfaceVersion: number): number {
  const { code } = rejection;
  if (code === 'text_not_encodable' || (code === 'invalid_parameter' && rejection.field === 'dcs')) {
    return interfaceVersion >= interfaceVersion50 ? statuses.ESME_RINVDCS : submitFail;
  }
  if (code === 'missing_parameter' || code === 'invalid_parameter') {
    return submitSmByField[rejection.field] ?? answers[code].submitSm;
  }
  if (code === 'invalid_tlv' && interfaceVersion >= interfaceVersion34) return submitSmByTlvFault[rejection.fault];
  // What holds for one receiver or text is no reason for a client to slow down its whole session, nor to send it again
  // until it passes: it does so without end (smpp-in-the-wild, 11).
  if (code === 'rate_limited' && rejection.rule !== 'rate') return submitFail;
  return answers[code].submitSm;
}

/** The sentence that goes with it, for those that can be told (additional_status_info_text): what is wrong, and what to do. */
export function submitSmText(rejection: Rejection): string {
  switch (rejection.code) {
    case 'insufficient_balance': {
      const { totalCost, clientBalance, clientCurrency } = rejection;
      return (
        `the message costs ${formatMicros(totalCost)} ${clientCurrency} and the balance is ` +
        `${formatMicros(clientBalance)}: top it up`
      );
    }
    case 'spend_cap_reached':
      return `${detail(rejection)}: it may again from ${formatInstant(rejection.endsAt)} on`;
    case 'rate_limited': {
      const seconds = Math.max(1, Math.ceil(rejection.waitMs / secondMs));
      const what = rejection.rule === 'rate' ? 'the account sends more parts than it may' : detail(rejection);
      return `${what}: send again in ${seconds} s`;
    }
    case 'text_not_encodable':
      return `${rejection.detail} (at position ${rejection.position})`;
    case 'missing_parameter':
      return `${submitSmNames[rejection.field] ?? rejection.field} is missing or empty`;
    case 'invalid_parameter':
      return submitSmLimits[rejection.field] ?? named(rejection);
    case 'invalid_sender':
      return `source_addr: ${rejection.detail}`;
    case 'internal_error':
      return 'something went wrong here: send it again later';
    case 'unavailable':
      return `${rejection.detail}: send it again later`;
    default:
      return detail(rejection);
  }
}

/** What the fields of HTTP are to a client of SMPP. */
const submitSmNames: Readonly<Record<string, string>> = {
  sender: 'source_addr',
  receiver: 'destination_addr',
  text: 'the text (short_message or message_payload)',
};

const daySeconds = 86_400;

/** Limits that both APIs have, said with the fields of SMPP. */
const submitSmLimits: Readonly<Record<string, string>> = {
  sendAt: `schedule_delivery_time is at most ${daysAheadMax} days ahead and at most ${minutesPastMax} minutes past`,
  validity:
    `validity_period (in data_sm qos_time_to_live) ends ${validityMin} seconds to ${validityMax / daySeconds} days after ` +
    'the time at which the message is to be sent',
};

function named({ field, detail: sentence }: Extract<Rejection, { code: 'invalid_parameter' }>): string {
  return field === 'receiver' ? `destination_addr: ${sentence}` : sentence;
}

/** A sentence for people. It never holds a token or a text, as no rejection does. */
function detail(rejection: Rejection): string {
  switch (rejection.code) {
    case 'missing_parameter':
      return `${rejection.field} is missing or empty`;
    case 'text_too_long':
      return `the text needs ${rejection.numParts} parts and ${rejection.maxParts} are allowed`;
    case 'unauthorized':
      return 'the token is missing, unknown, revoked or expired';
    case 'insufficient_balance':
      return 'the balance does not cover the cost of the message';
    case 'spend_cap_reached':
      return `the message would pass what the account may spend in a ${rejection.period}`;
    case 'message_not_found':
      return 'there is no message with this id';
    case 'idempotency_conflict':
      return 'another request came with this idempotency key before: take a new key for a new message';
    case 'too_late':
      return rejection.event === 'queued'
        ? 'nothing of the message can be canceled now: it is just being given to a carrier'
        : `nothing of the message can be canceled any more: it is ${rejection.event}`;
    case 'method_not_allowed':
      return `allowed here: ${rejection.allow}`;
    case 'request_timeout':
      return 'the request did not come to its end in time';
    case 'sender_not_allowed':
      return 'the account may not send from this sender';
    case 'destination_blocked':
      return blockedBecause[rejection.rule];
    case 'rate_limited':
      return limitedBecause[rejection.rule];
    case 'no_route':
      return rejection.detail ?? 'no carrier takes messages to this receiver';
    case 'no_price':
      return 'there is no price for this receiver';
    case 'receiver_opted_out':
      return optedOut(rejection.ofSender);
    case 'internal_error':
      return 'something went wrong here; the request id names it in our logs';
    default:
      return rejection.detail;
  }
}

function optedOut(ofSender: string | null): string {
  const wish = ofSender === null ? 'no more messages from this account' : `no more messages from ${ofSender}`;
  return `the receiver wants ${wish}, until that phone or the operator takes it back`;
}

const blockedBecause = {
  countries: 'the account may not send to this country or range of numbers',
  premium: 'the account may not send to numbers of premium rate or shared cost',
  unknown: 'the account may not send to ranges of numbers that are not known to be in use',
  'fixed-line': 'the account may not send to numbers of fixed lines',
};

const limitedBecause = {
  rate: 'the account sends more parts than it may; Retry-After says when these fit',
  'receiver-velocity': 'this receiver got as many messages as the account may send to one in this time',
  'prefix-velocity': 'numbers that begin like this receiver got as many messages as the account may send in this time',
  repeat: 'the same text went to this receiver a moment ago',
};

/** The field of a request that is at fault, if it is one. */
export function fieldOf(rejection: Rejection): string | undefined {
  switch (rejection.code) {
    case 'malformed_request':
    case 'missing_parameter':
    case 'invalid_parameter':
      return rejection.field;
    case 'invalid_sender':
    case 'sender_not_allowed':
      return 'sender';
    case 'text_not_encodable':
    case 'text_too_long':
      return 'text';
    case 'no_route':
    case 'no_price':
    case 'receiver_opted_out':
    case 'destination_blocked':
      return 'receiver';
    default:
      return undefined;
  }
}

function fieldMember(rejection: Rejection): string {
  const field = fieldOf(rejection);
  return field === undefined ? '' : `,"field":${JSON.stringify(field)}`;
}

/** The other members that a code adds (section 2 of the decisions), each with its comma. */
function extras(rejection: Rejection): string {
  switch (rejection.code) {
    case 'too_late':
      return `,"event":"${rejection.event}"`;
    case 'sender_not_allowed':
    case 'destination_blocked':
    case 'rate_limited':
      return `,"rule":"${rejection.rule}"`;
    case 'text_not_encodable':
      return `,"character":${JSON.stringify(rejection.character)},"position":${rejection.position}`;
    case 'text_too_long':
      return `,"numParts":${rejection.numParts},"maxParts":${rejection.maxParts}`;
    case 'insufficient_balance':
      return (
        `,"totalCost":${formatMicros(rejection.totalCost)},"clientBalance":${formatMicros(rejection.clientBalance)}` +
        `,"clientCurrency":${JSON.stringify(rejection.clientCurrency)}`
      );
    case 'spend_cap_reached':
      return (
        `,"period":"${rejection.period}","cap":${formatMicros(rejection.cap)},"spent":${formatMicros(rejection.spent)}` +
        `,"totalCost":${formatMicros(rejection.totalCost)},"clientCurrency":${JSON.stringify(rejection.clientCurrency)}` +
        `,"endsAt":"${formatInstant(rejection.endsAt)}"`
      );
    default:
      return '';
  }
}
