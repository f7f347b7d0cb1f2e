import type { Rejection } from '../../../core/base/rejection.ts';
import { isList } from '@morsel/api/document.ts';
import type { FieldTable, JsonSchema } from '@morsel/api/fields/field.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import { parseBody, type BodyContent, type BodyFields } from './body.ts';
import { parseForm } from '../../http/request/form.ts';
import { malformed } from '../../http/request/malformed.ts';
import type { Exchange } from '../../http/routes.ts';
import type { Head } from '../../http/request/head.ts';

/* Reads the fields and the token of a request, from its query, its body and its headers. */

/** What the endpoints read of a request. */
export type Incoming = Pick<Exchange, 'body' | 'address' | 'account'> & { readonly request: Head };

/**
 * A request whose fields have the right types. `outer` is the JSON object around `data`. `query` has the query
 * parameters of a POST request; undefined if there are none.
 */
export interface RequestReading {
  readonly fields: BodyFields;
  readonly token: string | undefined;
  readonly outer: BodyFields | undefined;
  readonly query: BodyFields | undefined;
  /** Whether the fields came in a query or a form, in which a plain `+` means a space. */
  readonly isForm: boolean;
}

/** The fields `auth` and `idempotencyKey` are also accepted beside `data`, because some clients put them there. */
const besideFields = ['auth', 'idempotencyKey'] as const;

/** In a query or a form, every field is a text. A null value counts as absent. */
type FieldType = 'text' | 'text or digits' | 'text or integer' | 'text or list of words' | 'flag';
type FieldTypes = Readonly<Record<string, FieldType>>;

/** The types of the declared fields. Checking their schemas would make each request several times slower. */
export function typesOf(table: FieldTable): FieldTypes {
  return Object.fromEntries(Object.entries(table).map(([name, { schema }]) => [name, typeOf(schema)]));
}

function typeOf(schema: JsonSchema): FieldType {
  if (schema['type'] === 'integer') return 'text or integer';
  if (schema['type'] === 'boolean') return 'flag';
  if (isList(schema)) return 'text or list of words';
  return schema['anyOf'] === undefined ? 'text' : 'text or digits';
}

export function readRequestFields(incoming: Incoming, types: FieldTypes): Result<RequestReading, Rejection> {
  const { request, body } = incoming;
  const query = queryOf(request.url ?? '');
  if (request.method === 'GET') {
    const form = parseForm(query, types);
    return form.ok ? read(request, types, { content: { fields: form.value, outer: undefined, isForm: true } }) : form;
  }
  const content = parseBody(body, request.headers['content-type'], types);
  if (!content.ok || query === '') return content.ok ? read(request, types, { content: content.value }) : content;
  // The fields of a POST request are in the body, but the token and the idempotency key may also be in the query.
  const form = parseForm(query, types);
  return form.ok ? read(request, types, { content: content.value, query: form.value }) : form;
}

/** The field as a text, a list with commas between its words. An absent field is empty. The caller checks types. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function read(
  request: Head,
  types: FieldTypes,
  { content, query }: { readonly content: BodyContent; readonly query?: BodyFields },
): Result<RequestReading, Rejection> {
  const { fields, outer, isForm } = content;
  for (const name in types) {
    const type = types[name];
    if (type !== undefined && !hasType(fields[name], type)) return wrongType(name, type);
  }
  if (outer) {
    for (const name of besideFields) {
      if (name in types && !hasType(outer[name], 'text')) return wrongType(name, 'text');
    }
  }
  const bearer = request.headers.authorization === undefined ? undefined : bearerOf(request);
  if (bearer !== undefined && !bearer.ok) return bearer;
  let token = '';
  for (const given of [fields['auth'], outer?.['auth'], query?.['auth'], bearer?.value]) {
    if (typeof given !== 'string' || given === '' || given === token) continue;
    if (token !== '') return twoTokens;
    token = given;
  }
  return ok({ fields, token: token === '' ? undefined : token, outer, query, isForm });
}

function hasType(value: unknown, type: FieldType): boolean {
  if (typeof value === 'string' || value === undefined || value === null) return true;
  switch (type) {
    case 'text':
      return false;
    case 'text or digits':
      // Larger numbers are refused, because `JSON.parse` changes their digits.
      return Number.isSafeInteger(value) && Number(value) >= 0;
    case 'text or integer':
      return Number.isInteger(value);
    case 'text or list of words':
      return Array.isArray(value) && value.every((word) => typeof word === 'string' && !word.includes(','));
    case 'flag':
      return typeof value === 'boolean' || Number.isInteger(value);
  }
}

function wrongType(name: string, type: FieldType): { readonly ok: false; readonly error: Rejection } {
  return malformed(`${name} has the wrong type: it must be ${type === 'flag' ? 'true or false' : type}`, name);
}

const twoTokens = malformed('the request has two different tokens: send only one');
const bearerPattern = /^bearer +(\S+) *$/i;

/** Reads the bearer token (RFC 6750, section 2.1) from `rawHeaders`: Node keeps only the first header in `headers`. */
function bearerOf({ rawHeaders }: Head): Result<string | undefined, Rejection> {
  let token: string | undefined;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== 'authorization') continue;
    const given = bearerPattern.exec(rawHeaders[at + 1] ?? '')?.[1];
    if (given === undefined || given === token) continue;
    if (token !== undefined) return twoTokens;
    token = given;
  }
  return ok(token);
}

function queryOf(url: string): string {
  const at = url.indexOf('?');
  return at === -1 ? '' : url.slice(at + 1);
}
