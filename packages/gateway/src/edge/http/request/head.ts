import type { IncomingMessage } from 'node:http';
import type { Rejection } from '../../../core/base/rejection.ts';
import { formType, readContentType } from './body.ts';
import { bodyMax, headMax } from '../connection/limits.ts';
import { bodyTooLarge, headTooLarge, requestLineTooLarge } from './parser-errors.ts';

/** Octets of a request line besides its target: method, spaces, version and end of line. */
const requestLineFrame = ' HTTP/1.1\r\n'.length + 1;
/** Octets of a header line besides its name and value. */
const headerFrame = ': \r\n'.length;

/** What is wrong with the version or the Host of any request, or undefined. */
export function checkHost({ rawHeaders, httpVersionMajor }: IncomingMessage): Rejection | undefined {
  if (httpVersionMajor !== 1) return badVersion;
  let hosts = 0;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  // RFC 9112 section 3.2, and of HTTP/1.0 as well: who has none speaks an HTTP of before 1997. Node's own check answers without a body.
  return hosts === 1 ? undefined : badHost;
}

/** Which of the request line and the headers is too long, or undefined. Comes after the method, so it is for the routes. */
export function checkHeadSize(request: IncomingMessage): Rejection | undefined {
  const { rawHeaders } = request;
  let size = (request.method?.length ?? 0) + (request.url?.length ?? 0) + requestLineFrame;
  if (size > headMax) return requestLineTooLarge;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    size += (rawHeaders[at]?.length ?? 0) + (rawHeaders[at + 1]?.length ?? 0) + headerFrame;
  }
  return size > headMax ? headTooLarge : undefined;
}

/**
 * What is wrong with the headers that describe a body, or undefined. Leaves the content type of a form, and none for
 * anything else, so that no type keeps a body from being read: JSON is known by its first byte.
 */
export function checkBodyHeaders(request: IncomingMessage): Rejection | undefined {
  const { headers } = request;
  if (Number(headers['content-length']) > bodyMax) return bodyTooLarge;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') return unreadableEncoding;
  const type = readContentType(headers['content-type']);
  if (type === undefined) return unreadableCharset;
  if (type === 'multipart') return multipart;
  headers['content-type'] = type === 'form' ? formType : undefined;
  return undefined;
}

const badVersion: Rejection = { code: 'malformed_request', detail: 'the version must be HTTP/1.1 or HTTP/1.0' };
const badHost: Rejection = { code: 'malformed_request', detail: 'a request must have one Host header' };
const unreadableEncoding: Rejection = {
  code: 'unsupported_media_type',
  detail: 'the body must come without a Content-Encoding',
};
const multipart: Rejection = {
  code: 'unsupported_media_type',
  detail: `the body must be application/json or ${formType}; multipart bodies are not taken`,
};
const unreadableCharset: Rejection = {
  code: 'unsupported_media_type',
  detail: 'the charset of the body must be UTF-8',
};
