import type { shapes } from '@morsel/api/shapes.ts';
import { problems, problemType, type ProblemCode } from '@morsel/api/problems.ts';
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
  readonly http: {
    /** A code of the client API must have one of the statuses in the API's contract. */
    readonly status: Column<C, Contract[C]['statuses'][number]>;
    readonly title: Contract[C]['title'];
    /** Additional members of this problem, in the order of the JSON; null if there are none. */
    readonly members: ((rejection: Rejection<C>) => Members) | null;
    /** Additional headers of this refusal, as name, value, name, value; null if there are none. */
    readonly headers: ((rejection: Rejection<C>) => readonly string[]) | null;
  };
  /**
   * The error text for people: what is wrong. It never has a token or a message's text, because no rejection has them.
   */
  readonly sentence: Column<C, string>;
  readonly submitSm: {
    /** The command_status for a client that bound with this interface_version. */
    readonly status: number | ((rejection: Rejection<C>, interfaceVersion: number) => number);
    /** The error text with the field names of SMPP (additional_status_info_text): what is wrong, and what to do. */
    readonly sentence: 'same' | ((rejection: Rejection<C>) => string);
  };
}

/** One value for all rejections with a code, or a function that computes the value from the rejection. */
type Column<C extends RejectionCode, Value> = Value | ((rejection: Rejection<C>) => Value);

/**
 * The statuses and titles in the API's contract. Codes that only occur over SMPP or in the operator's API may have any status and
 * title.
 */
type Contract = {
  readonly [C in RejectionCode]: C extends ProblemCode
    ? (typeof problems)[C]
    : { readonly statuses: readonly number[]; readonly title: string };
};

type Members = Omit<Values<typeof shapes.Problem>, 'type' | 'title' | 'status' | 'detail' | 'code' | 'requestId'> &
  Pick<Rejection<'invalid_parameter'>, 'faults'>;

const systemError = statuses.ESME_RSYSERR;

const inDocument = ({ field, faults }: Rejection<'invalid_parameter'>): Members => ({ field, faults });

/** Uses the error text of the rejection itself. */
const asGiven = ({ detail }: { readonly detail: string }) => detail;

/** A refusal that only the operator's API gives. */
function ofOperators(status: number, title: string) {
  const http = { status, title, members: null, headers: null };
  return { http, sentence: asGiven, submitSm: { status: submitFail, sentence: 'same' } } as const;
}

