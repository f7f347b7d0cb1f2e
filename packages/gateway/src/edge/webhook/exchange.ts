import type { ClientRequest } from 'node:http';
import { secondMs } from '@morsel/api/values/time.ts';
import { LookupFault } from './lookup.ts';
import { OutwardRefused } from './safe-lookup.ts';

/* Waits for an answer that Node's parser reads, with limits on its size and time. */

/** The HTTP status that a webhook answered, or the reason why there was no answer, as a text for the operator. */
export type WebhookAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfter: string | undefined }
  | { readonly kind: 'failed'; readonly why: string };

/** The time limit from the start of the connection to the last header of the answer. */
export const answerMaxMs = 15 * secondMs;

/** The body of the answer is ignored. The gateway reads the body up to these limits, so that the connection can be used again. */
const bodyMaxOctets = 64 * 1024;
const bodyMaxMs = 1_000;

/** The most 1xx answers (RFC 9110, section 15.2), with which a receiver could otherwise keep the event loop busy. */
const interimMax = 10;

/** The text of a connection that ends before the answer. */
export const closedEarly = 'the receiver closed the connection before an answer';

/** Resolves when the body was read or given up. Never rejects. */
export function answerTo(
  request: ClientRequest,
  { limitMs, leftMs }: { readonly limitMs: number; /** What is left of the limit. */ readonly leftMs: number },
): Promise<WebhookAnswer> {
  return new Promise((resolve) => {
    let answer: WebhookAnswer | undefined;
    let interim = 0;
    const giveUp = (why: string) => {
      answer ??= { kind: 'failed', why };
      request.destroy();
    };
    let timer = setTimeout(() => giveUp(`no answer within ${limitMs / secondMs} s`), leftMs);
    request.on('information', () => {
      interim += 1;
      if (interim > interimMax) giveUp(`the receiver sent more than ${interimMax} interim answers`);
    });
    request.on('response', (response) => {
      const { 'retry-after': retryAfter, 'content-length': length } = response.headers;
      answer = { kind: 'answered', status: response.statusCode ?? 0, retryAfter };
      clearTimeout(timer);
      timer = setTimeout(() => request.destroy(), bodyMaxMs);
      if (Number(length) > bodyMaxOctets) request.destroy();
      let octets = 0;
      response.on('data', (chunk: Uint8Array) => {
        octets += chunk.length;
        if (octets > bodyMaxOctets) request.destroy();
      });
      // An incomplete body does not matter, because the status of the answer is known.
      response.on('error', () => undefined);
    });
    request.on('error', (fault) => {
      answer ??= { kind: 'failed', why: wordsFor(fault) };
    });
    request.on('close', () => {
      clearTimeout(timer);
      resolve(answer ?? { kind: 'failed', why: closedEarly });
    });
  });
}

const words: { readonly [code: string]: string } = {
  ECONNREFUSED: 'nothing listens at the address of the webhook',
  ECONNRESET: 'the receiver reset the connection',
  EPIPE: closedEarly,
  EHOSTUNREACH: 'the host of the webhook cannot be reached',
  ENETUNREACH: 'the network of the webhook cannot be reached',
  HPE_HEADER_OVERFLOW: 'the headers of the answer are too long',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate of the webhook is for another name',
  CERT_HAS_EXPIRED: 'the certificate of the webhook has expired',
};

/** The text never quotes what the receiver sent. */
export function wordsFor(fault: Error): string {
  if (fault instanceof OutwardRefused || fault instanceof LookupFault) return fault.message;
  // Node reports a connection that closed before the answer with the code ECONNRESET.
  if (fault.message === 'socket hang up') return closedEarly;
  const code = 'code' in fault && typeof fault.code === 'string' ? fault.code : fault.name;
  const known = words[code];
  if (known !== undefined) return `${known} (${code})`;
  if (code.startsWith('HPE_')) return `invalid HTTP response (${code})`;
  if (/CERT|SIGNATURE|CRL/.test(code)) return `the certificate of the webhook is not trusted (${code})`;
  if (/^(?:EPROTO|ERR_SSL|ERR_TLS)/.test(code)) return `TLS failed (${code})`;
  return `the webhook cannot be reached (${code})`;
}
