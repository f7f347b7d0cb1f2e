import type { shapes } from '@morsel/api/shapes.ts';
import { problems, problemType, type ProblemCode, type ProblemKind } from '@morsel/api/problems.ts';
import { writeJson } from '@morsel/api/fields/exact-json.ts';
import type { Values } from '@morsel/api/fields/field.ts';
import { formatMicros } from '@morsel/api/values/money.ts';
import { formatInstant, secondMs } from '@morsel/api/values/time.ts';
import { statuses } from '@morsel/smpp';
import type { Rejection, RejectionCode } from '../core/base/rejection.ts';
import {
  badLength,
  badReceiver,
  badSender,
  codingStatus,
  smppFieldLimits,
  smppFieldNames,
  fieldStatus,
  submitFail,
  tlvStatus,
} from './refused-fields.ts';

/*
 * How the gateway answers each rejection: over HTTP with a problem (RFC 9457), over SMPP with a command_status and an error text.
 * One table has the answers to all rejections. If a rejection code lacks a column, TypeScript reports an error.
 */

interface Refusal<C extends RejectionCode> {
  /** A code of the client API has the statuses and the title of the API's contract. */
  readonly statuses: Contract[C]['statuses'];
  readonly title: Contract[C]['title'];
  /** The HTTP status, if the code has several. */
  readonly httpStatus?: (rejection: Rejection<C>) => Contract[C]['statuses'][number];
  /** Additional members of this problem, in the order of the JSON. */
  readonly members?: (rejection: Rejection<C>) => Members;
  /** Additional headers of this refusal, as name, value, name, value. */
  readonly headers?: (rejection: Rejection<C>) => readonly string[];
  /** The error text for people: what is wrong. It never has a token or a message's text, because no rejection has them. */
  readonly sentence: Column<C, string>;
  /** The command_status for a client that bound with this interface_version. */
  readonly submitSm: number | ((rejection: Rejection<C>, interfaceVersion: number) => number);
  /** The error text over SMPP (additional_status_info_text), with SMPP's field names and what to do, if it differs. */
  readonly smppSentence?: (rejection: Rejection<C>) => string;
}

/** One value for all rejections with a code, or a function that computes the value from the rejection. */
type Column<C extends RejectionCode, Value> = Value | ((rejection: Rejection<C>) => Value);

type Contract = {
  readonly [C in RejectionCode]: C extends ProblemCode ? (typeof problems)[C] : Omit<ProblemKind, 'meaning'>;
};

type Members = Omit<Values<typeof shapes.Problem>, 'type' | 'title' | 'status' | 'detail' | 'code' | 'requestId'> &
  Pick<Rejection<'invalid_parameter'>, 'faults'>;

const systemError = statuses.ESME_RSYSERR;

const inDocument = ({ field, faults }: Rejection<'invalid_parameter'>): Members => ({ field, faults });

/** Uses the error text of the rejection itself. */
const asGiven = ({ detail }: { readonly detail: string }) => detail;

/** A refusal that only the operator's API gives. */
function ofOperators(status: number, title: string) {
  return { statuses: [status], title, sentence: asGiven, submitSm: submitFail } as const;
}