/** The answers to every rejection. The reference of refusals in the documentation is made from them. */
export const refusals: { readonly [C in RejectionCode | ProblemCode]: Refusal<C> } = {
  malformed_request: {
    http: { ...problems.malformed_request, status: 400, members: ({ field }) => ({ field }), headers: null },
    sentence: asGiven,
    submitSm: { status: submitFail, sentence: 'same' },
  },
  missing_parameter: {
    http: { ...problems.missing_parameter, status: 400, members: ({ field }) => ({ field }), headers: null },
    sentence: ({ field }) => `${field} is missing or empty`,
    submitSm: {
      status: ({ field }) => fieldStatus(field),
      sentence: ({ field }) => `${smppFieldNames[field] ?? field} is missing or empty`,
    },
  },
  invalid_parameter: {
    http: { ...problems.invalid_parameter, status: 400, members: inDocument, headers: null },
    sentence: asGiven,
    submitSm: {
      status: ({ field }, version) => (field === 'dcs' ? codingStatus(version) : fieldStatus(field)),
      sentence: ({ field, detail }) =>
        smppFieldLimits[field] ?? (field === 'receiver' ? `destination_addr: ${detail}` : detail),
    },
  },
  invalid_sender: {
    http: { ...problems.invalid_sender, status: 400, members: () => ({ field: 'sender' }), headers: null },
    sentence: asGiven,
    submitSm: { status: badSender, sentence: ({ detail }) => `source_addr: ${detail}` },
  },
  invalid_option: {
    http: { status: 400, title: 'An optional parameter (TLV) is invalid', members: null, headers: null },
    sentence: asGiven,
    submitSm: { status: ({ fault }, version) => tlvStatus(fault, version), sentence: 'same' },
  },
  text_not_encodable: {
    http: {
      ...problems.text_not_encodable,
      status: 400,
      members: ({ character, position }) => ({ field: 'text', character, position }),
      headers: null,
    },
    sentence: asGiven,
    submitSm: {
      status: (_rejection, version) => codingStatus(version),
      sentence: ({ detail, position }) => `${detail} (at position ${position})`,
    },
  },
  text_too_long: {
    http: {
      ...problems.text_too_long,
      status: 400,
      members: ({ numParts, maxParts }) => ({ field: 'text', numParts, maxParts }),
      headers: null,
    },
    sentence: ({ numParts, maxParts }) => `the text needs ${numParts} parts, but at most ${maxParts} are allowed`,
    submitSm: { status: badLength, sentence: 'same' },
  },
  unauthorized: {
    http: { ...problems.unauthorized, status: 401, members: null, headers: () => ['WWW-Authenticate', 'Bearer'] },
    sentence: 'the token is missing, unknown, revoked or expired',
    submitSm: { status: submitFail, sentence: 'same' },
  },
  insufficient_balance: {
    http: {
      ...problems.insufficient_balance,
      status: 402,
      members: ({ totalCost, clientBalance, clientCurrency }) => ({ totalCost, clientBalance, clientCurrency }),
      headers: null,
    },
    sentence: 'the balance does not cover the cost of the message',
    submitSm: {
      status: submitFail,
      sentence: ({ totalCost, clientBalance, clientCurrency }) =>
        `the message costs ${formatMicros(totalCost)} ${clientCurrency} and the balance is ` +
        `${formatMicros(clientBalance)}: top up the account`,
    },
  },
  spend_cap_reached: {
    http: {
      ...problems.spend_cap_reached,
      status: 402,
      members: ({ period, cap, spent, totalCost, clientCurrency, endsAt }) => ({
        period,
        cap,
        spent,
        totalCost,
        clientCurrency,
        endsAt: formatInstant(endsAt),
      }),
      headers: ({ at, endsAt }) => ['Retry-After', String(wholeSeconds(endsAt - at))],
    },
    sentence: capReached,
    submitSm: {
      status: submitFail,
      sentence: (rejection) =>
        `${capReached(rejection)}: send the message again after ${formatInstant(rejection.endsAt)}`,
    },
  },
  forbidden: {
    http: { ...problems.forbidden, status: 403, members: null, headers: null },
    sentence: asGiven,
    submitSm: { status: submitFail, sentence: 'same' },
  },
  message_not_found: {
    http: { ...problems.message_not_found, status: 404, members: null, headers: null },
    sentence: 'there is no message with this id',
    submitSm: { status: statuses.ESME_RINVMSGID, sentence: 'same' },
  },
  idempotency_conflict: {
    http: { ...problems.idempotency_conflict, status: 409, members: null, headers: null },
    sentence: 'a different request used this idempotency key before: use a new key for each new message',
    submitSm: { status: submitFail, sentence: 'same' },
  },
  too_late: {
    http: { ...problems.too_late, status: 409, members: ({ event }) => ({ event }), headers: null },
    sentence: ({ event }) =>
      event === 'queued'
        ? 'no part of the message can be canceled now: the gateway is sending it to a carrier'
        : `no part of the message can be canceled any more: the message is ${event}`,
    submitSm: { status: statuses.ESME_RCANCELFAIL, sentence: 'same' },
  },
  not_found: {
    http: { ...problems.not_found, status: 404, members: null, headers: null },
    sentence: asGiven,
    submitSm: { status: systemError, sentence: 'same' },
  },
  method_not_allowed: {
    http: { ...problems.method_not_allowed, status: 405, members: null, headers: ({ allow }) => ['Allow', allow] },
    sentence: ({ allow }) => `allowed methods: ${allow}`,
    submitSm: { status: systemError, sentence: 'same' },
  },
  too_large: {
    http: { ...problems.too_large, status: ({ status }) => status, members: null, headers: null },
    sentence: asGiven,
    submitSm: { status: badLength, sentence: 'same' },
  },
  unsupported_media_type: {
    http: { ...problems.unsupported_media_type, status: 415, members: null, headers: null },
    sentence: asGiven,
    submitSm: { status: submitFail, sentence: 'same' },
  },
  request_timeout: {
    http: { ...problems.request_timeout, status: 408, members: null, headers: null },
    sentence: 'the request did not arrive completely in time',
    submitSm: { status: systemError, sentence: 'same' },
  },
  sender_not_allowed: {
    http: {
      ...problems.sender_not_allowed,
      status: 403,
      members: ({ rule }) => ({ field: 'sender', rule }),
      headers: null,
    },
    sentence: 'the account may not send from this sender',
    submitSm: { status: badSender, sentence: 'same' },
  },
  destination_blocked: {
    http: {
      ...problems.destination_blocked,
      status: 422,
      members: ({ rule }) => ({ field: 'receiver', rule }),
      headers: null,
    },
    sentence: ({ rule }) => blockedBecause[rule],
    submitSm: { status: submitFail, sentence: 'same' },
  },
  rate_limited: {
    http: { ...problems.rate_limited, status: 429, members: ({ rule }) => ({ rule }), headers: rateLimitHeaders },
    sentence: ({ rule }) => limitedBecause[rule],
    submitSm: {
      // Only `rate` uses ESME_RTHROTTLED. For the limits of one receiver or one text it would slow down the whole
      // session, and the client would repeat the message without end.
      status: ({ rule }) => (rule === 'rate' ? statuses.ESME_RTHROTTLED : submitFail),
      sentence: ({ rule, waitMs }) =>
        `${rule === 'rate' ? 'the account sends faster than its rate limit' : limitedBecause[rule]}: ` +
        `send the message again in ${wholeSeconds(waitMs)} s`,
    },
  },
  no_route: {
    http: { ...problems.no_route, status: 422, members: ofReceiver, headers: null },
    sentence: ({ detail }) => detail ?? 'no carrier is set up for messages to this receiver',
    submitSm: { status: badReceiver, sentence: 'same' },
  },
  no_price: {
    http: { ...problems.no_price, status: 422, members: ofReceiver, headers: null },
    sentence: 'the price list has no price for this receiver',
    submitSm: { status: badReceiver, sentence: 'same' },
  },
  receiver_opted_out: {
    http: { ...problems.receiver_opted_out, status: 422, members: ofReceiver, headers: null },
    sentence: ({ ofSender }) =>
      `the receiver opted out of messages from ${ofSender ?? 'this account'}; only the receiver or the operator can undo this`,
    submitSm: { status: badReceiver, sentence: 'same' },
  },
  misdirected: {
    http: { status: 421, title: 'The request was sent to another host', members: null, headers: null },
    sentence: asGiven,
    submitSm: { status: systemError, sentence: 'same' },
  },
  already_exists: ofOperators(409, 'The resource exists already'),
  in_use: ofOperators(409, 'The resource is in use'),
  conflict: ofOperators(409, 'The request conflicts with stored data'),
  does_not_exist: ofOperators(404, 'The resource does not exist'),
  sign_in_refused: ofOperators(401, 'The sign-in is not accepted'),
  too_many_tries: {
    http: {
      status: 429,
      title: 'Too many tries to sign in',
      members: null,
      headers: ({ waitMs }) => ['Retry-After', String(wholeSeconds(waitMs))],
    },
    sentence: asGiven,
    submitSm: { status: systemError, sentence: 'same' },
  },
  internal_error: {
    http: { ...problems.internal_error, status: 500, members: null, headers: null },
    sentence: 'internal error of the gateway: keep the request id and the time, under which its log has the cause',
    submitSm: { status: systemError, sentence: () => 'internal error of the gateway: send the request again later' },
  },
  unavailable: {
    http: {
      ...problems.unavailable,
      status: 503,
      members: null,
      headers: () => ['Retry-After', String(retryAfterSeconds)],
    },
    sentence: asGiven,
    submitSm: { status: systemError, sentence: ({ detail }) => `${detail}: send the request again later` },
  },
};

