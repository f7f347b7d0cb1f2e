import { describedSchema, typedText, type Field, type FieldTable } from '@morsel/api/fields/field.ts';
import { endpoints, type Endpoint } from '@morsel/api/endpoints.ts';
import { notificationHeaders, notifications } from '@morsel/api/notifications.ts';
import { problems } from '@morsel/api/problems.ts';
import { shapes, type ShapeName } from '@morsel/api/shapes.ts';
import { asSentence, code, codes, table, type Page } from './page.ts';

/* The page of the HTTP API of clients: its endpoints, and the notifications that webhooks get. */

export function clientApiPage(): Page {
  const seen = new Map<ShapeName, string>();
  return {
    file: 'client-api.md',
    title: 'HTTP API of clients',
    summary: 'every field of the requests and answers of clients, and of webhooks',
    blocks: [
      'For programs, `GET /openapi.json` has the same. Fields with `*` are always there. [Refusals](refusals.md) explains the codes. `/v1/sms/…` is the same as `/sms/…`.',
      ...Object.values(endpoints).flatMap((endpoint) => endpointBlocks(endpoint, seen)),
      '## Notifications',
      'A webhook gets these headers and fields, unless its template renames the fields.',
      ...headerTable(notificationHeaders),
      ...Object.entries(notifications).flatMap(([type, { summary, shape }]) => [
        `### ${code(type)}`,
        asSentence(summary),
        fieldsOf(shape),
      ]),
    ],
  };
}

/** `seen` has the requests that the page has already, each with its path. */
function endpointBlocks(endpoint: Endpoint, seen: Map<ShapeName, string>): readonly string[] {
  const { path, methods, summary, description, request, requestHeaders, response } = endpoint;
  const earlier = request && seen.get(request);
  if (request && earlier === undefined) seen.set(request, path);
  const refused = endpoint.problems.toSorted((one, other) => problems[one].statuses[0] - problems[other].statuses[0]);
  return [
    `## ${summary}`,
    `${codes(methods.map((method) => `${method} ${path}`))}. ${description}`,
    ...(earlier === undefined ? [] : [`The request has the fields of ${code(earlier)}.`]),
    ...(request && earlier === undefined ? ['The request:', fieldsOf(request)] : []),
    ...headerTable(requestHeaders),
    ...(response ? ['The answer:', fieldsOf(response)] : []),
    `Refusals: ${codes(refused)}.`,
  ];
}

function headerTable(headers: FieldTable = {}): readonly string[] {
  const rows = Object.entries(headers).map(([name, { about }]) => [code(name), `${about.summary}.`]);
  return rows.length === 0 ? [] : [table(['header', 'what it is'], rows)];
}

function fieldsOf(shape: ShapeName): string {
  const rows = Object.entries<Field<unknown>>(shapes[shape]).map(([name, field]) => [
    `${code(name)}${field.need === 'must' ? ' *' : ''}`,
    typeOf(field),
    typedText(describedSchema(field)['description']),
  ]);
  return table(['field', 'value', 'what it is'], rows);
}

const words: { readonly [type: string]: string } = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: '`true` or `false`',
  array: 'list',
  object: 'object',
};

function typeOf(field: Field<unknown>): string {
  const { type, enum: values, const: fixed, minimum = 0, maximum, minLength = 0, maxLength } = field.schema;
  const { default: usual } = describedSchema(field);
  const one = fixed === undefined ? (words[typedText(type)] ?? 'text or other') : code(typedText(fixed));
  const kind = Array.isArray(values) ? codes(values.map(typedText)) : one;
  const length = maxLength === undefined ? '' : ` of ${typedText(minLength)} to ${typedText(maxLength)} characters`;
  const range = maximum === undefined ? '' : ` from ${typedText(minimum)} to ${typedText(maximum)}`;
  return `${kind}${range}${length}${usual === undefined ? '' : ` (default: ${typedText(usual)})`}`;
}
