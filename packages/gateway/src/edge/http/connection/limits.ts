import { minuteMs, secondMs } from '@morsel/api/values/time.ts';

/** Octets of a body. The longest text there is (255 parts of 153 characters) with all of it escaped in JSON takes 229 KiB. */
export const bodyMax = 256 * 1024;

/** Octets of the request line and the headers together; also of the request line alone, as a GET carries its text there. */
export const headMax = 64 * 1024;

/** Parameters in a query or a form: ten times what we read, and few enough that no request keeps us busy with them. */
export const parametersMax = 100;

/** How long an answer that ends a connection is given to arrive: closing over unread bytes would reset it on its way. */
export const lingerMs = 2 * secondMs;

/** How long a connection waits for its next request. Longer than the 60 s of common proxies, so that they close first. */
export const keepAliveMs = 75 * secondMs;

/**
 * How long a connection may stand still, with nothing read or written, while an answer is owed or not taken. Long, since
 * a message that is being stored is never given up on: its client waits for the truth.
 */
export const stillMs = 10 * minuteMs;

/** The waits that the operator may want otherwise. */
export interface HttpWaits {
  /** From the first octet (or the connection) to the end of the headers. */
  readonly headersMs: number;
  /** From the first octet to the end of the body. */
  readonly requestMs: number;
  /** How often the two above are looked at: they are kept to within this. */
  readonly checkMs: number;
  /** How long `close` waits for answers that are on their way. */
  readonly drainMs: number;
}

export const defaultWaits: HttpWaits = {
  headersMs: 10 * secondMs,
  requestMs: 30 * secondMs,
  checkMs: secondMs,
  drainMs: 10 * secondMs,
};
