import { isUtf8 } from 'node:buffer';
import type { Rejection } from '../../../core/base/rejection.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import type { BodyFields } from './body.ts';
import type { RequestReading } from './fields.ts';
import { malformed } from '../../http/request/malformed.ts';
import type { Head } from '../../http/request/head.ts';

const twoKeys = malformed('the request has two different idempotency keys: send only one', 'idempotencyKey');
const notUtf8 = malformed('the header Idempotency-Key is not valid UTF-8', 'idempotencyKey');
const none = ok(undefined);

/**
 * Reads the key from the header, the fields, the object around `data`, or the query; several places may have the same
 * key. An empty key is returned, so that admission refuses it: its client relies on safe retries.
 */
export function parseIdempotencyKey(
  request: Head,
  { fields, outer, query }: Pick<RequestReading, 'fields' | 'outer' | 'query'>,
): Result<string | undefined, Rejection> {
  const hasHeader = request.headers['idempotency-key'] !== undefined;
  let key = textIn(fields);
  if (!hasHeader && outer === undefined && query === undefined) return key === undefined ? none : ok(key);
  const inHeaders = hasHeader ? keysInHeaders(request) : [];
  if (!inHeaders.every((given) => isUtf8(Buffer.from(given, 'latin1')))) return notUtf8;
  for (const given of [textIn(outer), textIn(query), ...inHeaders]) {
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

/** Reads the raw headers, because Node joins several Idempotency-Key headers into one. */
function keysInHeaders({ rawHeaders }: Head): string[] {
  return rawHeaders.filter((_value, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'idempotency-key');
}
