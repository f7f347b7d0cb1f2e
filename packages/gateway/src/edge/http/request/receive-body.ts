import type { IncomingMessage } from 'node:http';
import type { Head } from './head.ts';

/** The octets of a body, or why there are none: the body is too large, or the client closed the connection. */
export type ReceivedBody = Buffer | 'too large' | 'lost';

export function hasBody({ headers }: Head): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Reads a body. Calls `done` once, or never if the client has already closed the connection. */
export function receiveBody(request: IncomingMessage, bodyMax: number, done: (body: ReceivedBody) => void): void {
  // In the next tick, Node has parsed all octets that came with the head. Most bodies are complete then, and need no
  // stream events.
  process.nextTick(() => {
    if (!request.complete) {
      collectBody(request, bodyMax, done);
      return;
    }
    const body: Buffer = request.read() ?? Buffer.alloc(0);
    done(body.length > bodyMax ? 'too large' : body);
  });
}

/** The most pieces of a body before they are joined: a piece of one octet takes hundreds of octets of memory. */
const piecesMax = 256;

function collectBody(request: IncomingMessage, bodyMax: number, done: (body: ReceivedBody) => void): void {
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
  const end = (body: ReceivedBody): void => {
    request.off('data', hear).off('end', finish).off('error', lose);
    done(body);
  };
  const finish = (): void => end(Buffer.concat(pieces));
  const lose = (): void => end('lost');
  request.on('data', hear).on('end', finish).on('error', lose);
}
