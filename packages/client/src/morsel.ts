/* `Morsel`, the client of one account: send, report, quote, cancel and balance. */

import { exchange } from './exchange.ts';
import type { Fetch, Request } from './exchange.ts';
import type { Fields } from './fields.ts';
import { newKey } from './idempotency-key.ts';
import { needKnownFields } from './message-fields.ts';
import type { Message } from './message-fields.ts';
import { extended, invalid, MorselError, needObject } from './morsel-error.ts';
import { isFinal, readBalance, readDeliveryReport, readQuote, readSendResult } from './results.ts';
import type { Balance, DeliveryReport, Quote, SendResult } from './results.ts';
import { aborted, pause, withRetries } from './retries.ts';
import type { Patience } from './retries.ts';

export interface MorselOptions {
  /** Base address of the gateway: `https://sms.example.com`. Plain `http` sends token and texts readable. */
  readonly baseUrl: string;
  /** The client's token. It goes into a header and never into an address, because servers log addresses. */
  readonly token: string;
  /** Time limit of one try, above 0 (default: 10 seconds). */
  readonly timeoutMs?: number;
  /** Tries after the first (default: 4). */
  readonly retries?: number;
  /** Time limit of a call with all its tries, above 0 (default: a minute). */
  readonly deadlineMs?: number;
  /** Approximate first wait before another try (default: 250). It doubles each time, up to 8 seconds. */
  readonly backoffMs?: number;
  /** Replaces the global `fetch`. With `redirect: 'manual'` it must not follow redirects. */
  readonly fetch?: Fetch;
}

/** Options of one call. */
export interface CallOptions {
  readonly timeoutMs?: number;
  readonly retries?: number;
  readonly deadlineMs?: number;
  /** Aborts the call with its tries and waits. */
  readonly signal?: AbortSignal;
}

export interface DlrOptions extends CallOptions {
  /** Whether the report has `parts`. */
  readonly details?: boolean;
}

export interface WaitOptions extends DlrOptions {
  /** How long to wait (default: 10 minutes). */
  readonly finalWithinMs?: number;
  /** First wait between two reports (default: a second). Each next wait is half as long again, up to 30 seconds. */
  readonly lookEveryMs?: number;
}

/**
 * A client of one account. It holds no connection and no timer between calls, and need not be closed. Each call gives
 * its result or rejects with a `MorselError`. It retries when no answer came, and after 408, 429, 502, 503 and 504.
 * Every call is safe to repeat: all tries of a `send` have the same idempotency key.
 */
export class Morsel {
  readonly #baseUrl: string;
  readonly #token: string;
  readonly #fetch: Fetch;
  readonly #patience: Patience;

  /** Throws a `MorselError` of kind `invalid` for unusable options. */
  constructor(options: MorselOptions) {
    needObject('options', options, 'an object with baseUrl and token');
    this.#baseUrl = baseUrlOf(options.baseUrl);
    this.#token = tokenOf(options.token);
    if (options.fetch && typeof options.fetch !== 'function') throw invalid('fetch', 'must be a function like fetch');
    this.#fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
    this.#patience = patienceOf(options, { timeoutMs: 10_000, retries: 4, deadlineMs: 60_000, backoffMs: 250 });
  }

