import type { Rejection } from '../../../core/base/rejection.ts';

const lineFeed = 0x0a;

/** The error for octets that are not an HTTP request: an error of Node, or an error of Node's parser llhttp (`HPE_...`). */
export interface ParserError extends Error {
  readonly code?: string | undefined;
  /** The chunk that could not be parsed. The value is a Buffer, which the types of Node do not say. */
  readonly rawPacket?: unknown;
}

export function rejectionOf({ code, rawPacket }: ParserError): Rejection {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { code: 'request_timeout' };
    case 'HPE_HEADER_OVERFLOW':
      // The parser does not report where it stopped. A chunk without a line end belongs to a very long line, usually
      // the request line.
      return rawPacket instanceof Uint8Array && !rawPacket.includes(lineFeed) ? requestLineTooLarge : headTooLarge;
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return bodyTooLarge;
    // The query has an octet or a space that is not allowed, because the client did not percent-encode a text.
    case 'HPE_INVALID_URL':
    case 'HPE_INVALID_CONSTANT':
      return notEncoded;
    default:
      return { code: 'malformed_request', detail: 'the octets received are not an HTTP/1.1 request' };
  }
}

const notEncoded: Rejection = {
  code: 'malformed_request',
  detail:
    'the query is not percent-encoded: its values must be percent-encoded UTF-8 (ü is %C3%BC, a space is %20, a plus sign is %2B)',
};

export const requestLineTooLarge = tooLarge(414, 'the request line is longer than 64 KiB');
export const headTooLarge = tooLarge(431, 'the request line and the headers are longer than 64 KiB');
export const bodyTooLarge = tooLarge(413, 'the body is longer than 256 KiB');

function tooLarge(status: 413 | 414 | 431, detail: string): Rejection {
  return { code: 'too_large', status, detail };
}
