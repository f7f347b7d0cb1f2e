import type { IncomingMessage } from 'node:http';
import type { Rejection } from '../../../core/base/rejection.ts';
import { formType, readContentType } from './body.ts';
import { bodyMax, headMax } from '../connection/limits.ts';
import { bodyTooLarge, headTooLarge, requestLineTooLarge } from './parser-errors.ts';

/* Checks the head of a request: its version and Host, its size, and the headers that describe its body. */

/** Octets of a request line besides its method and target. */
const requestLineFrame = ' HTTP/1.1\r\n'.length + 1;
/** Octets of a header line besides its name and value. */
const headerFrame = ': \r\n'.length;

/** Refuses a wrong version or a missing or repeated Host; otherwise undefined. */
export function checkHost({ rawHeaders, httpVersionMajor }: IncomingMessage): Rejection | undefined {
  if (httpVersionMajor !== 1) return badVersion;
  let hosts = 0;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  // RFC 9112 section 3.2; also for HTTP/1.0, whose clients have sent Host since 1997. Node's own check answers without a body.
  return hosts === 1 ? undefined : badHost;
}

/** Refuses a request line or headers that are too long; otherwise undefined. Routes call it, after the check of the method. */
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
 * Refuses headers that describe an unsupported body; otherwise undefined. Removes every content type but that of a form, so that
 * fastify reads any body: JSON is recognized by its first octet.
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
const badHost: Rejection = { code: 'malformed_request', detail: 'the request must have exactly one Host header' };
const unreadableEncoding: Rejection = {
  code: 'unsupported_media_type',
  detail: 'the body must come without a Content-Encoding',
};
const multipart: Rejection = {
  code: 'unsupported_media_type',
  detail: `the body must be application/json or ${formType}; multipart bodies are not supported`,
};
const unreadableCharset: Rejection = {
  code: 'unsupported_media_type',
  detail: 'the charset of the body must be UTF-8',
};
