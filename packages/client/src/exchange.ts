/*
 * Makes one HTTP request to the gateway and reads the answer. Handles the errors that the network and proxies can
 * cause.
 */

import { readBody, type Body } from './body.ts';
import { FieldError, Fields } from './fields.ts';
import { MorselError } from './morsel-error.ts';
import { readProblem, wordOf, type Secrets } from './problem.ts';
import { retryAfterMsOf } from './retry-after.ts';

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
  readonly method: 'GET' | 'POST';
  readonly body?: string | undefined;
  readonly secrets: Secrets;
  /** Whether the request can change something at the gateway, such as send or cancel a message. */
  readonly hasEffect: boolean;
  /** Reads the result from an answer with status 200; throws FieldError if a field is missing. */
  readonly read: (fields: Fields, headers: FetchAnswer['headers']) => T;
}

/** The most octets of an answer. The longest answer is a report of 255 parts, about 40 KB. */
const bodyMax = 1024 * 1024;

/**
 * Makes one request. Rejects with a MorselError. If `fetch` rejects, rejects with the same error, and `networkError`
 * converts it.
 */
export async function exchange<T>(fetch: Fetch, request: Request<T>, signal: AbortSignal): Promise<T> {
  const { url, method, body, secrets } = request;
  const headers: Record<string, string> = { Accept: 'application/json', Authorization: `Bearer ${secrets.token}` };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const common = { method, headers, redirect: 'manual', signal } as const;
  const answer = await fetch(url, body === undefined ? common : { ...common, body });
  const { status } = answer;
  // We do not follow a redirect, because its target would get the token. Browsers show only the type `opaqueredirect`
  // of a redirect.
  if (answer.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    discard(answer);
    throw unreadable(request, answer, {
      code: 'redirected',
      message: 'the answer is a redirect, and redirects are not followed; check baseUrl',
    });
  }
  const fields = Fields.ofJson(await textOf(answer, request));
  if (status === 200 && fields) return readResult(fields, answer, request);
  const problem = fields && status >= 400 ? readProblem(fields, status, secrets) : undefined;
  if (!problem) throw unreadable(request, answer, { message: 'the answer does not come from a Morsel gateway' });
  const where = problem.field === undefined ? '' : `: ${problem.field}`;
  throw new MorselError({
    ...answered(answer, secrets),
    kind: 'refused',
    code: problem.code,
    message: `the gateway refused the request: ${problem.code}${where} (${status})`,
    field: problem.field,
    isTransient: isTransient(status),
    problem,
    ...(problem.requestId === undefined ? {} : { requestId: problem.requestId }),
  });
}

/**
 * Converts an error of `fetch` to a MorselError. Keeps only the error code of the system, because the rest may contain
 * secrets.
 */
export function networkError(error: unknown, { hasEffect }: Pick<Request<unknown>, 'hasEffect'>): MorselError {
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

function readResult<T>(fields: Fields, answer: FetchAnswer, request: Request<T>): T {
  try {
    return request.read(fields, answer.headers);
  } catch (error) {
    const which = error instanceof FieldError ? `: ${error.message}` : '';
    throw unreadable(request, answer, { message: `the answer is not a valid answer of the gateway${which}` });
  }
}

/**
 * Makes the error for an answer that does not come from the gateway. With a status 2xx or 5xx, the effect of the
 * request is unknown. With other statuses than 2xx and 5xx, the request did not reach the gateway.
 */
function unreadable(
  { hasEffect, secrets }: Pick<Request<unknown>, 'hasEffect' | 'secrets'>,
  answer: FetchAnswer,
  {
    code = 'unreadable_answer',
    message,
  }: { code?: 'unreadable_answer' | 'answer_too_large' | 'redirected'; message: string },
): MorselError {
  const { status } = answer;
  return new MorselError({
    ...answered(answer, secrets),
    kind: 'unreadable',
    code,
    message: `${message} (${status})`,
    isTransient: isTransient(status),
    isInDoubt: hasEffect && ((status >= 200 && status < 300) || status >= 500),
  });
}

function answered(answer: FetchAnswer, secrets: Secrets) {
  return {
    status: answer.status,
    requestId: wordOf(answer.headers.get('X-Request-Id'), secrets),
    retryAfterMs: retryAfterMsOf(answer.headers),
  };
}

/**
 * Whether a status is temporary: too many requests, an incomplete request, or a service that is temporarily unavailable
 * (RFC 9110 section 15).
 */
function isTransient(status: number): boolean {
  return status === 408 || status === 429 || status === 502 || status === 503 || status === 504;
}

async function textOf(answer: FetchAnswer, request: Request<unknown>): Promise<string> {
  if (!answer.body) return '';
  const octets = await readBody(answer.body, bodyMax);
  if (octets) return new TextDecoder().decode(octets);
  throw unreadable(request, answer, {
    code: 'answer_too_large',
    message: `the answer has more than ${bodyMax} octets`,
  });
}

function discard(answer: FetchAnswer): void {
  void answer.body
    ?.getReader()
    .cancel()
    .catch(() => undefined);
}

function systemCodeOf(error: unknown): string | undefined {
  const code = isObject(error) ? error['code'] : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z_0-9]{1,40}$/.test(code) ? code : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
