import type { Dispatcher } from 'undici';
import { secondMs } from '@morsel/api/values/time.ts';
import { LookupFault } from './lookup.ts';
import { OpenTimeout, OutwardRefused } from './safe-connector.ts';

/* One webhook request and its answer, with limits on everything that the receiver can do. */

/** A status, or why there is none, in words for the operator. */
export type WebhookAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfter: string | undefined }
  | { readonly kind: 'failed'; readonly why: string };

/** From the first step of connecting to the last header of the answer (decisions, section 6). */
const answerMaxMs = 15 * secondMs;

/** The body is ignored. It is read up to these limits, so that the connection can be used again. */
const bodyMaxOctets = 64 * 1024;
const bodyMaxMs = 1_000;

/** Interim answers (RFC 9110, section 15.2) before the answer. Without a limit they would keep the event loop busy. */
const interimMax = 10;

/**
 * One request. `answer` resolves with the headers of the answer. `onEnd` is called when the body is read or given up; then the
 * connection is free or closed.
 */
export class WebhookExchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<WebhookAnswer>;
  readonly #onEnd: () => void;
  #resolve: (answer: WebhookAnswer) => void = () => undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #timer: NodeJS.Timeout;
  #octets = 0;
  #interim = 0;
  #isGivenUp = false;

  constructor({ limitMs = answerMaxMs, onEnd }: { readonly limitMs?: number | undefined; readonly onEnd: () => void }) {
    this.#onEnd = onEnd;
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#timer = setTimeout(() => {
      this.#resolve({ kind: 'failed', why: `no answer within ${limitMs / secondMs} s` });
      this.#giveUp();
    }, limitMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The request waited for a connection until its time was over.
    if (this.#isGivenUp) this.#giveUp();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: { readonly [name: string]: string | string[] | undefined },
  ): void {
    if (status < 200) {
      this.#interim += 1;
      if (this.#interim <= interimMax) return;
      this.#resolve({ kind: 'failed', why: `it sent more than ${interimMax} interim answers` });
      this.#giveUp();
      return;
    }
    const { 'retry-after': retryAfter, 'content-length': length } = headers;
    this.#resolve({ kind: 'answered', status, retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined });
    clearTimeout(this.#timer);
    if (typeof length === 'string' && Number(length) > bodyMaxOctets) this.#giveUp();
    else this.#timer = setTimeout(() => this.#giveUp(), bodyMaxMs);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#octets += chunk.length;
    if (this.#octets > bodyMaxOctets) this.#giveUp();
  }

  onResponseEnd(): void {
    this.#end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, fault: Error): void {
    this.#resolve({ kind: 'failed', why: wordsFor(fault) });
    this.#end();
  }

  #giveUp(): void {
    this.#isGivenUp = true;
    this.#controller?.abort(new Error('given up'));
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#onEnd();
  }
}

const words: { readonly [code: string]: string } = {
  ECONNREFUSED: 'nothing listens at its address',
  ECONNRESET: 'it reset the connection',
  EPIPE: 'it closed the connection before an answer',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its network cannot be reached',
  UND_ERR_SOCKET: 'it closed the connection before an answer',
  UND_ERR_HEADERS_OVERFLOW: 'its headers are too long',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  CERT_HAS_EXPIRED: 'its certificate has expired',
};

/** Why there was no answer. The words never quote what the receiver sent. */
function wordsFor(fault: Error): string {
  if (fault instanceof OutwardRefused || fault instanceof LookupFault) return fault.message;
  if (fault instanceof OpenTimeout) return 'no connection in time';
  const code = 'code' in fault && typeof fault.code === 'string' ? fault.code : fault.name;
  if (fault.message === 'bad response') return 'invalid HTTP response';
  const known = words[code];
  // The codes of our HTTP client mean nothing to an operator.
  if (code.startsWith('UND_ERR_')) return known ?? 'it gave no answer';
  if (known !== undefined) return `${known} (${code})`;
  if (fault.name === 'HTTPParserError') return 'its answer is not HTTP';
  if (/CERT|SIGNATURE|CRL/.test(code)) return `its certificate is not trusted (${code})`;
  if (/^(?:EPROTO|ERR_SSL|ERR_TLS)/.test(code)) return `TLS failed (${code})`;
  return `it cannot be reached (${code})`;
}
