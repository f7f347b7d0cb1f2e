import type { ServerResponse } from 'node:http';
import type { Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import type { Connection } from './connection/connections.ts';
import type { PlainAnswer } from './lane.ts';
import type { Head } from './request/head.ts';

/* The routes of a listener, and the search for the route of a request. */

export type Admit = (exchange: Exchange) => Rejection | undefined;

/** A path with the methods that one handler serves. */
export interface HttpRoute {
  /** Segments in braces are parameters: `/accounts/{account}`. */
  readonly path: string;
  readonly methods: readonly string[];
  /** Load balancers request a probe every second, over HTTP/1.0 without Host, too. Its refusals are not logged. */
  readonly isProbe?: boolean;
  /** Whether its plain requests are read without node:http. It is for the frequent requests. They have no streams. */
  readonly isPlain?: boolean;
  /** The most octets of a body, if the listener's limit does not fit. */
  readonly bodyMax?: number | undefined;
  /** Checks the caller before the body is read. Here and in `run`, an exception is a bug: the caller gets `internal_error`. */
  readonly admit?: Admit;
  readonly run: (exchange: Exchange) => Promise<Result<Success, Rejection>>;
  /** The answer if `run` refuses; by default a problem (RFC 9457). */
  readonly refuse?: Refuse | undefined;
}

export type Refuse = (rejection: Rejection) => Success;

export interface Exchange {
  readonly request: Head;
  readonly response: ServerResponse | PlainAnswer;
  readonly connection: Connection;
  readonly requestId: string;
  /** The time when the request's head had arrived, on the monotonic clock. */
  readonly from: number;
  /** The caller's address; behind a trusted proxy, the address that the proxy reports. */
  readonly address: string;
  readonly parameters: Parameters;
  /** The octets of the body; undefined if the request has none. */
  body: Buffer | undefined;
  /** The name of the account, for the log. The handler sets it when it has accepted the token. */
  account: string | undefined;
}

type Parameters = Readonly<Record<string, string>>;

/**
 * The body of a successful answer; headers are added to the usual ones, or replace them. A Buffer is shared by all
 * answers, so that a client that reads slowly takes no extra memory. Texts that are read one by one are a stream.
 */
export type Success =
  | string
  | {
      readonly body: string | Buffer | AsyncIterable<string>;
      /** Called when a stream has ended, or when its caller has gone away. */
      readonly closed?: () => void;
      readonly headers: Readonly<Record<string, string>>;
      /** Default: 200. An answer with 204 has no body. */
      readonly status?: number;
    };

/** A path of a listener, as a request has found it. */
export interface FoundPath {
  /** The declared path, and its segments. */
  readonly path: string;
  readonly segments: readonly string[];
  readonly byMethod: ReadonlyMap<string, HttpRoute>;
  /** The methods as the header Allow has them. */
  readonly allow: string;
  readonly isProbe: boolean;
  readonly parameters: Parameters;
}

export class HttpRoutes {
  readonly #fixed = new Map<string, FoundPath>();
  readonly #all: readonly FoundPath[];

  constructor(routes: readonly HttpRoute[]) {
    this.#all = [...Map.groupBy(routes, ({ path }) => path)].toSorted(byPath).map(([path, own]) => {
      const byMethod = new Map(own.flatMap((route) => route.methods.map((method) => [method, route] as const)));
      const allow = [...byMethod.keys()].join(', ');
      const isProbe = own.some((route) => route.isProbe);
      const found = { path, segments: path.split('/'), byMethod, allow, isProbe, parameters: {} };
      if (!path.includes('{')) this.#fixed.set(path, found);
      return found;
    });
  }

  /** Finds the path of a request target (RFC 9112, section 3.2). Returns undefined if nothing is served at the path. */
  find(target: string): FoundPath | 'bad path' | undefined {
    const end = target.indexOf('?');
    const asWritten = this.#fixed.get(end === -1 ? target : target.slice(0, end));
    if (asWritten) return asWritten;
    const segments = segmentsOf(target);
    if (!segments) return 'bad path';
    const match = this.#all.find(
      (each) =>
        each.segments.length === segments.length &&
        each.segments.every((name, at) => name === segments[at] || isParameter(name)),
    );
    if (!match) return undefined;
    const given = match.segments.map((name, at) => [name, segments[at] ?? ''] as const);
    const parameters = given.filter(([name]) => isParameter(name)).map(([name, value]) => [name.slice(1, -1), value]);
    return { ...match, parameters: Object.fromEntries(parameters) };
  }
}

function isParameter(name: string): boolean {
  return name.startsWith('{');
}

/** A fixed name comes before a parameter, so that `/messages/quote` is not the message `quote`. */
function byPath([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  const [first, second] = [one, other].map((path) => path.replaceAll(/\{\w+\}/g, '\uffff'));
  return (first ?? '') < (second ?? '') ? -1 : 1;
}

/** A target in absolute form: its scheme, its authority and its path. */
const absoluteForm = /^https?:\/\/[^/?#]+([^?#]*)(?:\?[^#]*)?$/i;

/** The segments of the path without percent-escapes. Undefined if the target or an escape is invalid. */
function segmentsOf(target: string): readonly string[] | undefined {
  let path = target.split(/[?#]/, 1)[0] ?? '';
  if (/^https?:\/\//i.test(target)) {
    const absolute = absoluteForm.exec(target);
    if (!absolute || !URL.canParse(target)) return undefined;
    path = absolute[1] || '/';
  }
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
