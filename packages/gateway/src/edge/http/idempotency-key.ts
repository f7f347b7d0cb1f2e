import type { IncomingMessage } from 'node:http';
import type { Rejection } from '../../core/rejection.ts';
import { ok } from '../../core/result.ts';
import type { Result } from '../../core/result.ts';
import type { Fields } from './body.ts';
import { malformed } from './malformed.ts';

const twoKeys = malformed('two different idempotency keys came in one request', 'idempotencyKey');
const none = ok(undefined);

/**
 * The key of a request: in its header, in its field, or the same in both. An empty one was meant to be one, so it goes on
 * to be refused: its client would take itself for safe.
 */
export function readIdempotencyKey(raw: IncomingMessage, fields: Fields): Result<string | undefined, Rejection> {
  const given = fields['idempotencyKey'];
  let key = typeof given === 'string' ? given : undefined;
  if (raw.headers['idempotency-key'] === undefined) return key === undefined ? none : ok(key);
  // node joins several headers of a name it does not know.
  for (let at = 0; at + 1 < raw.rawHeaders.length; at += 2) {
    if (raw.rawHeaders[at]?.toLowerCase() !== 'idempotency-key') continue;
    const value = raw.rawHeaders[at + 1];
    if (key !== undefined && key !== value) return twoKeys;
    key = value;
  }
  return ok(key);
}
