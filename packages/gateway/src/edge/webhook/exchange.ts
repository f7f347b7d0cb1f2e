import type { ClientRequest } from 'node:http';
import { secondMs } from '@morsel/api/values/time.ts';
import { LookupFault } from './lookup.ts';
import { OutwardRefused } from './safe-lookup.ts';

/* One webhook request and its answer, with limits on everything that the receiver can do. */

/** A status, or why there is none, in words for the operator. */
export type WebhookAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfter: string | undefined }
  | { readonly kind: 'failed'; readonly why: string };

/** From the first step of connecting to the last header of the answer. */
const answerMaxMs = 15 * secondMs;

/** The body is ignored. It is read up to these limits, so that the connection can be used again. */
const bodyMaxOctets = 64 * 1024;
const bodyMaxMs = 1_000;

/** Interim answers (RFC 9110, section 15.2) before the answer. Without a limit they would keep the event loop busy. */
const interimMax = 10;

/**
 * The answer to a request that was just written. It comes when the request is closed and its connection is free or gone: when
 * the body was read or given up. Never rejects.
 */
export function answerTo(request: ClientRequest, limitMs = answerMaxMs): Promise<WebhookAnswer> {
  return new Promise((resolve) => {
    let answer: WebhookAnswer | undefined;
    let interim = 0;
    const giveUp = (why: string) => {
      answer ??= { kind: 'failed', why };
      request.destroy();
    };
    let timer = setTimeout(() => {
      giveUp(`no ${request.socket?.connecting === false ? 'answer' : 'connection'} within ${limitMs / secondMs} s`);
    }, limitMs);
    request.on('information', () => {
      interim += 1;
      if (interim > interimMax) giveUp(`it sent more than ${interimMax} interim answers`);
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
      // A body that breaks off changes nothing: the answer is known.
      response.on('error', () => undefined);
    });
    request.on('error', (fault) => {
      answer ??= { kind: 'failed', why: wordsFor(fault) };
    });
    request.on('close', () => {
      clearTimeout(timer);
      resolve(answer ?? { kind: 'failed', why: 'it closed the connection before an answer' });
    });
  });
}

const words: { readonly [code: string]: string } = {
  ECONNREFUSED: 'nothing listens at its address',
  ECONNRESET: 'it reset the connection',
  EPIPE: 'it closed the connection before an answer',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its network cannot be reached',
  HPE_HEADER_OVERFLOW: 'its headers are too long',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  CERT_HAS_EXPIRED: 'its certificate has expired',
};

/** Why there was no answer. The words never quote what the receiver sent. */
function wordsFor(fault: Error): string {
  if (fault instanceof OutwardRefused || fault instanceof LookupFault) return fault.message;
  // Node gives this one the code of a reset.
  if (fault.message === 'socket hang up') return 'it closed the connection before an answer';
  const code = 'code' in fault && typeof fault.code === 'string' ? fault.code : fault.name;
  const known = words[code];
  if (known !== undefined) return `${known} (${code})`;
  if (code.startsWith('HPE_')) return `invalid HTTP response (${code})`;
  if (/CERT|SIGNATURE|CRL/.test(code)) return `its certificate is not trusted (${code})`;
  if (/^(?:EPROTO|ERR_SSL|ERR_TLS)/.test(code)) return `TLS failed (${code})`;
  return `it cannot be reached (${code})`;
}
