import { minuteMs, secondMs } from '@morsel/api/values/time.ts';

/** Octets of a body. The longest text (255 parts of 153 characters) with every character escaped in JSON takes 229 KiB. */
export const bodyMax = 256 * 1024;

/** Octets of the request line and headers together. The request line alone may use all of it, for the text of a GET. */
export const headMax = 64 * 1024;

/** Parameters of a query or a form: ten times what the API reads, and few enough to cost no time. */
export const parametersMax = 100;

/** How long an answer that ends a connection may take to arrive. Closing at once over unread octets would reset it on its way. */
export const lingerMs = 2 * secondMs;

/** How long a connection may wait for its next request: longer than the 60 s of common proxies, so that they close first. */
export const keepAliveMs = 75 * secondMs;

/**
 * How long a connection may be still, with nothing read or written, while an answer is owed. It is long, because the client must
 * learn whether its message was stored.
 */
export const stillMs = 10 * minuteMs;

/** Time limits that a caller may change. */
export interface HttpWaits {
  /** From the first octet, or from the connection, to the end of the headers. */
  readonly headersMs: number;
  /** From the first octet to the end of the body. */
  readonly requestMs: number;
  /** How often the two limits above are checked. */
  readonly checkMs: number;
  /** How long `close` waits for answers in progress. */
  readonly drainMs: number;
}

export const defaultWaits: HttpWaits = {
  headersMs: 10 * secondMs,
  requestMs: 30 * secondMs,
  checkMs: secondMs,
  drainMs: 10 * secondMs,
};
