import { doubledMember } from '@morsel/api/admin/doubled-member.ts';
import { readJson } from '@morsel/api/fields/exact-json.ts';
import { illFormedMember } from '@morsel/api/admin/well-formed.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { parseForm } from '../http/request/form.ts';
import { checkBodyCoding, type Head } from '../http/request/head.ts';
import { malformed } from '../http/request/malformed.ts';
import { hasBody } from '../http/request/receive-body.ts';
import type { Exchange } from '../http/routes.ts';

/* Reads the fields of requests to the operator's API, from path, query and JSON body. */

/** The fields of a request. Numbers of a JSON body keep their digits, so that amounts are exact. */
export type RequestFields = { readonly [field: string]: unknown };

const badBody = malformed('the body must be a JSON object in UTF-8');
const doubled = malformed('a parameter or a JSON member occurs twice');
const illFormed = malformed('a text has half of a surrogate pair, which is no character');
const notJson: Rejection = { code: 'unsupported_media_type', detail: 'the body must be application/json' };

const jsonType = /^\s*application\/json\s*(?:;|$)/i;

/** Returns undefined if the request has a JSON body, or none. */
export function checkJsonBody(head: Head): Rejection | undefined {
  const type = head.headers['content-type'];
  const isJson = type === undefined ? !hasBody(head) : jsonType.test(type);
  return isJson ? checkBodyCoding(head) : notJson;
}

/** With `isMessage`, the encoder reports the characters of the field `text` that it cannot encode. */
export function readJsonBody(octets: Buffer = Buffer.alloc(0), isMessage = false): Result<unknown, Rejection> {
  let text: string;
  let content: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(octets);
    content = text === '' ? undefined : readJson(text);
  } catch {
    return badBody;
  }
  if (doubledMember(text) !== undefined) return doubled;
  const except = isMessage && typeof content === 'object' && content !== null ? content : undefined;
  return illFormedMember(text, content, except && { of: except, member: 'text' }) === undefined
    ? ok(content)
    : illFormed;
}

/** Reads the fields from the path, the query, and the body of a POST or PATCH. */
export function readFields(
  { request: { method, url = '' }, parameters: path, body: octets }: Exchange,
  isMessage: boolean,
): Result<RequestFields, Rejection> {
  const read = readJsonBody(octets, isMessage);
  if (!read.ok) return read;
  const [, ...queries] = url.split('?');
  const query = parseForm(queries.join('?'), {});
  if (!query.ok) return query;
  const body = method === 'POST' || method === 'PATCH' ? read.value : undefined;
  if (body !== undefined && (typeof body !== 'object' || body === null || Array.isArray(body))) return badBody;
  const fields = { ...query.value, ...body, ...path };
  const given = [query.value, body ?? {}, path].reduce((sum, each) => sum + Object.keys(each).length, 0);
  return Object.keys(fields).length < given ? doubled : ok(fields);
}
