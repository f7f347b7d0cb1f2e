import { minuteMs, secondMs } from '@morsel/api/values/time.ts';

/** The longest text has 255 parts of 153 characters: 229 KiB with every character escaped in JSON. */
export const bodyMax = 256 * 1024;

/** Request line and headers. A GET with a long text may need all of it for its request line. */
export const headMax = 64 * 1024;

/** The most parameters of a query or a form: ten times as many as the API has, but few enough to be read quickly. */
export const parametersMax = 100;

/** Time for the last answer. Closing at once while octets are unread would reset the connection and lose the answer. */
export const lingerMs = 2 * secondMs;

/** Longer than the usual 60 s of proxies, so that the proxy closes the connection first. */
export const keepAliveMs = 75 * secondMs;

/** Silence while a request is not answered. Long, because the client must learn whether its message was stored. */
export const stillMs = 10 * minuteMs;

export interface HttpWaits {
  /** From the first octet of a request, or the start of the connection, to the end of the headers. */
  readonly headersMs: number;
  /** From the first octet of a request to the end of its body. */
  readonly requestMs: number;
  readonly checkMs: number;
  readonly drainMs: number;
}

export const defaultWaits: HttpWaits = {
  headersMs: 10 * secondMs,
  requestMs: 30 * secondMs,
  checkMs: secondMs,
  drainMs: 10 * secondMs,
};
