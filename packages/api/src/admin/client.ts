import { ok, refused, type Result } from '../values/result.ts';
import { parsedJson, writeJson, type Json } from '../fields/exact-json.ts';
import { fromJson, typedText, type Field } from '../fields/field.ts';
import { resources, type Resources } from './resources.ts';
import { searchedTo, type AnswerOf, type GivenOf, type Operation, type Operations } from './resource.ts';

/* A typed client of the operator's HTTP API, for the command line, the console and tests. */

export const adminBase = '/admin/v1';

/** The longest wait for an answer. Some operations read the whole store. */
const answerDeadlineMs = 120_000;
/** The longest wait for the answer to an upload: a large file is stored bit by bit, so that messages do not wait. */
const uploadDeadlineMs = 300_000;

export function deadlineMsOf({ bodyMax }: Operation): number {
  return bodyMax === undefined ? answerDeadlineMs : uploadDeadlineMs;
}

export interface AdminCredentials {
  /** Without a key, a browser sends the cookie of its session. */
  readonly key?: string | undefined;
  /** Who makes the changes. Only with the key of the data directory, because every other key belongs to an operator. */
  readonly actor?: string | undefined;
  readonly reason?: string | undefined;
  /** A change that is repeated with the same idempotency key is done once. */
  readonly idempotencyKey?: string | undefined;
}

/** The headers of actor and reason. Their values are percent-encoded UTF-8. */
export const actorHeader = 'morsel-actor';
export const reasonHeader = 'morsel-reason';
export const idempotencyKeyHeader = 'idempotency-key';

/** The header in the answer to a change. It names the nodes that do not use the change yet. */
export const lateNodesHeader = 'morsel-late-nodes';

export interface AdminAnswer<T> {
  readonly text: string;
  readonly value: T;
  readonly lateNodes?: string;
}

export type AdminFailure =
  /** The gateway refused the request. `problem` is the RFC 9457 body of the answer. */
  | { readonly kind: 'refused'; readonly status: number; readonly text: string; readonly problem: AdminProblem }
  /** No usable answer came. `code` is the system's error code, or a short reason. */
  | { readonly kind: 'unreachable'; readonly code: string };

export interface AdminProblem {
  readonly code: string;
  readonly detail: string;
  readonly field?: string;
  readonly [member: string]: unknown;
}

type GivenArgument<G> = Partial<G> extends G ? [given?: G] : [given: G];

/** A function for each operation. `F` is the type of a failure. */
export type AdminCalls<F> = {
  readonly [R in keyof Resources]: {
    readonly [O in keyof Resources[R]['operations']]: (
      ...given: GivenArgument<GivenOf<Resources[R]['operations'][O]>>
    ) => Promise<Result<AnswerOf<Resources[R]['operations'][O]>, F>>;
  };
};

type GivenValues = { readonly [field: string]: unknown };
type Ask<F> = (operation: Operation, given: GivenValues) => Promise<Result<AdminAnswer<unknown>, F>>;

/** `base` is the address of the gateway, such as `http://127.0.0.1:8081`. */
export function createAdminClient(base: string, credentials: AdminCredentials): AdminCalls<AdminFailure> {
  return callsOf((operation, given) => askOperation({ base, credentials, operation, given }));
}

export function callsOf<F>(ask: Ask<F>): AdminCalls<F> {
  const calls = Object.entries(resources).map(([name, { operations }]) => {
    const all: Operations = operations;
    const ofResource = Object.entries(all).map(([each, operation]) => [
      each,
      async (given: GivenValues = {}) => {
        const answer = await ask(operation, given);
        return answer.ok ? ok(answer.value.value) : answer;
      },
    ]);
    return [name, Object.fromEntries(ofResource)];
  });
  return Object.fromEntries(calls) as AdminCalls<F>;
}

interface Asked {
  readonly base: string;
  readonly credentials: AdminCredentials;
  readonly operation: Operation;
  readonly given: GivenValues;
}

