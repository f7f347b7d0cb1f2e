import type { Json } from './fields/exact-json.ts';
import { describedSchema, objectSchema, type Field, type FieldTable, type JsonSchema } from './fields/field.ts';

/* Writes an OpenAPI 3.1 document from declared fields: the document of the client API, or of the operators' API. */

interface Api {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly calls: readonly Call[];
  /** Requests that the gateway makes, by their names. */
  readonly webhooks?: { readonly [name: string]: Omit<Call, 'path'> };
  /** Tables of fields to which calls refer by name. */
  readonly schemas: { readonly [name: string]: FieldTable };
  readonly descriptions: { readonly [schema: string]: string };
  readonly securitySchemes: JsonSchema;
  /** Members that only this document has. */
  readonly others?: JsonSchema;
}

export interface Call {
  readonly path: string;
  readonly method: string;
  /** Members of the operation that are written as they are, such as its id and its summary. */
  readonly about: JsonSchema;
  readonly inPath?: FieldTable;
  readonly inQuery?: FieldTable;
  readonly headers?: FieldTable | undefined;
  /** Examples of the fields in the path and the query. By default, required fields have their declared examples. */
  readonly examples?: JsonSchema | undefined;
  readonly requestBody?: Json;
  readonly responses: { readonly [status: string]: Response };
}

export interface Response {
  readonly description: string;
  readonly headers?: FieldTable;
  readonly content?: Json;
}

export function openApi(api: Api): Json {
  const { title, version, description, calls, webhooks, schemas, descriptions, securitySchemes, others } = api;
  const paths: { [path: string]: JsonSchema } = {};
  for (const call of calls) paths[call.path] = { ...paths[call.path], [call.method.toLowerCase()]: operationOf(call) };
  return {
    openapi: '3.1.0',
    info: { title, version, description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/' }],
    ...others,
    paths,
    webhooks: webhooks && mapped(webhooks, (call) => ({ [call.method.toLowerCase()]: operationOf(call) })),
    components: {
      schemas: mapped(schemas, (table, name) => ({ ...objectSchema(table), description: descriptions[name] })),
      securitySchemes,
    },
  };
}

function operationOf(call: Omit<Call, 'path' | 'method'>): Json {
  const { about, inPath = {}, inQuery = {}, headers = {}, examples, requestBody, responses } = call;
  const parameters = [
    ...parametersOf(inPath, 'path', examples),
    ...parametersOf(inQuery, 'query', examples),
    ...parametersOf(headers, 'header'),
  ];
  return {
    ...about,
    parameters: parameters.length === 0 ? undefined : parameters,
    requestBody,
    responses: mapped(responses, (response) => ({
      ...response,
      headers: response.headers && mapped(response.headers, headerOf),
    })),
  };
}

function parametersOf(table: FieldTable, where: 'path' | 'query' | 'header', examples: JsonSchema = {}): Json[] {
  return Object.entries(table).map(([name, field]) => {
    const required = where === 'path' || field.need === 'must';
    if (where === 'header') return { name, in: where, required, ...headerOf(field) };
    const example = examples[name] ?? (field.need === 'must' ? field.about.example : undefined);
    const style = isList(field.schema) ? withCommas : {};
    return { name, in: where, required, ...style, schema: describedSchema(field), example };
  });
}

function headerOf({ about, schema }: Field<unknown>): JsonSchema {
  return { description: `${about.summary}.`, schema };
}

/** In a query or a form, a list has commas between its items. */
const withCommas = { style: 'form', explode: false };

export function isList({ type, anyOf }: JsonSchema): boolean {
  return type === 'array' || (Array.isArray(anyOf) && anyOf.some((each) => isList({ ...Object(each) })));
}

/** The member `encoding` of a form; undefined if the form has no lists. */
export function formEncoding(table: FieldTable): Json {
  const lists = Object.entries(table).filter(([, { schema }]) => isList(schema));
  return lists.length === 0 ? undefined : Object.fromEntries(lists.map(([name]) => [name, withCommas]));
}

export function reference(schema: string): JsonSchema {
  return { $ref: `#/components/schemas/${schema}` };
}

function mapped<T>(of: { readonly [name: string]: T }, write: (value: T, name: string) => Json): JsonSchema {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [name, write(value, name)]));
}
