/* The callback of a message: the URL that gets the receipts of this message, and the events that it gets. */

import type { ClientApiName, WebhookMethod } from '@morsel/api/client-apis.ts';
import { callbackEvents, partEnds, type CallbackEvent } from '@morsel/api/values/message.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import { invalid, type Rejection } from '../base/rejection.ts';
import type { OutwardCalls } from '../notification/webhook.ts';
import { forbiddenHost, ofCallback, readWebhookUrl } from '../notification/webhook-url.ts';

export interface MessageCallback {
  /** The API with which the client sent the message, and the form of its notifications. */
  readonly api: ClientApiName;
  readonly method: WebhookMethod;
  /** It may contain a secret key, so it is in no log, metric or error. */
  readonly url: string;
  /** In the order of `callbackEvents`. */
  readonly events: readonly CallbackEvent[];
  /** What the API needs to write the notifications, and no other code reads. */
  readonly fields: { readonly [name: string]: string };
}

/** A callback as an API of clients read it. Without events it gets the final ones. */
export interface GivenCallback extends Omit<MessageCallback, 'events'> {
  readonly events?: readonly string[] | undefined;
}

/** The most characters of `fields` as JSON. */
const fieldsMax = 4_000;

/** Parses and checks a callback. The result is the same at any time. */
export function readCallback({
  events: asked = partEnds,
  ...given
}: GivenCallback): Result<MessageCallback, Rejection> {
  const read = readWebhookUrl(given.url, ofCallback);
  if (!read.ok) return invalid('callbackUrl', `callbackUrl: ${read.error}`);
  const url = read.value.text;
  if (url.length > ofCallback.lengthMax)
    return invalid('callbackUrl', `callbackUrl: must have at most ${ofCallback.lengthMax} characters, percent-encoded`);
  const events = callbackEvents.filter((each) => asked.includes(each));
  if (events.length === 0 || events.length < new Set(asked).size)
    return invalid('callbackEvents', `callbackEvents must be a list of ${callbackEvents.join(', ')}`);
  if (JSON.stringify(given.fields).length > fieldsMax)
    return invalid('callbackUrl', `what comes with callbackUrl must have at most ${fieldsMax} characters`);
  return ok({ ...given, url, events });
}

/** Why an account may not use this callback now; undefined if it may. */
export function refusalOfCallback(
  { url }: MessageCallback,
  callbacks: OutwardCalls | undefined,
): Result<never, Rejection> | undefined {
  if (!callbacks)
    return invalid(
      'callbackUrl',
      'the account has no callback secret yet: ask the operator to make one with account callback-secret',
    );
  const read = readWebhookUrl(url, ofCallback);
  const leads = read.ok ? forbiddenHost(read.value.host, callbacks.allowed) : 'cannot be read';
  return leads === undefined
    ? undefined
    : invalid(
        'callbackUrl',
        `callbackUrl ${leads}: ask the operator to permit this address with account set --callback-allow`,
      );
}
