/*
 * Makes one HTTP request to the gateway and reads the answer. Handles the errors that the network and proxies can
 * cause.
 */

import { isObject, isSent, readJson } from './amount.ts';
import { bodyMax, readBody, type Body } from './body.ts';
import { MorselError, type LocalCode } from './morsel-error.ts';
import { isLeak, isWord, readProblem, type Secrets } from './problem.ts';

/** The parts of the `fetch` function that the client uses. */
export type Fetch = (
  url: string,
  init: {
    readonly method: 'GET' | 'POST';
    readonly headers: Record<string, string>;
    readonly body?: string;
    readonly redirect: 'manual';
    readonly signal: AbortSignal;
  },
) => Promise<FetchAnswer>;

export interface FetchAnswer {
  readonly status: number;
  readonly type?: string;
  readonly headers: { get(name: string): string | null };
  readonly body: Body | null;
}

export interface Request<T> {
  readonly url: string;
  /** The body of a POST. Without a body, the request is a GET. */
  readonly body?: string | undefined;
  readonly secrets: Secrets;
  /** Whether the request can change something at the gateway, such as send or cancel a message. */
  readonly hasEffect: boolean;
  /** A member that the gateway's answer always has: an answer without it comes from another server. */
  readonly mark: keyof T;
}

/**
 * Makes one request, and returns the answer with the header `Idempotency-Replayed`. Rejects with a MorselError. If `fetch`
 * rejects, rejects with the same error, and `networkError` converts it.
 */
export async function exchange<T extends object>(
  fetch: Fetch,
  request: Request<T>,
  signal: AbortSignal,
): Promise<{ readonly result: T; readonly isReplay: boolean }> {
  const { url, body, secrets, mark } = request;
  const headers = { Accept: 'application/json', Authorization: `Bearer ${secrets.token}` };
  const common = { redirect: 'manual', signal } as const;
  const answer = await (body === undefined
    ? fetch(url, { ...common, method: 'GET', headers })
    : fetch(url, { ...common, method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body }));
  const { status } = answer;
  // We do not follow a redirect, because its target would get the token. Browsers show only the type `opaqueredirect`
  // of a redirect.
  if (answer.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    void answer.body
      ?.getReader()
      .cancel()
      .catch(() => undefined);
    const message = 'the answer is a redirect, and redirects are not followed; check baseUrl';
    throw unreadable(request, answer, { message, code: 'redirected' });
  }
  const octets = answer.body ? await readBody(answer.body) : new Uint8Array();
  if (!octets) {
    const message = `the answer has more than ${bodyMax} octets`;
    throw unreadable(request, answer, { message, code: 'answer_too_large' });
  }
  const members = readJson(new TextDecoder().decode(octets));
  if (status === 200 && members) {
    const { all, exact } = members;
    const result = Object.keys(exact).length === 0 ? all : { ...all, exact };
    const isReplay = answer.headers.get('Idempotency-Replayed') === 'true';
    if (isSent<T>(result, mark)) return { result, isReplay };
  }
  const problem = members && status >= 400 ? readProblem(members, status, secrets) : undefined;
  if (!problem) throw unreadable(request, answer, { message: 'the answer does not come from a Morsel gateway' });
  const where = problem.field === undefined ? '' : `: ${problem.field}`;
  throw new MorselError({
    ...answered(answer, secrets),
    kind: 'refused',
    code: problem.code,
    message: `the gateway refused the request: ${problem.code}${where} (${status})`,
    field: problem.field,
    problem,
    ...(problem.requestId !== undefined && { requestId: problem.requestId }),
  });
}

/**
 * Converts an error of `fetch` to a MorselError. Keeps only the error code of the system, because the rest may contain
 * secrets.
 */
export function networkError(error: unknown, hasEffect: boolean): MorselError {
  if (error instanceof MorselError) return error;
  const reason = systemCodeOf(error) ?? systemCodeOf(isObject(error) ? error['cause'] : undefined);
  return new MorselError({
    kind: 'network',
    code: 'network_error',
    message: `no complete answer from the gateway${reason === undefined ? '' : ` (${reason})`}`,
    isTransient: true,
    isInDoubt: hasEffect && !neverConnected.has(reason ?? ''),
  });
}

/** Error codes of connections that could not be opened, so that the request was not sent. */
const neverConnected = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/**
 * Makes the error for an answer that does not come from the gateway. With a status 2xx or 5xx, the effect of the
 * request is unknown. With other statuses than 2xx and 5xx, the request did not reach the gateway.
 */
function unreadable(
  { hasEffect, secrets }: Pick<Request<object>, 'hasEffect' | 'secrets'>,
  answer: FetchAnswer,
  { message, code = 'unreadable_answer' }: { readonly message: string; readonly code?: LocalCode },
): MorselError {
  const { status } = answer;
  return new MorselError({
    ...answered(answer, secrets),
    kind: 'unreadable',
    code,
    message: `${message} (${status})`,
    isInDoubt: hasEffect && ((status >= 200 && status < 300) || status >= 500),
  });
}

/**
 * Statuses that are temporary: too many requests, an incomplete request, or a service that is temporarily unavailable
 * (RFC 9110 section 15).
 */
const transient: readonly number[] = [408, 429, 502, 503, 504];

function answered({ status, headers }: FetchAnswer, secrets: Secrets) {
  const requestId = headers.get('X-Request-Id');
  return {
    status,
    requestId: isWord(requestId) && !isLeak(requestId, secrets) ? requestId : undefined,
    retryAfterMs: retryAfterMsOf(headers),
    isTransient: transient.includes(status),
  };
}

/**
 * Reads the header `Retry-After`, which contains seconds or a date (RFC 9110 section 10.2.3). Returns milliseconds;
 * undefined if the header is missing.
 */
export function retryAfterMsOf(headers: FetchAnswer['headers']): number | undefined {
  const text = headers.get('Retry-After')?.trim();
  if (!text) return undefined;
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, Number.MAX_SAFE_INTEGER);
  const at = dateOf(text);
  if (at === undefined) return undefined;
  // Uses the `Date` header of the answer as the current time if possible, because our clock may be wrong.
  const now = dateOf(headers.get('Date')) ?? Date.now();
  return Math.max(0, at - now);
}

/** Parses an HTTP date in the only format that servers still use: `Sun, 06 Nov 1994 08:49:37 GMT`. */
function dateOf(text: string | null): number | undefined {
  if (text === null || !/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}

function systemCodeOf(error: unknown): string | undefined {
  const code = isObject(error) ? error['code'] : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z_0-9]{1,40}$/.test(code) ? code : undefined;
}
