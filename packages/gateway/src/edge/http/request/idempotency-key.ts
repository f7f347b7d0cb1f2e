import type { IncomingMessage } from 'node:http';
import type { Rejection } from '../../../core/base/rejection.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { BodyFields } from './body.ts';
import type { RequestReading } from './fields.ts';
import { malformed } from './malformed.ts';

const twoKeys = malformed('two different idempotency keys came in one request', 'idempotencyKey');
const none = ok(undefined);

/**
 * The key of a request: in its header, in its fields or beside them as a token may be, or the same in several places. An empty
 * one was meant to be one, so it goes on to be refused: its client would take itself for safe.
 */
export function parseIdempotencyKey(
  raw: IncomingMessage,
  { fields, outer, query }: Pick<RequestReading, 'fields' | 'outer' | 'query'>,
): Result<string | undefined, Rejection> {
  const hasHeader = raw.headers['idempotency-key'] !== undefined;
  let key = textIn(fields);
  if (!hasHeader && outer === undefined && query === undefined) return key === undefined ? none : ok(key);
  for (const given of [textIn(outer), textIn(query), ...(hasHeader ? keysInHeaders(raw) : [])]) {
    if (given === undefined || given === key) continue;
    if (key !== undefined) return twoKeys;
    key = given;
  }
  return ok(key);
}

function textIn(fields: BodyFields | undefined): string | undefined {
  const given = fields?.['idempotencyKey'];
  return typeof given === 'string' ? given : undefined;
}

/** node joins several headers of a name it does not know. */
function keysInHeaders({ rawHeaders }: IncomingMessage): string[] {
  return rawHeaders.filter((_value, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'idempotency-key');
}