  /** Sends a message once, however many tries that takes. */
  async send(message: Message, options: CallOptions = {}): Promise<SendResult> {
    const draft = fieldsOf(message);
    const idempotencyKey = keyOf(message);
    try {
      return await this.#post('send', {
        fields: { ...draft, idempotencyKey },
        text: message.text,
        options,
        hasEffect: true,
        read: (fields, headers) => ({
          ...readSendResult(fields),
          idempotencyKey,
          isReplay: headers.get('Idempotency-Replayed') === 'true',
        }),
      });
    } catch (error) {
      throw error instanceof MorselError ? extended(error, { idempotencyKey }) : error;
    }
  }

  /** The cost of a message, by the rules of `send`. Nothing is sent or charged, and the key is not used up. */
  async quote(message: Message, options: CallOptions = {}): Promise<Quote> {
    const draft = fieldsOf(message);
    // With the key the gateway says whether a `send` would be a replay.
    const fields = message.idempotencyKey === undefined ? draft : { ...draft, idempotencyKey: keyOf(message) };
    return this.#post('quote', { fields, text: message.text, options, hasEffect: false, read: readQuote });
  }

  /** The delivery report of a message, available as soon as it was sent. */
  async dlr(msgId: string, options: DlrOptions = {}): Promise<DeliveryReport> {
    const query = new URLSearchParams({ messageId: idOf(msgId) });
    needOptions(options);
    if (options.details === true) query.set('details', '1');
    return this.#get(`dlr?${query.toString()}`, options, readDeliveryReport);
  }

  /**
   * Cancels the unsent parts of a message, and gives its report with parts. Rejects as `too_late` if nothing is left to
   * cancel.
   */
  async cancel(msgId: string, options: CallOptions = {}): Promise<DeliveryReport> {
    const fields = { messageId: idOf(msgId) };
    return this.#post('cancel', { fields, options, hasEffect: true, read: readDeliveryReport });
  }

  async balance(options: CallOptions = {}): Promise<Balance> {
    return this.#get('balance', options, readBalance);
  }

  /**
   * Polls the report until it is final. Rejects as `not_final` after `finalWithinMs`, with the last `report`. It goes
   * on while the gateway is unavailable. Prefer a webhook if the account has one for receipts.
   */
  async waitForFinal(msgId: string, options: WaitOptions = {}): Promise<DeliveryReport> {
    needOptions(options);
    const { finalWithinMs = 600_000, lookEveryMs = 1_000, signal } = options;
    const endsAt = performance.now() + timeOf('finalWithinMs', finalWithinMs);
    let report: DeliveryReport | undefined;
    for (
      let waitMs = limitOf('lookEveryMs', lookEveryMs);
      ;
      waitMs = Math.max(waitMs, Math.min(waitMs * 1.5, 30_000))
    ) {
      const left = Math.max(1, endsAt - performance.now());
      const deadlineMs = Math.min(options.deadlineMs ?? this.#patience.deadlineMs, left);
      const looked = await this.#look(msgId, { ...options, deadlineMs });
      if (!(looked instanceof MorselError)) report = looked;
      if (report && isFinal(report.event)) return report;
      if (performance.now() + waitMs >= endsAt) {
        throw looked instanceof MorselError ? extended(looked, { report }) : notFinal(looked);
      }
      await pause(waitMs, signal, () => extended(aborted(), { report }));
    }
  }

  /** A report, or the reason why there is none at the moment. */
  async #look(msgId: string, options: DlrOptions): Promise<DeliveryReport | MorselError> {
    try {
      return await this.dlr(msgId, options);
    } catch (error) {
      if (error instanceof MorselError && error.isTransient) return error;
      throw error;
    }
  }

  #post<T>(path: string, call: Post<T>): Promise<T> {
    const { fields, text, options, hasEffect, read } = call;
    return this.#call({ method: 'POST', path, body: jsonOf(fields), text, hasEffect, read }, options);
  }

  #get<T>(path: string, options: CallOptions, read: (fields: Fields) => T): Promise<T> {
    return this.#call({ method: 'GET', path, hasEffect: false, read }, options);
  }

  async #call<T>(call: Call<T>, options: CallOptions): Promise<T> {
    needOptions(options);
    const { path, text, ...rest } = call;
    const request = { ...rest, url: `${this.#baseUrl}/sms/${path}`, secrets: { token: this.#token, text } };
    const patience = { ...patienceOf(options, this.#patience), signal: options.signal };
    return withRetries((signal) => exchange(this.#fetch, request, signal), { patience, hasEffect: call.hasEffect });
  }
}

interface Call<T> extends Omit<Request<T>, 'url' | 'secrets'> {
  readonly path: string;
  /** Fields of the message that must not appear in an error. */
  readonly text?: string | undefined;
}

interface Post<T> extends Pick<Call<T>, 'text' | 'hasEffect' | 'read'> {
  readonly fields: object;
  readonly options: CallOptions;
}

function needOptions(options: CallOptions): void {
  needObject('options', options, 'an object, such as { timeoutMs: 5000 }, or left out');
  const { signal = null } = options;
  if (signal !== null && typeof signal.addEventListener !== 'function')
    throw invalid('signal', 'must be an AbortSignal');
}

function fieldsOf(message: Message): object {
  needObject('message', message, 'an object with sender, receiver and text');
  needKnownFields(message);
  const { sender, receiver, text, dcs = 'SMS', clientRef, validity, sendAt, flash, priority } = message;
  for (const [name, value] of Object.entries({ sender, receiver, text })) {
    if (typeof value !== 'string' || value === '') throw invalid(name, 'must be a text');
  }
  if (sendAt instanceof Date && Number.isNaN(sendAt.getTime())) throw invalid('sendAt', 'is no time');
  return { sender, receiver, text, dcs, clientRef, validity, sendAt, flash, priority };
}

function keyOf({ idempotencyKey = newKey() }: Message): string {
  // If the gateway ignored the key, a retry would be a second message.
  if (typeof idempotencyKey === 'string' && /^[ -~]{1,255}$/.test(idempotencyKey)) return idempotencyKey;
  throw invalid('idempotencyKey', 'must be 1 to 255 printable characters');
}

/** Callers without types may pass values that JSON cannot express. */
function jsonOf(fields: object): string {
  try {
    return JSON.stringify(fields);
  } catch {
    throw invalid('message', 'has a field that JSON cannot carry');
  }
}

function idOf(msgId: string): string {
  if (typeof msgId !== 'string' || msgId === '') throw invalid('msgId', 'must be the text that send gave');
  return msgId;
}

/** Checks the base address. Errors do not repeat it, because it may contain a password. */
function baseUrlOf(text: string): string {
  const url = parseUrl(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw invalid('baseUrl', 'must begin with https:// or http://');
  if (url.username !== '' || url.password !== '') throw invalid('baseUrl', 'must not have a name and password in it');
  if (url.search !== '' || url.hash !== '') throw invalid('baseUrl', 'must not have a query or a fragment');
  return url.href.replace(/\/+$/, '');
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function tokenOf(token: string): string {
  // Characters that a header cannot have would appear in the error of `fetch`.
  if (typeof token !== 'string' || !/^[!-~]+$/.test(token))
    throw invalid('token', 'must be printable characters without spaces');
  return token;
}

function patienceOf(options: Partial<Patience>, otherwise: Patience): Patience {
  const { timeoutMs, retries, deadlineMs, backoffMs } = options;
  return {
    timeoutMs: timeOf('timeoutMs', timeoutMs ?? otherwise.timeoutMs),
    retries: limitOf('retries', retries ?? otherwise.retries),
    deadlineMs: timeOf('deadlineMs', deadlineMs ?? otherwise.deadlineMs),
    backoffMs: limitOf('backoffMs', backoffMs ?? otherwise.backoffMs),
  };
}

/** No answer comes in no time: 0 does not mean "no limit". */
function timeOf(name: string, value: number): number {
  if (!Number.isFinite(value) || value <= 0) throw invalid(name, 'must be a number above 0');
  return value;
}

function limitOf(name: string, value: number): number {
  if (!Number.isFinite(value) || value < 0) throw invalid(name, 'must be a number, and not below 0');
  return value;
}

function notFinal(report: DeliveryReport): MorselError {
  const message = `the message has not come to its end in time: it is ${report.event}`;
  return new MorselError({ kind: 'timeout', code: 'not_final', message, isTransient: true, report });
}
