/* Example requests and answers of every endpoint, for the OpenAPI document. A test sends each request to a real gateway. */

import type { Json } from './fields/exact-json.ts';
import type { EndpointName } from './endpoints.ts';

/** An example of an endpoint. A client can send the request with its own token in `auth`. */
export interface Example {
  readonly name: string;
  readonly summary: string;
  /** Undefined if the request has no fields. */
  readonly request?: Fields;
  /** The body of a POST, if it differs from `request`. */
  readonly body?: { readonly data: Fields };
  readonly response: Fields;
}

type Fields = Readonly<Record<string, Json>>;

const auth = 'morsel_your_token';
const msgId = '1021343289970688';
const message = { auth, sender: '+41791112233', receiver: '+41791234567', text: 'Hello', dcs: 'SMS' };
const accepted = {
  msgId,
  numParts: 1,
  totalCost: 0.0075,
  clientBalance: 99.9925,
  clientCurrency: 'EUR',
};
const code = {
  ...message,
  text: 'Your code is 123456',
  clientRef: 'login-4711',
  validity: 300,
  priority: 'high',
  idempotencyKey: 'login-4711',
};
const times = { sendTime: '2026-01-31T12:00:00Z', dlrTime: '2026-01-31T12:00:02Z' };

/** The first example of an endpoint is also the example of its GET. */
export const examples: Readonly<Record<EndpointName, readonly [Example, ...Example[]]>> = {
  send: [
    { name: 'message', summary: 'A message', request: message, response: accepted },
    {
      name: 'data',
      summary: 'A message with its fields under `data`',
      request: message,
      body: { data: message },
      response: accepted,
    },
    {
      name: 'code',
      summary: 'A one-time code: high priority, valid for five minutes, and sent once even if the request is repeated',
      request: code,
      response: accepted,
    },
    {
      name: 'flash',
      summary: 'A flash message in Unicode, which the phone shows at once',
      request: { ...message, text: 'Grüße 🙂', dcs: 'UCS', flash: true },
      response: accepted,
    },
  ],
  quote: [
    {
      name: 'message',
      summary: 'The cost of a message, and the characters that require Unicode',
      request: { ...message, text: 'See you at 8 🙂' },
      response: {
        numParts: 1,
        encoding: 'UCS',
        ucsCount: 1,
        ucsCharacters: [{ character: '🙂', position: 13 }],
        unitPrice: 0.0075,
        totalCost: 0.0075,
        clientBalance: 99.9925,
        balanceAfter: 99.985,
        isCovered: true,
        isReplay: false,
        clientCurrency: 'EUR',
        routePrefix: '41',
      },
    },
  ],
  dlr: [
    {
      name: 'event',
      summary: 'The current event of a message',
      request: { auth, messageId: msgId },
      response: { msgId, event: 'delivered', numParts: 1, ...times },
    },
    {
      name: 'details',
      summary: 'The current event of a message and of its parts',
      request: { auth, messageId: msgId, details: '1' },
      response: {
        msgId,
        event: 'delivered',
        numParts: 1,
        ...times,
        parts: [{ part: 1, event: 'delivered', dlrTime: times.dlrTime }],
      },
    },
  ],
  cancel: [
    {
      name: 'cancel',
      summary: 'Cancel a message that was not sent yet',
      request: { auth, messageId: msgId },
      response: {
        msgId,
        event: 'canceled',
        numParts: 1,
        ...times,
        parts: [{ part: 1, event: 'canceled', dlrTime: times.dlrTime }],
      },
    },
  ],
  balance: [
    {
      name: 'balance',
      summary: 'The balance of the account',
      request: { auth },
      response: { clientBalance: 99.9925, clientCurrency: 'EUR' },
    },
  ],
  health: [{ name: 'health', summary: 'The process is alive', response: { status: 'ok' } }],
  ready: [{ name: 'ready', summary: 'Messages are accepted', response: { status: 'ready' } }],
  openapi: [{ name: 'document', summary: 'The OpenAPI document', response: { openapi: '3.1.0' } }],
};
