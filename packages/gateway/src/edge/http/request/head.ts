import type { IncomingMessage } from 'node:http';
import type { Rejection } from '../../../core/base/rejection.ts';
import { tooLarge } from './parser-errors.ts';

/* Checks the head of a request: its version and Host, its size, and the headers that describe its body. */

/** What is known of a request before its body has arrived completely. */
export type Head = Readonly<
  Pick<
    IncomingMessage,
    'method' | 'url' | 'headers' | 'rawHeaders' | 'httpVersionMajor' | 'httpVersionMinor' | 'complete'
  >
>;

const requestLineFrame = ' HTTP/1.1\r\n'.length + 1;
const headerFrame = ': \r\n'.length;

/** Returns undefined if version and Host are right. With `mayLack`, a request over HTTP/1.0 needs no Host. */
export function checkHost(
  { rawHeaders, httpVersionMajor, httpVersionMinor }: Head,
  mayLack: boolean,
): Rejection | undefined {
  if (httpVersionMajor !== 1) return badVersion;
  let hosts = 0;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  // RFC 9112 section 3.2 requires one Host header. HTTP/1.0 clients must send one, too; all known ones do, besides load
  // balancers. Node's own check is off, because its refusal has no body.
  return hosts === 1 || (hosts === 0 && mayLack && httpVersionMinor === 0) ? undefined : badHost;
}

/** Returns undefined if the size is within the limits. */
export function checkHeadSize(request: Head, headMax: number): Rejection | undefined {
  const { rawHeaders } = request;
  let size = (request.method?.length ?? 0) + (request.url?.length ?? 0) + requestLineFrame;
  if (size > headMax) return tooLarge(414, headMax);
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    size += (rawHeaders[at]?.length ?? 0) + (rawHeaders[at + 1]?.length ?? 0) + headerFrame;
  }
  return size > headMax ? tooLarge(431, headMax) : undefined;
}

/** Refuses compressed bodies, and charsets other than UTF-8. */
export function checkBodyCoding({ headers }: Head): Rejection | undefined {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') return unreadableEncoding;
  return readContentType(headers['content-type']) === undefined ? unreadableCharset : undefined;
}

const badVersion: Rejection = { code: 'malformed_request', detail: 'the version must be HTTP/1.1 or HTTP/1.0' };
const badHost: Rejection = { code: 'malformed_request', detail: 'the request must have exactly one Host header' };
const unreadableEncoding: Rejection = {
  code: 'unsupported_media_type',
  detail: 'the body must not have a Content-Encoding: send it uncompressed',
};
const unreadableCharset: Rejection = {
  code: 'unsupported_media_type',
  detail: 'the charset of the body must be UTF-8',
};

/** Returns undefined if the header names a charset other than UTF-8. */
export function readContentType(header: string | undefined): 'form' | 'multipart' | 'other' | undefined {
  if (header === undefined || header === 'application/json') return 'other';
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(header)?.[1]?.toLowerCase();
  if (charset !== undefined && !['utf-8', 'utf8', 'us-ascii', 'ascii'].includes(charset)) return undefined;
  const type = header.trimStart().toLowerCase();
  if (type.startsWith('multipart/')) return 'multipart';
  return type.startsWith(formType) ? 'form' : 'other';
}

export const formType = 'application/x-www-form-urlencoded';

/** Version, trace id, id of the parent span, flags. Later versions may have more fields (W3C Trace Context, 3.2). */
const traceParentForm = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:$|-)/;

/** Returns undefined if the header is missing or invalid. */
export function traceParentOf({ headers: { traceparent } }: Head): string | undefined {
  return typeof traceparent === 'string' && traceParentForm.test(traceparent) ? traceparent : undefined;
}

export function readTraceId(request: Head): string | undefined {
  return traceParentOf(request)?.split('-')[1];
}
