/* `Webhook`: verifies the signature of what a webhook gets, by Standard Webhooks, and reads it. */

import { readBody } from './body.ts';
import type { Body } from './body.ts';
import { FieldError } from './fields.ts';
import { invalid, needObject } from './morsel-error.ts';
import { readNotice } from './notices.ts';
import type { Notice } from './notices.ts';

/**
 * - `missing_header`: the three headers are not complete, of Standard Webhooks.
 * - `bad_timestamp`: it was signed too long ago, or by a clock that is ahead.
 * - `bad_signature`: no signature is by one of the secrets.
 * - `too_large`: its body is over the limit.
 * - `unreadable`: it is signed, but is no notification: does the operator rename its fields?
 */
export type WebhookErrorCode = 'missing_header' | 'bad_timestamp' | 'bad_signature' | 'too_large' | 'unreadable';

/** A request that cannot be trusted or read. The error has nothing of its content or of a secret. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export interface WebhookOptions {
  /** `whsec_…` from the operator, one or more: while a secret is replaced, the old and the new one. */
  readonly secrets: string | readonly string[];
  /** Most seconds between its timestamp and now (default: 300, as in Standard Webhooks). */
  readonly toleranceSeconds?: number;
}

/** Headers of `node:http` and frameworks on it, or of a `Request`. */
export type DeliveryHeaders =
  | { readonly [name: string]: string | readonly string[] | undefined }
  | { get(name: string): string | null };

export interface Delivery {
  readonly headers: DeliveryHeaders;
  /**
   * The signed octets, unchanged: the body, or the query of a GET without the `?`. A body that was parsed and
   * serialised again has other octets.
   */
  readonly payload: string | Uint8Array;
}

export interface Verified {
  /** The same at every try. Answer 200 to an id that you already have, and do nothing else. */
  readonly id: string;
  /** The time of this try. */
  readonly time: Date;
}

export interface VerifiedNotice extends Verified {
  readonly notice: Notice;
}

/** The used part of `Request`. */
export interface FetchRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  readonly body: Body | null;
}

/** A notification has a few hundred octets, a text of 255 parts about 100 KB. */
const bodyMax = 1024 * 1024;
/** Operators replace secrets one at a time. */
const signaturesMax = 16;

/** Verifies and reads the requests of a webhook (Standard Webhooks). */
export class Webhook {
  readonly #keys: readonly Promise<Key>[];
  readonly #toleranceSeconds: number;

  /** Throws a `MorselError` of kind `invalid` without a secret, or for one that is not `whsec_` and base64 of 24 to 64 octets. */
  constructor(options: WebhookOptions) {
    needObject('options', options, 'an object with secrets');
    const { secrets, toleranceSeconds = 300 } = options;
    const list = typeof secrets === 'string' ? [secrets] : secrets;
    if (!Array.isArray(list) || list.length === 0) throw invalid('secrets', 'must be whsec_… or a list of such');
    if (typeof toleranceSeconds !== 'number' || !(toleranceSeconds >= 0))
      throw invalid('toleranceSeconds', 'must be a number, and not below 0');
    this.#keys = list.map((secret) => importKey(secretOf(secret)));
    this.#toleranceSeconds = toleranceSeconds;
  }

  /**
   * Verifies a request and reads its notification. Rejects with a `WebhookError`, or with a `MorselError` of kind
   * `invalid` for a payload of another type, such as a parsed body.
   */
  async verify(delivery: Delivery): Promise<VerifiedNotice> {
    const verified = await this.verifySignature(delivery);
    return { ...verified, notice: noticeOf(octetsOf(delivery.payload)) };
  }

  /** The same for a `Request` of the `fetch` standard. */
  async verifyRequest(request: FetchRequest): Promise<VerifiedNotice> {
    needObject('request', request, 'the Request that came');
    const { method, headers, url } = request;
    if (typeof url !== 'string') throw invalid('request', 'has to have the url that was asked for');
    const payload = method === 'GET' ? queryOf(url) : await bodyOf(request);
    return this.verify({ headers, payload });
  }

