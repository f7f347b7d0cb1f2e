import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { it } from 'node:test';
import { adminOpenApi } from './admin/openapi.ts';
import { openApiDocument } from './openapi.ts';

/*
 * Nothing that a program uses is renamed or dropped. contract.txt has the operations, fields and answers of both
 * OpenAPI documents, one a line, and every line must still be true. Lines that were dropped on purpose are named in
 * `gone`, with what to use instead. New lines are written with
 * `UPDATE=1 node --test packages/api/src/contract.test.ts`.
 */

const alarms = "operators' alerts are alarms: see alarm list";
const jobs = 'a job changes the messages, in one request: see job show';
const noPrograms = 'programs as alarm receivers are gone: a webhook does the same';
const noUndecided = 'no receipt was undecided: an unmatched one is unknown or unreadable';
/** The beginnings of lines that were dropped on purpose, and why. */
const gone: { readonly [beginning: string]: string } = {
  'POST /admin/v1/price-lists/{list}/imports': 'a file is uploaded whole: POST /admin/v1/price-lists/{list}/import',
  'DELETE /admin/v1/price-lists/{list}/imports': 'a file that is refused leaves nothing to drop',
  'POST /admin/v1/price-lists/{list}/prices takes application/json prices[].price! "number"':
    'it may also be null, which removes the price',
  'POST /admin/v1/messages/cancel takes application/json after "string"': jobs,
  'POST /admin/v1/messages/cancel answers ': jobs,
  'POST /admin/v1/messages/reroute is message.reroute': jobs,
  'POST /admin/v1/messages/reroute takes application/json id "string"': jobs,
  'POST /admin/v1/messages/reroute takes application/json after "string"': jobs,
  'POST /admin/v1/messages/reroute answers ': jobs,
  'GET /admin/v1/alerts ': alarms,
  'GET /admin/v1/status answers alertsOfDay!': alarms,
  'POST /admin/v1/clock/confirm answers alertsOfDay!': alarms,
  'POST /admin/v1/resume answers alertsOfDay!': alarms,
  'GET /admin/v1/alarm-receivers answers items[].kind = program': noPrograms,
  'POST /admin/v1/alarm-receivers takes application/json kind = program': noPrograms,
  'POST /admin/v1/alarm-receivers answers kind = program': noPrograms,
  'PATCH /admin/v1/alarm-receivers/{receiver} answers kind = program': noPrograms,
  'GET /admin/v1/status answers alarmReceivers[].kind = program': noPrograms,
  'POST /admin/v1/clock/confirm answers alarmReceivers[].kind = program': noPrograms,
  'POST /admin/v1/resume answers alarmReceivers[].kind = program': noPrograms,
};

/** The ends of lines that are gone, whatever operation has them. */
const goneEnds: { readonly [end: string]: string } = {
  'textReceipts = auto': 'a text is a receipt only if the operator says so',
  'why = undecided': noUndecided,
  'unmatched.undecided! "integer"': noUndecided,
};

const isGone = (line: string): boolean =>
  Object.keys(gone).some((beginning) => line.startsWith(beginning)) ||
  Object.keys(goneEnds).some((end) => line.endsWith(end));

type Tree = { readonly [member: string]: unknown };
const tree = (value: unknown): Tree => ({ ...Object(value) });
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The members of a schema, each as `name type`. Names of inner members follow the outer name and a point. */
function* namesIn(schema: Tree, before = ''): Generator<string> {
  const required = new Set(list(schema['required']));
  for (const [name, each] of Object.entries(tree(schema['properties']))) {
    const inner = tree(each);
    const type = inner['$ref'] ?? inner['type'] ?? (inner['enum'] ? 'enum' : 'any');
    yield `${before}${name}${required.has(name) ? '!' : ''} ${JSON.stringify(type)}`;
    for (const word of list(inner['enum'])) yield `${before}${name} = ${String(word)}`;
    yield* namesIn(inner, `${before}${name}.`);
    yield* namesIn(tree(inner['items']), `${before}${name}[].`);
  }
  for (const each of [...list(schema['allOf']), ...list(schema['anyOf']), ...list(schema['oneOf'])])
    yield* namesIn(tree(each), before);
  if (typeof schema['$ref'] === 'string') yield `${before} ${schema['$ref']}`;
}

type Line = readonly [of: string, what: string];

function* linesOf(document: Tree): Generator<Line> {
  for (const [path, methods] of Object.entries(tree(document['paths']))) {
    for (const [method, each] of Object.entries(tree(methods))) {
      const operation = tree(each);
      const name = `${method.toUpperCase()} ${path}`;
      yield [name, `is ${String(operation['operationId'])}`];
      for (const given of list(operation['parameters']).map(tree)) yield [name, `takes ${String(given['name'])}`];
      for (const [type, body] of Object.entries(tree(tree(operation['requestBody'])['content'])))
        for (const line of namesIn(tree(tree(body)['schema']))) yield [name, `takes ${type} ${line}`];
      const answers = Object.entries(tree(operation['responses']));
      yield [name, `answers ${answers.map(([status]) => status).join(' ')}`];
      for (const { schema } of Object.values(tree(tree(tree(operation['responses'])['200'])['content'])).map(tree))
        for (const line of namesIn(tree(schema))) yield [name, `answers ${line}`];
    }
  }
  for (const [name, schema] of Object.entries(tree(tree(document['components'])['schemas'])))
    for (const line of namesIn(tree(schema))) yield [name, line];
}

/** The text of contract.txt: the operations and schemas of both documents, each with its lines below it. */
function written(): string {
  const lines = [...linesOf(tree(openApiDocument(''))), ...linesOf(tree(adminOpenApi('')))];
  const byName = [...Map.groupBy(lines, ([name]) => name)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return byName.map(([name, of]) => [name, ...new Set(of.map(([, line]) => `  ${line}`))].join('\n')).join('\n');
}

/** Each line of contract.txt after the name that it stands below. */
function flat(text: string): readonly string[] {
  let name = '';
  return text.split('\n').flatMap((line) => {
    if (line.startsWith('  ')) return [`${name} ${line.trim()}`];
    name = line;
    return [];
  });
}

const file = new URL('contract.txt', import.meta.url);

it('nothing of the contract is renamed or dropped, except lines named in `gone`', () => {
  if (process.env['UPDATE'] !== undefined) writeFileSync(file, `${written()}\n`);
  const now = new Set(flat(written()));
  const before = flat(readFileSync(file, 'utf8'));
  const missing = before.filter((line) => !now.has(line) && !isGone(line));
  assert.deepEqual(missing, []);
  assert.ok(before.length > 1_000);
});
