import { openApiDocument } from '@morsel/api';
import { asSentence, code, codes, table, type Page } from './page.ts';

/* The page of the HTTP API of clients: its endpoints, and the notifications that webhooks get, as the OpenAPI document has them. */

/** A schema in JSON Schema, or a reference to a named one. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly description?: string;
  readonly default?: string | number | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly properties?: { readonly [field: string]: Schema };
  readonly required?: readonly string[];
}

interface Content {
  readonly content?: { readonly [type: string]: { readonly schema: Schema } };
}

interface Described {
  readonly description: string;
}

interface Item {
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly (Described & { readonly name: string; readonly in: string })[];
  readonly requestBody?: Content;
  readonly responses: { readonly [status: string]: Content & Described };
}

interface Methods {
  readonly [method: string]: Item;
}

interface Document {
  readonly paths: { readonly [path: string]: Methods };
  readonly webhooks: { readonly [name: string]: { readonly post: Item } };
  readonly components: { readonly schemas: { readonly [name: string]: Schema } };
}

/** The document as a client gets it. */
const document: Document = JSON.parse(JSON.stringify(openApiDocument('')));
const form = 'application/x-www-form-urlencoded';
const json = 'application/json';

export function clientApiPage(): Page {
  const headers = headersOf(Object.values(document.webhooks)[0]?.post);
  const seen = new Map<string | undefined, string>();
  return {
    file: 'client-api.md',
    title: 'HTTP API of clients',
    summary: 'every field of the requests and answers of clients, and of webhooks',
    blocks: [
      'For programs, `GET /openapi.json` has the same. Fields with `*` are always there. [Refusals](refusals.md) explains the codes. `/v1/sms/…` is the same as `/sms/…`.',
      ...Object.entries(document.paths).flatMap(([path, methods]) =>
        path.startsWith('/v1/') ? [] : endpointBlocks(path, methods, seen),
      ),
      '## Notifications',
      'A webhook gets these headers and fields, unless its template renames the fields.',
      table(['header', 'what it is'], headers),
      ...Object.entries(document.webhooks).flatMap(([type, { post }]) => [
        `### ${code(type)}`,
        asSentence(post.summary),
        fieldsOf(post.requestBody?.content?.[json]?.schema),
      ]),
    ],
  };
}

/** `seen` has the schemas of requests that the page has already, each with its path. */
function endpointBlocks(path: string, methods: Methods, seen: Map<string | undefined, string>): readonly string[] {
  const item = methods['post'] ?? methods['get'];
  if (!item) return [];
  const request = item.requestBody?.content?.[form]?.schema;
  const earlier = request && seen.get(request.$ref);
  if (request && !earlier) seen.set(request.$ref, path);
  const answer = item.responses['200']?.content?.[json]?.schema;
  const headers = headersOf(item);
  const refused = Object.entries(item.responses).flatMap(([status, { description }]) =>
    status === '200' ? [] : [...description.matchAll(/^`(\w+)`: /gm)].map(([, name = '']) => name),
  );
  return [
    `## ${item.summary}`,
    `${codes(Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))}. ${item.description}`,
    ...(earlier ? [`The request has the fields of ${code(earlier)}.`] : []),
    ...(request && !earlier ? ['The request:', fieldsOf(request)] : []),
    ...(headers.length > 0 ? [table(['header', 'what it is'], headers)] : []),
    ...(answer && propertiesOf(answer).length > 0 ? ['The answer:', fieldsOf(answer)] : []),
    `Refusals: ${codes([...new Set(refused)])}.`,
  ];
}

function headersOf(item: Item | undefined): readonly (readonly string[])[] {
  const inHeaders = (item?.parameters ?? []).filter((each) => each.in === 'header');
  return inHeaders.map(({ name, description }) => [code(name), description]);
}

function fieldsOf(schema: Schema | undefined): string {
  const { required = [] } = named(schema);
  const rows = propertiesOf(schema).map(([name, each]) => [
    `${code(name)}${required.includes(name) ? ' *' : ''}`,
    typeOf(each),
    each.description ?? '',
  ]);
  return table(['field', 'value', 'what it is'], rows);
}

function propertiesOf(schema: Schema | undefined): readonly (readonly [string, Schema])[] {
  return Object.entries(named(schema).properties ?? {});
}

function named(schema: Schema = {}): Schema {
  return document.components.schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;
}

const words: { readonly [type: string]: string } = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: '`true` or `false`',
  array: 'list',
  object: 'object',
};

function typeOf(schema: Schema): string {
  const { type = '', enum: values, const: fixed, minimum, maximum, minLength, maxLength } = schema;
  const kind = values ? codes(values) : fixed === undefined ? (words[type] ?? 'text or other') : code(fixed);
  const length = maxLength === undefined ? '' : ` of ${minLength ?? 0} to ${maxLength} characters`;
  const range = maximum === undefined ? '' : ` from ${minimum ?? 0} to ${maximum}`;
  return `${kind}${range}${length}${schema.default === undefined ? '' : ` (default: ${schema.default})`}`;
}
