import { commands } from '@morsel/cli/commands.ts';
import { optionsOfField } from '@morsel/cli/bind.ts';
import { changeOptions, optionOf, type Command, type Option } from '@morsel/cli/command.ts';
import { defaultNote } from '@morsel/api/fields/shown.ts';
import { summaryOf, type Field } from '@morsel/api/fields/field.ts';
import type { Operation, Resource } from '@morsel/api/admin/resource.ts';
import { resources } from '@morsel/api/admin/resources.ts';
import { asSentence, code, codes, table, type Page } from './page.ts';

/* The page of the operator's API and of the command line: every operation, and the commands that call none. */

const declared: { readonly [name: string]: Resource } = resources;
/** Options that the head of the page explains once. */
const everywhere = new Set([...changeOptions.map(flagOf), '--limit', '--after', '--csv', '--yes']);

const head = `An operation is a request of the operator's HTTP API below \`/admin/v1\`, and most are a command, too. The role is the least role that
may call the operation ([Roles](roles.md)). \`GET /admin/v1/openapi.json\` has the types of all fields.

- Fields with \`*\` are required. Of a GET and a DELETE they are in the query, otherwise in a body of JSON.
- Lists take \`limit\` and \`after\`, and answer \`{ items, next }\`: \`next\` is the \`after\` of the next page. A path with \`.csv\` and the option
  \`--csv\` give the whole list as CSV.
- Every change takes \`--reason\` and \`--actor\` (headers \`Morsel-Reason\`, \`Morsel-Actor\`) for the audit log, and the header
  \`Idempotency-Key\`. A dangerous command asks, unless \`--yes\` is given.
- Every command takes \`--json\` and \`--help\`, which has examples.`;

export function operationsPage(): Page {
  const called = new Set<Command>();
  const sections = Object.entries(declared).flatMap(([name, resource]) => {
    // Where several operations of a resource answer the same, only the first one lists it.
    const answers = new Map<string, string>();
    return [
      `## ${name}`,
      asSentence(resource.summary),
      ...Object.entries(resource.operations).flatMap(([verb, operation]) => {
        const command = commandOfOperation(resource, verb, operation);
        if (command) called.add(command);
        return operationBlocks(`${name}.${verb}`, operation, { command, answers });
      }),
    ];
  });
  const others = commands.filter((command) => !called.has(command));
  return {
    file: 'operations.md',
    title: 'Operations and commands',
    summary: "every operation of the operator's API and every command, with role, fields and options",
    blocks: [
      head,
      ...sections,
      '## Commands without an operation',
      'These commands run a program, work with files, or call several operations.',
      ...others.flatMap(commandBlocks),
    ],
  };
}

function commandOfOperation(resource: Resource, verb: string, { command }: Operation): Command | undefined {
  const words = command && (command.words ?? `${resource.command} ${optionOf(verb)}`);
  return commands.find((each) => each.words === words);
}

function operationBlocks(
  id: string,
  operation: Operation,
  { command, answers }: { readonly command: Command | undefined; readonly answers: Map<string, string> },
): readonly string[] {
  const { method, path, role, input, answer, isPage, isForSessions, summary } = operation;
  const fields = Object.entries(input).filter(([name]) => !isPage || !['limit', 'after'].includes(name));
  const known = new Set(fields.flatMap(([name, field]) => optionsOfField(name, field).map(flagOf)));
  const own = (command?.options ?? []).filter(
    (option) => !known.has(flagOf(option)) && !everywhere.has(flagOf(option)),
  );
  const rows = [
    ...fields.map(([name, field]) => fieldRow(name, field, operation)),
    ...own.map((option) => ['', code(option.flags), option.summary]),
  ];
  const answered = codes(Object.keys(answer));
  const first = answers.get(answered);
  answers.set(answered, first ?? id);
  return [
    `### ${command ? code(`morsel ${command.words}`) : code(id)}`,
    `${asSentence(summary)} ${code(`${method} ${path}`)} (${code(id)}), role ${code(role)}${isForSessions ? ', sessions of the console only' : ''}.`,
    ...(rows.length === 0 ? [] : [table(['field', 'option', 'what it is'], rows)]),
    ...(answered === ''
      ? []
      : [
          `${isPage ? 'Each row' : 'The answer'} has ${first === undefined ? answered : `the fields of ${code(first)}`}.`,
        ]),
  ];
}

function fieldRow(name: string, field: Field<unknown>, { command }: Operation): readonly string[] {
  const options =
    command?.arguments?.includes(name) === true ? [`<${name}>`] : optionsOfField(name, field).map(({ flags }) => flags);
  return [
    `${code(name)}${field.need === 'must' ? ' *' : ''}`,
    command ? codes(options) : '',
    `${summaryOf(field)}${valuesOf(field)}${defaultNote(field)}${roleOf(field)}`,
  ];
}

function valuesOf({ schema }: Field<unknown>): string {
  const { enum: words, minimum, maximum } = schema;
  if (Array.isArray(words)) return `: ${codes(words.map((word) => String(word ?? 'none')))}`;
  return typeof minimum === 'number' && typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER
    ? `, ${minimum} to ${maximum}`
    : '';
}

function roleOf({ about }: Field<unknown>): string {
  return about.role === undefined ? '' : `; role ${code(about.role)}`;
}

function commandBlocks({ words, summary, arguments: named = [], options = [] }: Command): readonly string[] {
  const rows = [
    ...named.map((each) => [code(`<${each.name}>`), each.summary]),
    ...options
      .filter((option) => !everywhere.has(flagOf(option)))
      .map((option) => [code(option.flags), `${option.summary}${choicesOf(option)}`]),
  ];
  return [
    `### ${code(`morsel ${words}`)}`,
    asSentence(summary),
    ...(rows.length === 0 ? [] : [table(['option', 'what it is'], rows)]),
  ];
}

function choicesOf({ choices }: Option): string {
  return choices === undefined ? '' : `: ${codes(choices)}`;
}

/** The name of an option, without its value. */
function flagOf({ flags }: Option): string {
  return flags.split(' ')[0] ?? '';
}
