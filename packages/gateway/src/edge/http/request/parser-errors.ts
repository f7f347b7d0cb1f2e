import type { Rejection } from '../../../core/base/rejection.ts';
import type { HttpLimits } from '../connection/limits.ts';

const lineFeed = 0x0a;

/** The error for octets that are not an HTTP request: an error of Node, or an error of Node's parser llhttp (`HPE_...`). */
export interface ParserError extends Error {
  readonly code?: string | undefined;
  /** The chunk that could not be parsed. The value is a Buffer, which the types of Node do not say. */
  readonly rawPacket?: unknown;
}

export function rejectionOf({ code, rawPacket }: ParserError, { headMax, bodyMax }: HttpLimits): Rejection {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { code: 'request_timeout' };
    case 'HPE_HEADER_OVERFLOW':
      // The parser does not report where it stopped. A chunk without a line end belongs to a very long line, usually
      // the request line.
      return tooLarge(rawPacket instanceof Uint8Array && !rawPacket.includes(lineFeed) ? 414 : 431, headMax);
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return tooLarge(413, bodyMax);
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

const longer = {
  413: 'the body is',
  414: 'the request line is',
  431: 'the request line and the headers are',
} as const;

export function tooLarge(status: keyof typeof longer, octetsMax: number): Rejection {
  return { code: 'too_large', status, detail: `${longer[status]} longer than ${octetsMax / 1024} KiB` };
}
