import type { Rejection } from '../../../core/base/rejection.ts';

const lineFeed = 0x0a;

/** What node says of bytes that are no request: an error of its own, or one of llhttp (`HPE_...`). */
export interface ParserError {
  readonly code?: string | undefined;
  /** The chunk that could not be parsed, a Buffer; types of node and of fastify disagree on that. */
  readonly rawPacket?: unknown;
}

/** How we refuse what never became a request. */
export function rejectionOf({ code, rawPacket }: ParserError): Rejection {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { code: 'request_timeout' };
    case 'HPE_HEADER_OVERFLOW':
      // The parser does not say where it was. A chunk without the end of a line in it is the middle of one that is over
      // the limit all by itself, and that is nearly always the request line.
      return rawPacket instanceof Uint8Array && !rawPacket.includes(lineFeed) ? requestLineTooLarge : headTooLarge;
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return bodyTooLarge;
    // An octet of the address may not stand there, or a space ended it too early: somebody wrote a text into the query as it is.
    case 'HPE_INVALID_URL':
    case 'HPE_INVALID_CONSTANT':
      return notEncoded;
    default:
      return { code: 'malformed_request', detail: 'the bytes received are not an HTTP/1.1 request' };
  }
}

const notEncoded: Rejection = {
  code: 'malformed_request',
  detail:
    'the query is not percent-encoded: its values have to be percent-encoded UTF-8 (ü is %C3%BC, a space is %20, a plus sign is %2B)',
};

export const requestLineTooLarge = tooLarge(414, 'the request line is longer than 64 KiB');
export const headTooLarge = tooLarge(431, 'the request line and the headers are longer than 64 KiB');
export const bodyTooLarge = tooLarge(413, 'the body is longer than 256 KiB');

function tooLarge(status: 413 | 414 | 431, detail: string): Rejection {
  return { code: 'too_large', status, detail };
}
