/*
 * The class `Morsel`, a client for one account: sends, quotes and cancels messages, and gets reports and the balance.
 */

import { exchange, type Fetch, type Request } from './exchange.ts';
import { needKnownFields, valuesOf, type Message } from './message-fields.ts';
import { extended, invalid, MorselError, needObject } from './morsel-error.ts';
import { isFinal, type Balance, type DeliveryReport, type Quote, type SendResult } from './results.ts';
import { aborted, pause, withRetries, type Patience } from './retries.ts';

export interface MorselOptions {
  /**
   * The base address of the gateway, such as `https://sms.example.com`. Plain `http` does not encrypt the token and the
   * texts.
   */
  readonly baseUrl: string;
  /**
   * The token of the account. The client sends the token only in a header, never in a URL, because servers log URLs.
   */
  readonly token: string;
  /** The time limit of one try in milliseconds, above 0 (default: 10,000). */
  readonly timeoutMs?: number;
  /** The most retries after the first try (default: 4). */
  readonly retries?: number;
  /** The time limit of a call with all its tries in milliseconds, above 0 (default: 60,000). */
  readonly deadlineMs?: number;
  /**
   * The approximate wait before the first retry in milliseconds (default: 250). Each next wait is twice as long, up to
   * 8 seconds.
   */
  readonly backoffMs?: number;
  /**
   * A function to use instead of the global `fetch`. This function must not follow redirects if `redirect` is `manual`.
   */
  readonly fetch?: Fetch;
}

/** Options of one call. The options of a call replace the options of the client. */
export interface CallOptions {
  readonly timeoutMs?: number;
  readonly retries?: number;
  readonly deadlineMs?: number;
  /** Aborts the call, including its retries and waits. */
  readonly signal?: AbortSignal;
}

export interface DlrOptions extends CallOptions {
  /** Whether the report contains `parts`, with the state of each part (default: false). */
  readonly details?: boolean;
}

export interface WaitOptions extends DlrOptions {
  /** How long to wait for the final report in milliseconds (default: 600,000). */
  readonly finalWithinMs?: number;
  /**
   * The first wait between two requests for a report in milliseconds (default: 1,000). Each next wait is 1.5 times as
   * long, up to 30 seconds.
   */
  readonly lookEveryMs?: number;
}

/**
 * A client for one account. A client has no timers between calls and need not be closed. Each call resolves with its
 * result or rejects with a `MorselError`. A call retries when no answer comes, and after the statuses 408, 429, 502,
 * 503 and 504. Retries are safe: all tries of one `send` use the same idempotency key.
 */
export class Morsel {
  readonly #baseUrl: string;
  readonly #token: string;
  readonly #fetch: Fetch;
  readonly #patience: Patience;

  /** Throws a `MorselError` of kind `invalid` if an option is wrong. */
  constructor(options: MorselOptions) {
    needObject('options', options, 'an object with baseUrl and token');
    this.#baseUrl = baseUrlOf(options.baseUrl);
    this.#token = tokenOf(options.token);
    if (options.fetch && typeof options.fetch !== 'function') throw invalid('fetch', 'must be a function like fetch');
    this.#fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
    this.#patience = patienceOf(options, { timeoutMs: 10_000, retries: 4, deadlineMs: 60_000, backoffMs: 250 });
  }