export async function askOperation({
  base,
  credentials,
  operation,
  given,
}: Asked): Promise<Result<AdminAnswer<unknown>, AdminFailure>> {
  const { path, body } = requestOf(operation, given);
  let status = 0;
  try {
    const response = await fetch(`${base}${adminBase}${path}`, {
      method: operation.method,
      headers: {
        ...headersOf(credentials),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
      redirect: 'error',
      signal: AbortSignal.timeout(deadlineMsOf(operation)),
    });
    status = response.status;
    const answer = interpret(operation, status, await response.text());
    const lateNodes = response.headers.get(lateNodesHeader);
    return answer.ok && lateNodes !== null ? ok({ ...answer.value, lateNodes }) : answer;
  } catch (fault) {
    return refused({ kind: 'unreachable', code: status === 0 ? networkCodeOf(fault) : 'cut off' });
  }
}

export type RowForm = 'text/csv' | 'application/jsonl';

/** Passes rows to `take` as text while they arrive. The next rows are read when `take` is done. */
export async function askRows(
  { base, credentials, operation, given, form }: Asked & { readonly form: RowForm },
  take: (text: string) => void | Promise<void>,
): Promise<Result<undefined, AdminFailure>> {
  const { path } = requestOf(operation, given);
  let status = 0;
  try {
    const headers = { ...headersOf(credentials), accept: form };
    const response = await fetch(`${base}${adminBase}${path}`, { headers, redirect: 'error' });
    ({ status } = response);
    if (status !== 200 || !response.body) {
      const answer = interpret(operation, status, await response.text());
      return answer.ok ? refused({ kind: 'unreachable', code: 'no rows' }) : answer;
    }
    const decoder = new TextDecoder();
    for await (const octets of response.body) await take(decoder.decode(octets, { stream: true }));
    return ok(undefined);
  } catch (fault) {
    return refused({ kind: 'unreachable', code: status === 0 ? networkCodeOf(fault) : 'cut off' });
  }
}

function headersOf({ key, actor, reason, idempotencyKey }: AdminCredentials): { [header: string]: string } {
  return {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(actor === undefined ? {} : { [actorHeader]: encodeURIComponent(actor) }),
    ...(reason === undefined ? {} : { [reasonHeader]: encodeURIComponent(reason) }),
    ...(idempotencyKey === undefined ? {} : { [idempotencyKeyHeader]: idempotencyKey }),
  };
}

/** The system's code of a network error, such as ECONNREFUSED, or the name of another error, such as TimeoutError. */
export function networkCodeOf(fault: unknown): string {
  if (!(fault instanceof Error)) return 'unknown fault';
  const { cause } = fault;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : fault.name;
}

function requestOf({ method, path: pattern, input }: Operation, given: GivenValues) {
  const rest = jsonGiven({ input }, given);
  const path = pattern.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(value === undefined ? '' : typedText(value));
  });
  if (method === 'POST' || method === 'PATCH') return { path, body: writeJson(rest) };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(rest)) query.set(name, typedText(value));
  return { path: query.size === 0 ? path : `${path}?${query.toString()}`, body: undefined };
}

export function jsonGiven({ input }: Pick<Operation, 'input'>, given: GivenValues): { [field: string]: Json } {
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present.map(([name, value]) => [name, jsonIn(input[name], value)]));
}

/** A text from the command line stays unchanged, because the gateway parses it. */
function jsonIn(field: Field<unknown> | undefined, value: unknown): Json {
  return field === undefined || typeof value === 'string' ? String(value) : field.json(value);
}

function interpret(operation: Operation, status: number, text: string): Result<AdminAnswer<unknown>, AdminFailure> {
  const body = parsedJson(text);
  if (status === 200 && body !== undefined) return ok({ text, value: answerIn(operation, body) });
  if (typeof body !== 'object' || body === null || !('detail' in body) || !('code' in body)) {
    return refused({ kind: 'unreachable', code: `status ${status}` });
  }
  const problem = { ...body, code: String(body.code), detail: String(body.detail) };
  return refused({ kind: 'refused', status, text, problem });
}

function answerIn({ answer, isPage }: Operation, body: unknown): unknown {
  if (!isPage) return fromJson(answer, body);
  const { items, next = null, ...rest }: { readonly items?: unknown; readonly next?: unknown } = { ...Object(body) };
  const rows = Array.isArray(items) ? items.map((row) => fromJson(answer, row)) : [];
  const place = Object.hasOwn(rest, 'searchedTo') ? fromJson({ searchedTo }, rest) : {};
  return { items: rows, next, ...place };
}
