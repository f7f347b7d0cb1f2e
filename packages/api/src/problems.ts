/**
 * The problems (errors) of the public HTTP API. Existing codes and statuses never change; later versions may add codes.
 * The bodies are RFC 9457 problem details.
 */
export const problems = {
  malformed_request: {
    statuses: [400],
    title: 'The request cannot be read',
    meaning:
      'The body cannot be read, a field has the wrong type, a parameter or JSON member is repeated, or the request has two different tokens.',
  },
  missing_parameter: {
    statuses: [400],
    title: 'A field is missing',
    meaning: 'A required field is missing, empty or blank; `field` is its name.',
  },
  invalid_parameter: {
    statuses: [400],
    title: 'A field is invalid',
    meaning: 'A field has a form or a value that is not allowed; `field` is its name.',
  },
  invalid_sender: {
    statuses: [400],
    title: 'The sender is invalid',
    meaning: 'The sender must be an international number, a short code or an alphanumeric sender.',
  },
  text_not_encodable: {
    statuses: [400],
    title: 'The text cannot be encoded',
    meaning:
      'The text has a character that its `dcs` cannot encode, U+0000, or half of a surrogate pair. `character` is this character, and `position` its place in code points from 0.',
  },
  text_too_long: {
    statuses: [400],
    title: 'The text has too many parts',
    meaning: 'The text needs `numParts` parts, but only `maxParts` parts are allowed.',
  },
  unauthorized: {
    statuses: [401],
    title: 'The token is not accepted',
    meaning: 'The token is missing, unknown, revoked or expired.',
  },
  insufficient_balance: {
    statuses: [402],
    title: 'The balance is too low',
    meaning: 'The message costs `totalCost`, but the balance is only `clientBalance`, both in `clientCurrency`.',
  },
  spend_cap_reached: {
    statuses: [402],
    title: 'The account has reached its spend cap',
    meaning:
      'The message costs `totalCost`, but the account has already spent `spent` of its `cap` in this `period` (`day` or `month`). Amounts are in `clientCurrency`. The period ends at `endsAt`, after the seconds in `Retry-After`.',
  },
  forbidden: {
    statuses: [403],
    title: 'Not allowed',
    meaning:
      'The account is suspended, the address of the client is not allowed, or the token does not permit this request.',
  },
  sender_not_allowed: {
    statuses: [403],
    title: 'The sender is not allowed',
    meaning: 'The account may not use this sender; `rule` is `senders`.',
  },
  message_not_found: {
    statuses: [404],
    title: 'No such message',
    meaning: 'The account has no message with this id.',
  },
  not_found: {
    statuses: [404],
    title: 'No such address',
    meaning: 'The path does not exist.',
  },
  method_not_allowed: {
    statuses: [405],
    title: 'The method is not allowed',
    meaning: 'The path allows only the methods in the `Allow` header.',
  },
  request_timeout: {
    statuses: [408],
    title: 'The request took too long',
    meaning: 'The client did not send the whole request in time.',
  },
  idempotency_conflict: {
    statuses: [409],
    title: 'The idempotency key was used for another request',
    meaning: 'An earlier, different request had the same idempotency key.',
  },
  too_large: {
    statuses: [413, 414, 431],
    title: 'The request is too large',
    meaning: 'The body (413), the request line (414) or the headers (431) are too large.',
  },
  unsupported_media_type: {
    statuses: [415],
    title: 'The encoding is not supported',
    meaning: 'The body must be JSON or a URL-encoded form, in UTF-8, without a content encoding.',
  },
  no_route: {
    statuses: [422],
    title: 'No route to the receiver',
    meaning: 'The service has no carrier for messages to this receiver.',
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
      'The account may not send to this destination. `rule` is the reason: `countries`, `premium` (premium-rate or shared-cost number), `unknown` (number range not known to be in use) or `fixed-line`.',
  },
  receiver_opted_out: {
    statuses: [422],
    title: 'The receiver has opted out',
    meaning:
      'The receiver has opted out of messages from this sender or account, for example by STOP. The receiver can opt in again by START.',
  },
  too_late: {
    statuses: [409],
    title: 'It is too late to cancel',
    meaning:
      'Every part of the message is already sent or final. `event` is the current event of the message. Nothing was changed.',
  },
  rate_limited: {
    statuses: [429],
    title: 'Too many requests',
    meaning:
      'The account has reached a limit. Try again after the seconds in `Retry-After`. `rule` and the headers `RateLimit-Policy` and `RateLimit` name the limit: `rate` (parts), `receiver-velocity` (messages to one receiver), `prefix-velocity` (messages to numbers with the same first digits), or `repeat` (the same text to one receiver).',
  },
  internal_error: {
    statuses: [500],
    title: 'Internal error',
    meaning: 'An error in the service. Its logs have the details under the request id.',
  },
  unavailable: {
    statuses: [503],
    title: 'Not available now',
    meaning: 'The service cannot accept the request now. Try again after the seconds in `Retry-After`.',
  },
} as const satisfies Record<string, ProblemKind>;

export interface ProblemKind {
  /** The HTTP statuses with which the problem is answered. Nearly every problem has only one. */
  readonly statuses: readonly [number, ...number[]];
  /** A title that is the same in every answer with this problem (RFC 9457, section 3.1.3). */
  readonly title: string;
  readonly meaning: string;
}

export type ProblemCode = keyof typeof problems;

/** The `type` of a problem (RFC 9457, section 3.1.1): an identifier, not an address to fetch. */
export function problemType(code: string): string {
  return `urn:morsel:problem:${code}`;
}