  /** Sends a message. The message is sent only once, even if the call needs several tries. */
  async send(message: Message, options: CallOptions = {}): Promise<SendResult> {
    const draft = fieldsOf(message);
    const idempotencyKey = keyOf(message);
    try {
      const { result, isReplay } = await this.#call<Omit<SendResult, 'idempotencyKey' | 'isReplay'>>('send', {
        mark: 'msgId',
        fields: { ...draft, idempotencyKey },
        text: message.text,
        options,
        hasEffect: true,
      });
      return { ...result, idempotencyKey, isReplay };
    } catch (error) {
      throw error instanceof MorselError ? extended(error, { idempotencyKey }) : error;
    }
  }

  /**
   * Returns what `send` would charge for a message. Sends and charges nothing, and does not use the idempotency key.
   */
  async quote(message: Message, options: CallOptions = {}): Promise<Quote> {
    const draft = fieldsOf(message);
    // If the request has an idempotency key, the gateway also says whether a `send` with this key would be a replay.
    const fields = message.idempotencyKey === undefined ? draft : { ...draft, idempotencyKey: keyOf(message) };
    return (await this.#call<Quote>('quote', { mark: 'isCovered', fields, text: message.text, options })).result;
  }

  /** Returns the delivery report of a message. The report exists as soon as `send` has accepted the message. */
  async dlr(msgId: string, options: DlrOptions = {}): Promise<DeliveryReport> {
    const query = new URLSearchParams({ messageId: idOf(msgId) });
    needOptions(options);
    if (options.details === true) query.set('details', '1');
    return (await this.#call<DeliveryReport>('dlr', { mark: 'event', query: `?${query.toString()}`, options })).result;
  }

  /**
   * Cancels the unsent parts of a message and returns the message's report with parts. Rejects with the code `too_late`
   * if the message has no parts to cancel.
   */
  async cancel(msgId: string, options: CallOptions = {}): Promise<DeliveryReport> {
    const fields = { messageId: idOf(msgId) };
    return (await this.#call<DeliveryReport>('cancel', { mark: 'event', fields, options, hasEffect: true })).result;
  }

  async balance(options: CallOptions = {}): Promise<Balance> {
    return (await this.#call<Balance>('balance', { mark: 'clientBalance', options })).result;
  }

  /**
   * Polls the report until it is final, even if the gateway is temporarily unavailable. After `finalWithinMs`, rejects
   * with the code `not_final` and the last `report`. If the account has a webhook for receipts, use the webhook
   * instead.
   */
  async waitForFinal(msgId: string, options: WaitOptions = {}): Promise<DeliveryReport> {
    needOptions(options);
    const { finalWithinMs = 600_000, lookEveryMs = 1_000, signal } = options;
    const endsAt = performance.now() + timeOf('finalWithinMs', finalWithinMs);
    let report: DeliveryReport | undefined;
    let waitMs = limitOf('lookEveryMs', lookEveryMs);
    for (;;) {
      const left = Math.max(1, endsAt - performance.now());
      const deadlineMs = Math.min(options.deadlineMs ?? this.#patience.deadlineMs, left);
      const looked = await this.#look(msgId, { ...options, deadlineMs });
      const isLast = performance.now() + waitMs >= endsAt;
      if (!(looked instanceof MorselError)) report = looked;
      else if (isLast && !report) throw looked;
      if (report && isFinal(report.event)) return report;
      if (report && isLast) throw notFinal(report);
      await pause(waitMs, signal, () => extended(aborted(), { report }));
      waitMs = Math.max(waitMs, Math.min(waitMs * 1.5, 30_000));
    }
  }

  /** Returns a report, or a temporary error. */
  async #look(msgId: string, options: DlrOptions): Promise<DeliveryReport | MorselError> {
    try {
      return await this.dlr(msgId, options);
    } catch (error) {
      if (error instanceof MorselError && error.isTransient) return error;
      throw error;
    }
  }

  async #call<T extends object>(name: string, call: Call<T>) {
    const { options, fields, text, query = '', hasEffect = false, mark } = call;
    needOptions(options);
    const request = {
      url: `${this.#baseUrl}/sms/${name}${query}`,
      body: fields && jsonOf(fields),
      secrets: { token: this.#token, text },
      hasEffect,
      mark,
    };
    const patience = { ...patienceOf(options, this.#patience), signal: options.signal };
    return withRetries((signal) => exchange(this.#fetch, request, signal), { patience, hasEffect });
  }
}

interface Call<T> extends Pick<Request<T>, 'mark'> {
  readonly options: CallOptions;
  /** The fields of a POST. */
  readonly fields?: object;
  readonly query?: string;
  /** The text of the message, which must not appear in an error. */
  readonly text?: string;
  readonly hasEffect?: boolean;
}

function needOptions(options: CallOptions): void {
  needObject('options', options, 'an object, such as { timeoutMs: 5000 }, or undefined');
  const { signal = null } = options;
  if (signal !== null && typeof signal.addEventListener !== 'function')
    throw invalid('signal', 'must be an AbortSignal');
}

function fieldsOf(message: Message): object {
  needObject('message', message, 'an object with sender, receiver and text');
  needKnownFields(message);
  const { sender, receiver, text, sendAt, dcs = 'SMS' } = message;
  for (const [name, value] of Object.entries({ sender, receiver, text })) {
    if (typeof value !== 'string' || value === '') throw invalid(name, 'must be a non-empty string');
  }
  if (sendAt instanceof Date && Number.isNaN(sendAt.getTime())) throw invalid('sendAt', 'must be a valid date');
  return { ...valuesOf(message), dcs, idempotencyKey: undefined };
}

/** Makes a unique idempotency key: 128 random bits in hexadecimal. */
export function newKey(): string {
  const bytes = new Uint8Array(16);
  // Node 18 has no global `crypto`, so Math.random is used. Math.random is good enough for an idempotency key, which
  // must be unique within an account, but need not be secret.
  if (globalThis.crypto === undefined) for (const at of bytes.keys()) bytes[at] = Math.floor(Math.random() * 256);
  else globalThis.crypto.getRandomValues(bytes);
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function keyOf({ idempotencyKey = newKey() }: Message): string {
  // The key must be valid: if the gateway ignored the key, a retry would send a second message.
  if (typeof idempotencyKey === 'string' && /^[ -~]{1,255}$/.test(idempotencyKey)) return idempotencyKey;
  throw invalid('idempotencyKey', 'must be 1 to 255 printable characters');
}

/** Callers in plain JavaScript may pass values that JSON cannot represent. */
function jsonOf(fields: object): string {
  try {
    return JSON.stringify(fields);
  } catch {
    throw invalid('message', 'has a field that cannot be written as JSON');
  }
}

function idOf(msgId: string): string {
  if (typeof msgId !== 'string' || msgId === '')
    throw invalid('msgId', 'must be the message id (a string) that send returned');
  return msgId;
}

/** Checks the base address. Errors do not contain the address, because it may contain a password. */
function baseUrlOf(text: string): string {
  const url = parseUrl(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw invalid('baseUrl', 'must begin with https:// or http://');
  if (url.username !== '' || url.password !== '') throw invalid('baseUrl', 'must not contain a user name or password');
  if (url.search !== '' || url.hash !== '') throw invalid('baseUrl', 'must not contain a query or a fragment');
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
  // For a token with invalid characters, the error of `fetch` would contain the token.
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

/** A time limit must be above 0, because 0 does not mean "no limit". */
function timeOf(name: string, value: number): number {
  if (!Number.isFinite(value) || value <= 0) throw invalid(name, 'must be a number above 0');
  return value;
}

function limitOf(name: string, value: number): number {
  if (!Number.isFinite(value) || value < 0) throw invalid(name, 'must be a number of 0 or more');
  return value;
}

function notFinal(report: DeliveryReport): MorselError {
  const message = `the message has no final event yet; its event is ${report.event}`;
  return new MorselError({ kind: 'timeout', code: 'not_final', message, isTransient: true, report });
}
