import { isUtf8 } from 'node:buffer';
import type { Rejection } from '../../../core/base/rejection.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import { parseForm } from '../../http/request/form.ts';
import { doubledMember } from '@morsel/api/admin/doubled-member.ts';
import { illFormedMember } from '@morsel/api/admin/well-formed.ts';
import { checkBodyCoding, formType, readContentType, type Head } from '../../http/request/head.ts';
import { malformed } from '../../http/request/malformed.ts';

/* Reads the body of a POST request: a JSON object or a form. */

export type BodyFields = Readonly<Record<string, unknown>>;

/** The content of a body. `outer` is the object around a member `data` with the fields. It may have the token. */
export interface BodyContent {
  readonly fields: BodyFields;
  readonly outer: BodyFields | undefined;
  /** Whether the body is a form, in which a plain `+` means a space. */
  readonly isForm: boolean;
}

const openingBrace = 0x7b;
const openingBracket = 0x5b;

const empty = malformed('the body is empty');
const notUtf8 = malformed('the body is not valid UTF-8');
const notJson = malformed('the body is not valid JSON');
const halfText = 'a JSON member has half of a surrogate pair, which is no character';
const neither = malformed('the body is neither a JSON object nor a form');

/** Returns undefined if the client API supports the body that these headers describe. */
export function checkBodyHeaders(head: Head): Rejection | undefined {
  const unreadable = checkBodyCoding(head);
  return unreadable ?? (readContentType(head.headers['content-type']) === 'multipart' ? multipart : undefined);
}

const multipart: Rejection = {
  code: 'unsupported_media_type',
  detail: `the body must be application/json or ${formType}; multipart bodies are not supported`,
};

/**
 * A body that starts with a brace is JSON, whatever its Content-Type says. Any other body must be a form. An error
 * names a field only if the field is in `known`, because an unknown name may be a secret.
 */
export function parseBody(
  body: Buffer | undefined,
  contentType: string | undefined,
  known: object,
): Result<BodyContent, Rejection> {
  if (body === undefined || body.length === 0) return empty;
  const start = skipByteOrderMark(body);
  const first = firstOf(body, start);
  if (first === openingBrace) return parseJson(body, start, known);
  // Many clients send JSON with the Content-Type of a form. A JSON list is refused, too.
  if (readContentType(contentType) !== 'form' || first === openingBracket) return neither;
  const form = parseForm(body.toString('latin1', start), known);
  return form.ok ? ok({ fields: form.value, outer: undefined, isForm: true }) : form;
}

function skipByteOrderMark(body: Buffer): number {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0;
}

function firstOf(body: Buffer, start: number): number | undefined {
  let at = start;
  while (isJsonSpace(body[at])) at++;
  return body[at];
}

function isJsonSpace(octet: number | undefined): boolean {
  return octet === 0x20 || octet === 0x0a || octet === 0x0d || octet === 0x09;
}

function parseJson(body: Buffer, start: number, known: object): Result<BodyContent, Rejection> {
  if (!isUtf8(body)) return notUtf8;
  const source = body.toString('utf8', start);
  let content: unknown;
  try {
    content = JSON.parse(source);
  } catch {
    // The error of `JSON.parse` is not used, because it quotes the body with its token and text.
    return notJson;
  }
  if (!isObject(content)) return notJson;
  const doubled = doubledMember(source);
  if (doubled !== undefined) {
    return malformed('a JSON member occurs twice', Object.hasOwn(known, doubled) ? doubled : undefined);
  }
  const data = content['data'];
  const [fields, outer] = isObject(data) ? [data, content] : [content, undefined];
  // A half surrogate pair in the field `text` is not refused here, because the encoder refuses it with its position.
  const text = Object.hasOwn(known, 'text') ? { of: fields, member: 'text' } : undefined;
  const illFormed = illFormedMember(source, content, text);
  if (illFormed !== undefined) return malformed(halfText, Object.hasOwn(known, illFormed) ? illFormed : undefined);
  return ok({ fields, outer, isForm: false });
}

function isObject(value: unknown): value is BodyFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
