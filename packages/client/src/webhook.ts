/* The class `Webhook`: verifies the signature of webhook requests (Standard Webhooks) and reads their notifications. */

import { bodyMax, joined, readBody, type Body, type Octets } from './body.ts';
import { invalid, needObject } from './morsel-error.ts';
import { readNotice, type Notice } from './notices.ts';
import { WebhookError } from './webhook-error.ts';

export interface WebhookOptions {
  /**
   * One or several secrets (`whsec_…`) from the operator. While a secret is being replaced, pass both the old and the
   * new secret.
   */
  readonly secrets: string | readonly string[];
  /**
   * The largest difference in seconds between the timestamp of a request and the current time (default: 300, as in
   * Standard Webhooks).
   */
  readonly toleranceSeconds?: number;
}

/** The headers of a request: an object as in `node:http` and its frameworks, or the `headers` of a `Request`. */
export type DeliveryHeaders =
  | { readonly [name: string]: string | readonly string[] | undefined }
  | { get(name: string): string | null };

export interface Delivery {
  readonly headers: DeliveryHeaders;
  /**
   * The signed octets, unchanged: the body, or the query of a GET without the `?`. Do not pass a body that was parsed
   * and serialised again, because its octets differ.
   */
  readonly payload: string | Uint8Array;
}

export interface Verified {
  /**
   * The id of the notification, which is the same at each try. If you already have a notification with this id, answer
   * 200 and do nothing else.
   */
  readonly id: string;
  /** The time at which the gateway made this try. */
  readonly time: Date;
}

export interface VerifiedNotice extends Verified {
  readonly notice: Notice;
}

/** The parts of `Request` that this class uses. */
export interface FetchRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  readonly body: Body | null;
}

/** The most signatures to check. Normally a request has one signature, or two while the operator replaces a secret. */
const signaturesMax = 16;

/** Verifies and reads the requests that a webhook gets (Standard Webhooks). */
export class Webhook {
  readonly #keys: readonly Promise<Key>[];
  readonly #toleranceSeconds: number;

  /**
   * Throws a `MorselError` of kind `invalid` if no secret is given, or a secret is not `whsec_` and base64 of 24 to 64
   * octets.
   */
  constructor(options: WebhookOptions) {
    needObject('options', options, 'an object with secrets');
    const { secrets, toleranceSeconds = 300 } = options;
    const list = typeof secrets === 'string' ? [secrets] : secrets;
    if (!Array.isArray(list) || list.length === 0)
      throw invalid('secrets', 'must be a secret (whsec_…) or a list of secrets');
    if (typeof toleranceSeconds !== 'number' || !(toleranceSeconds >= 0))
      throw invalid('toleranceSeconds', 'must be a number of 0 or more');
    this.#keys = list.map((secret) => importKey(secretOf(secret)));
    this.#toleranceSeconds = toleranceSeconds;
  }

  /**
   * Verifies a request and reads its notification. Rejects with a `WebhookError` if the request cannot be trusted or
   * read. Rejects with a `MorselError` of kind `invalid` if an argument has the wrong type, such as a parsed body.
   */
  async verify(delivery: Delivery): Promise<VerifiedNotice> {
    const verified = await this.verifySignature(delivery);
    return { ...verified, notice: readNotice(octetsOf(delivery.payload)) };
  }

  /** Verifies a `Request` of the `fetch` standard and reads its notification. Rejects as `verify` does. */
  async verifyRequest(request: FetchRequest): Promise<VerifiedNotice> {
    needObject('request', request, 'the received Request');
    const { method, headers, url } = request;
    if (typeof url !== 'string') throw invalid('request', 'must have a url');
    const payload = method === 'GET' ? queryOf(url) : await bodyOf(request);
    return this.verify({ headers, payload });
  }

