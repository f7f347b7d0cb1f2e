import type { IncomingMessage } from 'node:http';
import { bodyMax } from '../connection/limits.ts';

/* Receives the octets of a request's body. */

/**
 * The most pieces of a body that are kept before they are joined. Each piece takes hundreds of octets of memory, and a client may
 * send chunks of one octet.
 */
const piecesMax = 256;

/** Whether a request has a body (RFC 9112 section 6). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Receives a whole body. Calls `done` once: with the body, or with `too large`, or with `lost` if the client closed the
 * connection before the end of the body.
 */
export function receiveBody(request: IncomingMessage, done: (body: Buffer | 'too large' | 'lost') => void): void {
  let pieces: Buffer[] = [];
  let length = 0;
  const hear = (piece: Buffer): void => {
    length += piece.length;
    if (length > bodyMax) {
      end('too large');
      return;
    }
    pieces.push(piece);
    if (pieces.length === piecesMax) pieces = [Buffer.concat(pieces)];
  };
  const end = (outcome: Buffer | 'too large' | 'lost'): void => {
    request.off('data', hear).off('end', finish).off('error', lose);
    done(outcome);
  };
  const finish = (): void => end(Buffer.concat(pieces));
  const lose = (): void => end('lost');
  request.on('data', hear).on('end', finish).on('error', lose);
}
