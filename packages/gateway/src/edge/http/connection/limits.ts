import { minuteMs, secondMs } from '@morsel/api/values/time.ts';

/**
 * The most octets of a request body. The longest text has 255 parts of 153 characters, and takes 229 KiB with every character
 * escaped in JSON.
 */
export const bodyMax = 256 * 1024;

/**
 * The most octets of the request line and the headers together. A GET request with a long text may need all these octets for its
 * request line.
 */
export const headMax = 64 * 1024;

/** The most parameters of a query or a form: ten times as many as the API has, but few enough to be read quickly. */
export const parametersMax = 100;

/**
 * How long the last answer on a connection may take to reach the client. If the gateway closed the socket at once while octets
 * are unread, TCP would reset the connection and the answer would be lost.
 */
export const lingerMs = 2 * secondMs;

/**
 * How long a connection may wait for its next request. Proxies usually wait 60 s. The gateway waits longer, so that the proxy
 * closes the connection first.
 */
export const keepAliveMs = 75 * secondMs;

/**
 * How long a connection may be silent in both directions while a request is not answered. This time limit is long, because the
 * client must learn whether its message was stored.
 */
export const stillMs = 10 * minuteMs;

/** Time limits of the HTTP listener that its caller may change. */
export interface HttpWaits {
  /** The time limit from the first octet of a request, or from the start of the connection, to the end of the headers. */
  readonly headersMs: number;
  /** The time limit from the first octet of a request to the end of its body. */
  readonly requestMs: number;
  /** How often the time limits of headers and bodies are checked. */
  readonly checkMs: number;
  /** How long `close` waits for the answers to running requests. */
  readonly drainMs: number;
}

export const defaultWaits: HttpWaits = {
  headersMs: 10 * secondMs,
  requestMs: 30 * secondMs,
  checkMs: secondMs,
  drainMs: 10 * secondMs,
};