  /** Verifies only the signature, for webhooks whose fields were renamed. Rejects as `verify` does. */
  async verifySignature(delivery: Delivery): Promise<Verified> {
    needObject('delivery', delivery, 'an object with headers and payload');
    const { headers, payload } = delivery;
    needObject('headers', headers, 'the headers of the request');
    const id = headerOf(headers, 'webhook-id');
    const seconds = headerOf(headers, 'webhook-timestamp');
    const signatures = headerOf(headers, 'webhook-signature');
    if (!/^\d{1,11}$/.test(seconds))
      throw new WebhookError('bad_timestamp', 'the header webhook-timestamp is not a number');
    const time = new Date(Number(seconds) * 1_000);
    if (Math.abs(Date.now() - time.getTime()) > this.#toleranceSeconds * 1_000) {
      throw new WebhookError('bad_timestamp', 'the time in webhook-timestamp differs too much from the current time');
    }
    const signed = joined([new TextEncoder().encode(`${id}.${seconds}.`), octetsOf(payload)]);
    const given = signatures.split(' ').slice(0, signaturesMax).flatMap(signatureOf);
    for (const key of this.#keys) {
      for (const signature of given) {
        // Web Cryptography compares signatures in constant time.
        if (await crypto.subtle.verify('HMAC', await key, signature, signed)) return { id, time };
      }
    }
    throw new WebhookError('bad_signature', 'no signature of the request matches a secret');
  }
}

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const prefix = 'whsec_';
/**
 * The least and the most octets of a secret (Standard Webhooks). A shorter secret was probably not copied completely.
 */
const keyMin = 24;
const keyMax = 64;

function secretOf(secret: string): Octets {
  const base64 = typeof secret === 'string' && secret.startsWith(prefix) ? secret.slice(prefix.length) : undefined;
  const octets = base64 === undefined ? undefined : fromBase64(base64);
  if (!octets || base64?.length !== Math.ceil(octets.length / 3) * 4)
    throw invalid('secrets', 'must be whsec_ followed by padded base64');
  if (octets.length < keyMin || octets.length > keyMax)
    throw invalid('secrets', `must have ${keyMin} to ${keyMax} octets after whsec_; check that the secret is complete`);
  return octets;
}

function importKey(secret: Octets): Promise<Key> {
  if (globalThis.crypto?.subtle === undefined) {
    throw invalid('crypto', 'is missing: this package needs Web Cryptography at globalThis.crypto (Node 20 or newer)');
  }
  return crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** Decodes a signature. For a signature of another version, returns an empty list, so that it is skipped. */
function signatureOf(text: string): Octets[] {
  const octets = text.startsWith('v1,') ? fromBase64(text.slice('v1,'.length)) : undefined;
  return octets ? [octets] : [];
}

/** Decodes base64 with or without padding. Undefined if the text is not what these octets are encoded as. */
function fromBase64(text: string): Octets | undefined {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  try {
    const octets = atob(text);
    if (!btoa(octets).startsWith(text)) return undefined;
    return Uint8Array.from(octets, (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function headerOf(headers: DeliveryHeaders, name: string): string {
  const value = typeof headers.get === 'function' ? headers.get(name) : valueOf(headers, name);
  if (typeof value !== 'string' || value === '')
    throw new WebhookError('missing_header', `the request has no header ${name}`);
  return value;
}

/** Finds a header and ignores the case of its name. `node:http` returns a repeated header as a list. */
function valueOf(headers: Readonly<Record<string, unknown>>, name: string): unknown {
  const found = Object.keys(headers).find((each) => each.toLowerCase() === name);
  const value = found === undefined ? undefined : headers[found];
  return Array.isArray(value) ? value.join(' ') : value;
}

function octetsOf(payload: string | Uint8Array): Uint8Array {
  if (typeof payload === 'string') return new TextEncoder().encode(payload);
  if (ArrayBuffer.isView(payload)) return payload;
  throw invalid('payload', 'must be the unparsed body, as a string or octets');
}

/** Returns the query of a URL, unchanged, because its octets are signed. */
function queryOf(url: string): string {
  const [address = ''] = url.split('#');
  const at = address.indexOf('?');
  return at === -1 ? '' : address.slice(at + 1);
}

async function bodyOf({ body }: FetchRequest): Promise<Uint8Array> {
  if (!body) return new Uint8Array();
  const octets = await readBody(body).catch(() => {
    throw new WebhookError('unreadable', 'the body is incomplete or was read before');
  });
  if (!octets) throw new WebhookError('too_large', `the body has more than ${bodyMax} octets`);
  return octets;
}