  /** Verifies only the signature: for webhooks with renamed fields. Rejects as `verify` does. */
  async verifySignature(delivery: Delivery): Promise<Verified> {
    needObject('delivery', delivery, 'an object with headers and payload');
    const { headers, payload } = delivery;
    needObject('headers', headers, 'those of the request');
    const id = headerOf(headers, 'webhook-id');
    const seconds = headerOf(headers, 'webhook-timestamp');
    const signatures = headerOf(headers, 'webhook-signature');
    if (!/^\d{1,11}$/.test(seconds)) throw new WebhookError('bad_timestamp', 'its timestamp is no number');
    const time = new Date(Number(seconds) * 1_000);
    if (Math.abs(Date.now() - time.getTime()) > this.#toleranceSeconds * 1_000) {
      throw new WebhookError('bad_timestamp', 'its timestamp is too far from now');
    }
    const signed = joined(`${id}.${seconds}.`, payload);
    const given = signatures.split(' ').slice(0, signaturesMax).flatMap(signatureOf);
    for (const key of this.#keys) {
      for (const signature of given) {
        // Web Cryptography compares in constant time.
        if (await crypto.subtle.verify('HMAC', await key, signature, signed)) return { id, time };
      }
    }
    throw new WebhookError('bad_signature', 'it is signed by none of the secrets');
  }
}

type Octets = Uint8Array<ArrayBuffer>;
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const prefix = 'whsec_';
/** Octets of a key (Standard Webhooks): a shorter secret was cut off. */
const keyMin = 24;
const keyMax = 64;

function secretOf(secret: string): Octets {
  const base64 = typeof secret === 'string' && secret.startsWith(prefix) ? secret.slice(prefix.length) : undefined;
  const octets = base64 === undefined ? undefined : fromBase64(base64);
  if (!octets || base64?.length !== Math.ceil(octets.length / 3) * 4)
    throw invalid('secrets', 'must be whsec_ and base64, padded');
  if (octets.length < keyMin || octets.length > keyMax)
    throw invalid('secrets', `must have ${keyMin} to ${keyMax} octets after whsec_: is it cut off?`);
  return octets;
}

function importKey(secret: Octets): Promise<Key> {
  if (globalThis.crypto?.subtle === undefined) {
    throw invalid('crypto', 'is missing: Web Cryptography must be at globalThis.crypto, which Node has from 20 on');
  }
  return crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** Signatures of other versions are skipped. */
function signatureOf(text: string): Octets[] {
  const octets = text.startsWith('v1,') ? fromBase64(text.slice('v1,'.length)) : undefined;
  return octets ? [octets] : [];
}

function fromBase64(text: string): Octets | undefined {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function headerOf(headers: DeliveryHeaders, name: string): string {
  const value = typeof headers.get === 'function' ? headers.get(name) : valueOf(headers, name);
  if (typeof value !== 'string' || value === '') throw new WebhookError('missing_header', `it has no header ${name}`);
  return value;
}

/** Names of headers compare without case; `node:http` gives a repeated header as a list. */
function valueOf(headers: Readonly<Record<string, unknown>>, name: string): unknown {
  const found = Object.keys(headers).find((each) => each.toLowerCase() === name);
  const value = found === undefined ? undefined : headers[found];
  return Array.isArray(value) ? value.join(' ') : value;
}

function joined(head: string, payload: string | Uint8Array): Octets {
  const first = new TextEncoder().encode(head);
  const second = octetsOf(payload);
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

function octetsOf(payload: string | Uint8Array): Uint8Array {
  if (typeof payload === 'string') return new TextEncoder().encode(payload);
  if (ArrayBuffer.isView(payload)) return payload;
  throw invalid('payload', 'must be the body as it came, a text or octets: was it parsed before?');
}

/** The exact octets of the address. */
function queryOf(url: string): string {
  const [address = ''] = url.split('#');
  const at = address.indexOf('?');
  return at === -1 ? '' : address.slice(at + 1);
}

function noticeOf(octets: Uint8Array): Notice {
  try {
    const notice = readNotice(new TextDecoder('utf-8', { fatal: true }).decode(octets));
    if (notice) return notice;
  } catch (error) {
    if (error instanceof FieldError) throw new WebhookError('unreadable', error.message);
  }
  throw new WebhookError('unreadable', 'it is no JSON object and no form in UTF-8');
}

async function bodyOf({ body }: FetchRequest): Promise<Uint8Array> {
  if (!body) return new Uint8Array();
  const octets = await readBody(body, bodyMax).catch(() => {
    throw new WebhookError('unreadable', 'its body did not come to its end, or was read before');
  });
  if (!octets) throw new WebhookError('too_large', `its body is over ${bodyMax} octets`);
  return octets;
}
