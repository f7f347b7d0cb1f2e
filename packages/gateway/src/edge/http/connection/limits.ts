import { minuteMs, secondMs } from '@morsel/api/values/time.ts';

/** The most octets of a request; each listener has its own. */
export interface HttpLimits {
  /** Of request line and headers together. */
  readonly headMax: number;
  readonly bodyMax: number;
}

/** The most parameters of a query or a form: ten times as many as the API has, and still quick to read. */
export const parametersMax = 100;

/** The time for the last answer. Closing the connection while octets are unread would reset it and lose the answer. */
export const lingerMs = 2 * secondMs;

/** The longest idle time of a connection. The usual 60 s of proxies are shorter, so that the proxy closes first. */
export const keepAliveMs = 75 * secondMs;

/** The longest silence while a request is not answered. A client must learn whether its message was stored. */
export const stillMs = 10 * minuteMs;

export interface HttpWaits {
  /** The time from the first octet of a request, or from the start of the connection, to the end of the headers. */
  readonly headersMs: number;
  /** The time from the first octet of a request to the end of its body. */
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
