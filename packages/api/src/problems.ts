/**
 * Every problem of the public HTTP API: its `code`, HTTP statuses and meaning. Codes and statuses never change; new
 * ones may come. Bodies are RFC 9457 problem details.
 */
export const problems = {
  malformed_request: {
    statuses: [400],
    title: 'The request cannot be read',
    meaning:
      'The body cannot be read, a field has the wrong type, a parameter or a JSON member came twice, or two different tokens came.',
  },
  missing_parameter: {
    statuses: [400],
    title: 'A field is missing',
    meaning: 'A required field is missing, empty or nothing but blanks; `field` names it.',
  },
  invalid_parameter: {
    statuses: [400],
    title: 'A field has a bad form',
    meaning: 'A field has a form or a value that is not allowed; `field` names it.',
  },
  invalid_sender: {
    statuses: [400],
    title: 'The sender has a bad form',
    meaning: 'The sender is no international number, no short code and no alphanumeric sender.',
  },
  text_not_encodable: {
    statuses: [400],
    title: 'The text cannot be encoded',
    meaning:
      'The text has a character that its `dcs` cannot carry, U+0000, or half of a surrogate pair: `character`, at `position` counted in code points from 0.',
  },
  text_too_long: {
    statuses: [400],
    title: 'The text has too many parts',
    meaning: 'The text needs `numParts` parts where `maxParts` are allowed.',
  },
  unauthorized: {
    statuses: [401],
    title: 'The token is not accepted',
    meaning: 'The token is missing, unknown, revoked or expired.',
  },
  insufficient_balance: {
    statuses: [402],
    title: 'The balance is too low',
    meaning: 'The message costs `totalCost` and the balance is `clientBalance`, both in `clientCurrency`.',
  },
  spend_cap_reached: {
    statuses: [402],
    title: 'The account has reached its spend cap',
    meaning:
      'The message costs `totalCost`, and of the `cap` of the `period` (`day` or `month`) `spent` is spent, all in `clientCurrency`; the period ends at `endsAt`, and `Retry-After` says in how many seconds.',
  },
  forbidden: {
    statuses: [403],
    title: 'Not allowed',
    meaning: 'The account is suspended, the address is not in its allow list, or the token may not do this.',
  },
  sender_not_allowed: {
    statuses: [403],
    title: 'The sender is not allowed',
    meaning: 'The account may not send from this sender; `rule` is `senders`.',
  },
  message_not_found: {
    statuses: [404],
    title: 'No such message',
    meaning: 'The account has no message with this id.',
  },
  not_found: {
    statuses: [404],
    title: 'No such address',
    meaning: 'Nothing is served at this path.',
  },
  method_not_allowed: {
    statuses: [405],
    title: 'The method is not allowed',
    meaning: 'The path is served for the methods in the `Allow` header only.',
  },
  request_timeout: {
    statuses: [408],
    title: 'The request took too long',
    meaning: 'The request did not come to its end in time.',
  },
  idempotency_conflict: {
    statuses: [409],
    title: 'The idempotency key was used for another request',
    meaning: 'A different request came with the same idempotency key before.',
  },
  too_large: {
    statuses: [413, 414, 431],
    title: 'The request is too large',
    meaning: 'The body (413), the request line (414) or the headers (431) are over their limit.',
  },
  unsupported_media_type: {
    statuses: [415],
    title: 'The encoding is not supported',
    meaning:
      'The body is multipart, or has a charset or a content encoding that is not read here: it must be JSON or a form, in plain UTF-8.',
  },
  no_route: {
    statuses: [422],
    title: 'No route to the receiver',
    meaning: 'No carrier takes messages to this receiver.',
  },
  no_price: {
    statuses: [422],
    title: 'No price for the receiver',
    meaning: 'The price list of the account has no price for this receiver.',
  },
  destination_blocked: {
    statuses: [422],
    title: 'The destination is blocked',
    meaning:
      'Messages to this destination are not carried for this account; `rule` says why: `countries`, `premium` (numbers of premium rate or shared cost), `unknown` (ranges that are not known to be in use) or `fixed-line` (numbers of fixed lines).',
  },
  receiver_opted_out: {
    statuses: [422],
    title: 'The receiver has opted out',
    meaning:
      'The receiver wrote STOP, or asked otherwise for no more messages of this sender or account; START from its phone takes it back.',
  },
  too_late: {
    statuses: [409],
    title: 'It is too late to cancel',
    meaning:
      'Every part of the message is with a carrier, on its way to one, or at its end already; `event` says how it stands. Nothing was changed.',
  },
  rate_limited: {
    statuses: [429],
    title: 'Too many requests',
    meaning:
      'The account sends faster than it may; `Retry-After` says when to try again. `rule` and the headers `RateLimit-Policy` and `RateLimit` say which limit it is: `rate` (parts), `receiver-velocity`, `prefix-velocity` (messages to one receiver, or to numbers that begin alike), or `repeat` (the same text to one receiver).',
  },
  internal_error: {
    statuses: [500],
    title: 'Internal error',
    meaning: 'A fault of the service, logged under the request id.',
  },
  unavailable: {
    statuses: [503],
    title: 'Not available now',
    meaning: 'The service cannot take the request now; `Retry-After` says when to try again.',
  },
} as const satisfies Record<string, ProblemKind>;

export interface ProblemKind {
  /** Its HTTP statuses; nearly always one. */
  readonly statuses: readonly [number, ...number[]];
  /** A short sentence that is always the same (RFC 9457 section 3.1.3). */
  readonly title: string;
  readonly meaning: string;
}

export type ProblemCode = keyof typeof problems;

/** The `type` member of a problem (RFC 9457 section 3.1.1): a name of its kind, not an address to fetch. */
export function problemType(code: string): string {
  return `urn:morsel:problem:${code}`;
}
