import type { IncomingMessage } from 'node:http';
import { bodyMax } from '../connection/limits.ts';

/** The octets of a body; or why there are none: the body is too large, or the client closed the connection. */
export type ReceivedBody = Buffer | 'too large' | 'lost';

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Calls `done` once, or never if the client has already closed the connection. */
export function receiveBody(request: IncomingMessage, done: (body: ReceivedBody) => void): void {
  // A request begins when its head was parsed. In the next tick, all octets that came with the head are parsed. Most bodies are
  // complete then, and need no events of the stream.
  process.nextTick(() => {
    if (!request.complete) {
      collectBody(request, done);
      return;
    }
    const body: Buffer = request.read() ?? Buffer.alloc(0);
    done(body.length > bodyMax ? 'too large' : body);
  });
}

/** Each piece takes hundreds of octets of memory, and a client may send chunks of one octet. */
const piecesMax = 256;

function collectBody(request: IncomingMessage, done: (body: ReceivedBody) => void): void {
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