/** The answers to every rejection. The reference of refusals in the documentation is made from them. */
export const refusals: { readonly [C in RejectionCode | ProblemCode]: Refusal<C> } = {
  malformed_request: {
    ...problems.malformed_request,
    members: ({ field }) => ({ field }),
    sentence: asGiven,
    submitSm: submitFail,
  },
  missing_parameter: {
    ...problems.missing_parameter,
    members: ({ field }) => ({ field }),
    sentence: ({ field }) => `${field} is missing or empty`,
    submitSm: ({ field }) => fieldStatus(field),
    smppSentence: ({ field }) => `${smppFieldNames[field] ?? field} is missing or empty`,
  },
  invalid_parameter: {
    ...problems.invalid_parameter,
    members: inDocument,
    sentence: asGiven,
    submitSm: ({ field }, version) => (field === 'dcs' ? codingStatus(version) : fieldStatus(field)),
    smppSentence: ({ field, detail }) =>
      smppFieldLimits[field] ?? (field === 'receiver' ? `destination_addr: ${detail}` : detail),
  },
  invalid_sender: {
    ...problems.invalid_sender,
    members: () => ({ field: 'sender' }),
    sentence: asGiven,
    submitSm: badSender,
    smppSentence: ({ detail }) => `source_addr: ${detail}`,
  },
  invalid_option: {
    statuses: [400],
    title: 'An optional parameter (TLV) is invalid',
    sentence: asGiven,
    submitSm: ({ fault }, version) => tlvStatus(fault, version),
  },
  text_not_encodable: {
    ...problems.text_not_encodable,
    members: ({ character, position }) => ({ field: 'text', character, position }),
    sentence: asGiven,
    submitSm: (_rejection, version) => codingStatus(version),
    smppSentence: ({ detail, position }) => `${detail} (at position ${position})`,
  },
  text_too_long: {
    ...problems.text_too_long,
    members: ({ numParts, maxParts }) => ({ field: 'text', numParts, maxParts }),
    sentence: ({ numParts, maxParts }) => `the text needs ${numParts} parts, but at most ${maxParts} are allowed`,
    submitSm: badLength,
  },
  unauthorized: {
    ...problems.unauthorized,
    headers: () => ['WWW-Authenticate', 'Bearer'],
    sentence: 'the token is missing, unknown, revoked or expired',
    submitSm: submitFail,
  },
  insufficient_balance: {
    ...problems.insufficient_balance,
    members: ({ totalCost, clientBalance, clientCurrency }) => ({ totalCost, clientBalance, clientCurrency }),
    sentence: 'the balance does not cover the cost of the message',
    submitSm: submitFail,
    smppSentence: ({ totalCost, clientBalance, clientCurrency }) =>
      `the message costs ${formatMicros(totalCost)} ${clientCurrency} and the balance is ` +
      `${formatMicros(clientBalance)}: top up the account`,
  },
  spend_cap_reached: {
    ...problems.spend_cap_reached,
    members: ({ period, cap, spent, totalCost, clientCurrency, endsAt }) => ({
      period,
      cap,
      spent,
      totalCost,
      clientCurrency,
      endsAt: formatInstant(endsAt),
    }),
    headers: ({ at, endsAt }) => retryAfter(endsAt - at),
    sentence: capReached,
    submitSm: submitFail,
    smppSentence: (rejection) =>
      `${capReached(rejection)}: send the message again after ${formatInstant(rejection.endsAt)}`,
  },
  forbidden: { ...problems.forbidden, sentence: asGiven, submitSm: submitFail },
  message_not_found: {
    ...problems.message_not_found,
    sentence: 'there is no message with this id',
    submitSm: statuses.ESME_RINVMSGID,
  },
  idempotency_conflict: {
    ...problems.idempotency_conflict,
    sentence: 'a different request used this idempotency key before: use a new key for each new message',
    submitSm: submitFail,
  },
  too_late: {
    ...problems.too_late,
    members: ({ event }) => ({ event }),
    sentence: ({ event }) =>
      event === 'queued'
        ? 'no part of the message can be canceled now: the gateway is sending it to a carrier'
        : `no part of the message can be canceled any more: the message is ${event}`,
    submitSm: statuses.ESME_RCANCELFAIL,
  },
  not_found: { ...problems.not_found, sentence: asGiven, submitSm: systemError },
  method_not_allowed: {
    ...problems.method_not_allowed,
    headers: ({ allow }) => ['Allow', allow],
    sentence: ({ allow }) => `allowed methods: ${allow}`,
    submitSm: systemError,
  },
  too_large: { ...problems.too_large, httpStatus: ({ status }) => status, sentence: asGiven, submitSm: badLength },
  unsupported_media_type: { ...problems.unsupported_media_type, sentence: asGiven, submitSm: submitFail },
  request_timeout: {
    ...problems.request_timeout,
    sentence: 'the request did not arrive completely in time',
    submitSm: systemError,
  },
  sender_not_allowed: {
    ...problems.sender_not_allowed,
    members: ({ rule }) => ({ field: 'sender', rule }),
    sentence: 'the account may not send from this sender',
    submitSm: badSender,
  },
  destination_blocked: {
    ...problems.destination_blocked,
    members: ({ rule }) => ({ field: 'receiver', rule }),
    sentence: ({ rule }) => blockedBecause[rule],
    submitSm: submitFail,
  },
  rate_limited: {
    ...problems.rate_limited,
    members: ({ rule }) => ({ rule }),
    headers: rateLimitHeaders,
    sentence: ({ rule }) => limitedBecause[rule],
    // Only `rate` uses ESME_RTHROTTLED. For the limits of one receiver or one text it would slow down the whole session,
    // and the client would repeat the message without end.
    submitSm: ({ rule }) => (rule === 'rate' ? statuses.ESME_RTHROTTLED : submitFail),
    smppSentence: ({ rule, waitMs }) =>
      `${rule === 'rate' ? 'the account sends faster than its rate limit' : limitedBecause[rule]}: ` +
      `send the message again in ${wholeSeconds(waitMs)} s`,
  },
  no_route: {
    ...problems.no_route,
    members: ofReceiver,
    sentence: ({ detail }) => detail ?? 'no carrier is set up for messages to this receiver',
    submitSm: badReceiver,
  },
  no_price: {
    ...problems.no_price,
    members: ofReceiver,
    sentence: 'the price list has no price for this receiver',
    submitSm: badReceiver,
  },
  receiver_opted_out: {
    ...problems.receiver_opted_out,
    members: ofReceiver,
    sentence: ({ ofSender }) =>
      `the receiver opted out of messages from ${ofSender ?? 'this account'}; only the receiver or the operator can undo this`,
    submitSm: badReceiver,
  },
  misdirected: { ...ofOperators(421, 'The request was sent to another host'), submitSm: systemError },
  already_exists: ofOperators(409, 'The resource exists already'),
  in_use: ofOperators(409, 'The resource is in use'),
  conflict: ofOperators(409, 'The request conflicts with stored data'),
  does_not_exist: ofOperators(404, 'The resource does not exist'),
  sign_in_refused: ofOperators(401, 'The sign-in is not accepted'),
  too_many_tries: {
    ...ofOperators(429, 'Too many tries to sign in'),
    headers: ({ waitMs }) => retryAfter(waitMs),
    submitSm: systemError,
  },
  internal_error: {
    ...problems.internal_error,
    sentence: 'internal error of the gateway: keep the request id and the time, under which its log has the cause',
    submitSm: systemError,
    smppSentence: () => 'internal error of the gateway: send the request again later',
  },
  unavailable: {
    ...problems.unavailable,
    headers: () => retryAfter(unavailableMs),
    sentence: asGiven,
    submitSm: systemError,
    smppSentence: ({ detail }) => `${detail}: send the request again later`,
  },
};