/** The seconds after which a client may try again: about the time of a restart of the gateway. */
const retryAfterSeconds = 5;

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
  const wait = wholeSeconds(waitMs);
  return [
    'Retry-After',
    String(wait),
    'RateLimit-Policy',
    `"${rule}";q=${count};w=${seconds}`,
    'RateLimit',
    `"${rule}";r=${left};t=${wait}`,
  ];
}

/** Rounds up to whole seconds, with at least one second. */
function wholeSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / secondMs));
}

/** The code that answers, logs and metrics show. It stays the same in later versions. */
export const shownCode = (code: string): string => (code === 'invalid_option' ? 'invalid_tlv' : code);

/** The HTTP status of the answer to a rejection. */
export function httpStatus<C extends RejectionCode>(rejection: Rejection<C>): number {
  return valueOf(refusals[rejection.code].http.status, rejection);
}

/** The additional headers of a refusal, as name, value, name, value. */
export function httpHeaders<C extends RejectionCode>(rejection: Rejection<C>): readonly string[] {
  return refusals[rejection.code].http.headers?.(rejection) ?? [];
}

/** The invalid field of the request; undefined if the rejection is not about a field. */
export function fieldOf<C extends RejectionCode>(rejection: Rejection<C>): string | undefined {
  return refusals[rejection.code].http.members?.(rejection).field;
}

/** The body of a refusal: problem details (RFC 9457 section 3) as JSON with exact amounts. */
export function problemBody<C extends RejectionCode>(rejection: Rejection<C>, requestId: string): string {
  const { http, sentence } = refusals[rejection.code];
  return writeJson({
    type: problemType(shownCode(rejection.code)),
    title: http.title,
    status: valueOf(http.status, rejection),
    detail: valueOf(sentence, rejection),
    code: shownCode(rejection.code),
    ...http.members?.(rejection),
    requestId,
  });
}

/** The command_status of submit_sm_resp, for a client that bound with this interface_version. */
export function submitSmStatus<C extends RejectionCode>(rejection: Rejection<C>, interfaceVersion: number): number {
  const { status } = refusals[rejection.code].submitSm;
  return typeof status === 'number' ? status : status(rejection, interfaceVersion);
}

/** The error text beside the command_status (additional_status_info_text). */
export function submitSmText<C extends RejectionCode>(rejection: Rejection<C>): string {
  const { sentence, submitSm } = refusals[rejection.code];
  return submitSm.sentence === 'same' ? valueOf(sentence, rejection) : submitSm.sentence(rejection);
}

function valueOf<R, Value extends string | number>(column: Value | ((rejection: R) => Value), rejection: R): Value {
  return typeof column === 'function' ? column(rejection) : column;
}
