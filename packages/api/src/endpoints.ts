/* The endpoints of the public HTTP API, with their fields, headers, answers and problems. */

import { optional } from './fields/compose.ts';
import type { FieldTable } from './fields/field.ts';
import { text } from './fields/fields.ts';
import type { ProblemCode } from './problems.ts';
import type { ShapeName } from './shapes.ts';

export interface Endpoint {
  readonly path: string;
  /** The allowed methods. A request with another method gets 405, with the allowed methods in `Allow`. */
  readonly methods: readonly ('GET' | 'HEAD' | 'POST')[];
  readonly summary: string;
  readonly description: string;
  /** The fields of a request: in the query of a GET, and in the body of a POST. */
  readonly request?: ShapeName;
  /** Request headers that only this endpoint reads. */
  readonly requestHeaders?: FieldTable;
  /** Response headers that only a 200 of this endpoint has. */
  readonly responseHeaders?: FieldTable;
  /** The fields of the answer. Undefined for the endpoint of the OpenAPI document. */
  readonly response?: ShapeName;
  readonly problems: readonly ProblemCode[];
}

const always = ['malformed_request', 'request_timeout', 'too_large', 'internal_error'] as const;
const withToken = [...always, 'unsupported_media_type', 'unauthorized', 'forbidden', 'unavailable'] as const;

/** Problems of the message itself, which `send` and `quote` both answer. */
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

const idempotencyKey = optional(
  text({
    summary:
      'The idempotency key, as an alternative to the field `idempotencyKey`. The field may also be next to `data`, or in the query of a POST',
  }),
);

/** Every endpoint of the public HTTP API. */
export const endpoints = {
  send: {
    path: '/sms/send',
    methods: ['GET', 'POST'],
    summary: 'Send a message',
    description:
      'Accepts a message for delivery and deducts its cost. After an error, nothing is charged or stored. A client may repeat a request with an idempotency key for 7 days: the message is sent once, and each request gets the same answer.',
    request: 'SendRequest',
    requestHeaders: { 'Idempotency-Key': idempotencyKey },
    response: 'SendResult',
    responseHeaders: {
      'Idempotency-Replayed': text({
        summary: '`true` if an earlier request with the same key sent the message. Nothing was sent or charged again',
      }),
    },
    problems: [...withMessage, 'insufficient_balance', 'idempotency_conflict'],
  },
  quote: {
    path: '/sms/quote',
    methods: ['GET', 'POST'],
    summary: 'Show what a message would cost',
    description:
      'Checks a message like send, but does not charge, send or store the message. If the balance is too low, quote answers 200 with `isCovered` false. Quote does not use up the idempotency key. If the key belongs to an earlier send of the same message, `isReplay` is true. If the key belongs to another message, quote refuses the request.',
    request: 'SendRequest',
    requestHeaders: { 'Idempotency-Key': idempotencyKey },
    response: 'Quote',
    problems: [...withMessage, 'idempotency_conflict'],
  },
  dlr: {
    path: '/sms/dlr',
    methods: ['GET', 'POST'],
    summary: 'Check delivery status',
    description: 'Answers the current event of a message. It is available as soon as send has answered.',
    request: 'DeliveryRequest',
    response: 'DeliveryReport',
    problems: [...withToken, 'missing_parameter', 'invalid_parameter', 'message_not_found'],
  },
  cancel: {
    path: '/sms/cancel',
    methods: ['POST'],
    summary: 'Cancel a message',
    description:
      'Cancels the parts of a message that were not sent yet, and answers the delivery report with `parts`. Parts that no carrier got are refunded, unless the refund policy of the account is `never`. A repeated cancel changes nothing and gets the same answer.',
    request: 'CancelRequest',
    response: 'DeliveryReport',
    problems: [...withToken, 'missing_parameter', 'message_not_found', 'too_late'],
  },
  balance: {
    path: '/sms/balance',
    methods: ['GET', 'POST'],
    summary: 'Read the balance',
    description: 'Answers the balance of the account and its currency.',
    request: 'BalanceRequest',
    response: 'Balance',
    problems: withToken,
  },
  health: {
    path: '/health',
    methods: ['GET', 'HEAD'],
    summary: 'Check that the process is alive',
    description: 'Answers 200 while the process is running.',
    response: 'Status',
    problems: always,
  },
  ready: {
    path: '/ready',
    methods: ['GET', 'HEAD'],
    summary: 'Check that messages are accepted',
    description:
      'Answers 200 while messages are accepted, and 503 while the service starts, drains or cannot store messages. `/ready?carriers=1` also answers 503 while no carrier has a bound link; messages are then accepted and wait.',
    response: 'Status',
    problems: [...always, 'unavailable'],
  },
  openapi: {
    path: '/openapi.json',
    methods: ['GET'],
    summary: 'Get the OpenAPI document',
    description: 'Answers the OpenAPI document of the running version.',
    problems: always,
  },
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof endpoints;

/** `/v1/sms/send` is the same endpoint as `/sms/send`. Version 1 never changes. */
export function pathsOf({ path }: Pick<Endpoint, 'path'>): readonly string[] {
  return path.startsWith('/sms/') ? [path, `/v1${path}`] : [path];
}