/** The time after which a client may try again: about the time of a restart of the gateway. */
const unavailableMs = 5 * secondMs;

const blockedBecause = {
  countries: 'the account may not send to this country or range of numbers',
  premium: 'the account may not send to premium-rate or shared-cost numbers',
  unknown: 'the account may not send to number ranges that are not known to be in use',
  'fixed-line': 'the account may not send to fixed-line numbers',
};

const limitedBecause = {
  rate: 'the account sends faster than its rate limit; Retry-After says when to send again',
  'receiver-velocity': 'the account has reached its limit of messages to this receiver',
  'prefix-velocity': 'the account has reached its limit of messages to numbers with this prefix',
  repeat: 'the same text was sent to this receiver a moment ago',
};

function ofReceiver(): Members {
  return { field: 'receiver' };
}

function capReached({ period }: Rejection<'spend_cap_reached'>): string {
  return `the message would exceed the spend cap of the account for this ${period}`;
}

/** The headers that name the exceeded limit, and how much of it is left (draft-ietf-httpapi-ratelimit-headers-09). */
function rateLimitHeaders({ rule, count, seconds, left, waitMs }: Rejection<'rate_limited'>): readonly string[] {
  const [policy, limit] = [`"${rule}";q=${count};w=${seconds}`, `"${rule}";r=${left};t=${wholeSeconds(waitMs)}`];
  return [...retryAfter(waitMs), 'RateLimit-Policy', policy, 'RateLimit', limit];
}

function retryAfter(ms: number): readonly string[] {
  return ['Retry-After', String(wholeSeconds(ms))];
}

/** Rounds up to whole seconds, with at least one second. */
function wholeSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / secondMs));
}

/** The code that answers, logs and metrics show. It stays the same in later versions. */
export const shownCode = (code: string): string => (code === 'invalid_option' ? 'invalid_tlv' : code);

export function httpStatus<C extends RejectionCode>(rejection: Rejection<C>): number {
  const { httpStatus: status, statuses: usual } = refusals[rejection.code];
  return status?.(rejection) ?? usual[0];
}

export function httpHeaders<C extends RejectionCode>(rejection: Rejection<C>): readonly string[] {
  return refusals[rejection.code].headers?.(rejection) ?? [];
}

/** The invalid field of the request; undefined if the rejection is not about a field. */
export function fieldOf<C extends RejectionCode>(rejection: Rejection<C>): string | undefined {
  return refusals[rejection.code].members?.(rejection).field;
}

/** The body of a refusal: problem details (RFC 9457 section 3) as JSON with exact amounts. */
export function problemBody<C extends RejectionCode>(rejection: Rejection<C>, requestId: string): string {
  const { title, members } = refusals[rejection.code];
  return writeJson({
    type: problemType(shownCode(rejection.code)),
    title,
    status: httpStatus(rejection),
    detail: sentenceOf(rejection),
    code: shownCode(rejection.code),
    ...members?.(rejection),
    requestId,
  });
}

export function submitSmStatus<C extends RejectionCode>(rejection: Rejection<C>, interfaceVersion: number): number {
  const { submitSm: status } = refusals[rejection.code];
  return typeof status === 'number' ? status : status(rejection, interfaceVersion);
}

/** The error text beside the command_status (additional_status_info_text). */
export function submitSmText<C extends RejectionCode>(rejection: Rejection<C>): string {
  return refusals[rejection.code].smppSentence?.(rejection) ?? sentenceOf(rejection);
}

function sentenceOf<C extends RejectionCode>(rejection: Rejection<C>): string {
  const { sentence } = refusals[rejection.code];
  return typeof sentence === 'string' ? sentence : sentence(rejection);
}
