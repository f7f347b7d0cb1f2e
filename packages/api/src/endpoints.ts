/* Every endpoint of the public HTTP API: fields, headers, answers and problems. */

import type { TObject } from 'typebox';
import { paths } from './paths.ts';
import type { EndpointName, EndpointPath } from './paths.ts';
import type { ProblemCode } from './problems.ts';
import {
  Balance,
  BalanceRequest,
  CancelRequest,
  DeliveryReport,
  DeliveryRequest,
  Quote,
  SendRequest,
  SendResult,
  Status,
} from './shapes.ts';

/** A header of a request or an answer. */
export interface NamedHeader {
  readonly name: string;
  readonly description: string;
}

export interface Endpoint extends EndpointPath {
  readonly summary: string;
  readonly description: string;
  /** The fields: in the query of a GET, in the body of a POST. */
  readonly request?: TObject;
  /** Headers of a request, beside those of every request. */
  readonly requestHeaders?: readonly NamedHeader[];
  /** Headers of a 200, beside those of every answer. */
  readonly responseHeaders?: readonly NamedHeader[];
  /** The body of a 200; undefined if it is another kind of document. */
  readonly response?: TObject;
  readonly problems: readonly ProblemCode[];
}

const always = ['malformed_request', 'request_timeout', 'too_large', 'internal_error'] as const;
const withToken = [...always, 'unsupported_media_type', 'unauthorized', 'forbidden', 'unavailable'] as const;

/** Problems of a message itself; a quote of it has the same. */
const withMessage = [
  ...withToken,
  'missing_parameter',
  'invalid_parameter',
  'invalid_sender',
  'text_not_encodable',
  'text_too_long',
  'spend_cap_reached',
  'sender_not_allowed',
  'destination_blocked',
  'rate_limited',
  'receiver_opted_out',
  'no_route',
  'no_price',
] as const;

/** Everything that the public API serves. */
const idempotencyKey: NamedHeader = {
  name: 'Idempotency-Key',
  description:
    'The same as the field `idempotencyKey`; one of them is enough. The field may also stand beside `data`, or in the query of a POST.',
};

export const endpoints = {
  send: {
    ...paths.send,
    summary: 'Send a message',
    description:
      'Accepts a message for delivery and deducts its cost. No error ever charges or stores anything. With an idempotency key the same request may be repeated for 7 days: it is accepted once, and answered alike each time.',
    request: SendRequest,
    requestHeaders: [idempotencyKey],
    response: SendResult,
    responseHeaders: [
      {
        name: 'Idempotency-Replayed',
        description:
          '`true` for the answer of an earlier request with the same key: nothing was sent or charged again.',
      },
    ],
    problems: [...withMessage, 'insufficient_balance', 'idempotency_conflict'],
  },
  quote: {
    ...paths.quote,
    summary: 'Ask what a message would cost',
    description:
      'Takes what send takes and refuses what send refuses, but charges, sends and keeps nothing. Only a balance that does not suffice is no error here: `isCovered` tells. An idempotency key is not used up: one of another request is refused, and `isReplay` tells that it stands for this one already.',
    request: SendRequest,
    requestHeaders: [idempotencyKey],
    response: Quote,
    problems: [...withMessage, 'idempotency_conflict'],
  },
  dlr: {
    ...paths.dlr,
    summary: 'Check delivery status',
    description: 'The current event of a message. A message just accepted can be asked for at once.',
    request: DeliveryRequest,
    response: DeliveryReport,
    problems: [...withToken, 'missing_parameter', 'invalid_parameter', 'message_not_found'],
  },
  cancel: {
    ...paths.cancel,
    summary: 'Cancel a message',
    description:
      'Cancels the parts of a message that were not sent yet, and answers its delivery report with `parts`. Parts that no carrier got are refunded, unless the refund policy of the account is `never`. Canceling once more changes nothing and is answered alike.',
    request: CancelRequest,
    response: DeliveryReport,
    problems: [...withToken, 'missing_parameter', 'message_not_found', 'too_late'],
  },
  balance: {
    ...paths.balance,
    summary: 'Read the balance',
    description: 'The balance of the account and its currency.',
    request: BalanceRequest,
    response: Balance,
    problems: withToken,
  },
  health: {
    ...paths.health,
    summary: 'Whether the process lives',
    description: 'Answers 200 as long as the process can answer at all.',
    response: Status,
    problems: always,
  },
  ready: {
    ...paths.ready,
    summary: 'Whether requests are taken',
    description: 'Answers 200 when messages are accepted, and 503 while the service starts, drains or cannot store.',
    response: Status,
    problems: [...always, 'unavailable'],
  },
  openapi: {
    ...paths.openapi,
    summary: 'This document',
    description: 'The OpenAPI description of what runs.',
    problems: always,
  },
} as const satisfies Record<EndpointName, Endpoint>;
