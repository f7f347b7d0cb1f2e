import type { Json } from '@morsel/api/admin/exact-json.ts';
import { jsonOf, typedText } from '@morsel/api/admin/field.ts';
import type { Field, FieldTable } from '@morsel/api/admin/field.ts';
import type { Column as DeclaredColumn, Operation, Page, Resource } from '@morsel/api/admin/resource.ts';
import { writeJson } from '@morsel/api/admin/exact-json.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { askGateway } from './admin-client.ts';
import { optionOf, usage } from './command.ts';
import type { Command, Failure, Input, Option, Report, Shell } from './command.ts';
import { givenOf, optionNameOf } from './given.ts';
import { card, paint, printable, table } from './table.ts';
import type { Column, Row } from './table.ts';

/* Makes commands of the declared operations: their words, options, help, tables, CSV and confirmations. */

/** The commands of a resource, one for each operation that has one. */
export function commandsOf(resource: Resource): readonly Command[] {
  return Object.entries(resource.operations).flatMap(([name, operation]) => {
    const { command, input, summary } = operation;
    if (!command) return [];
    const named = command.arguments ?? [];
    return [
      {
        words: `${resource.command} ${command.verb ?? optionOf(name)}`,
        summary,
        arguments: named.map((each) => argumentOf(each, input)),
        options: optionsOf(operation),
        examples: command.examples,
        ...(command.notes === undefined ? {} : { notes: () => command.notes ?? '' }),
        run: (given: Input, shell: Shell) => run(operation, given, shell),
      },
    ];
  });
}

function argumentOf(name: string, input: FieldTable) {
  const field = input[name];
  return { name, summary: field?.about.summary ?? '', isOptional: field?.need === 'may' };
}

const csvOption: Option = { flags: '--csv', summary: 'print all rows as CSV, with a heading' };
const yesOption: Option = { flags: '--yes', summary: 'do it without asking' };

function optionsOf({ input, command, isPage }: Operation): readonly Option[] {
  const others = Object.entries(input).filter(([name]) => command?.arguments?.includes(name) !== true);
  return [
    ...others.flatMap(([name, field]) => optionsOfField(name, field)),
    ...(isPage ? [csvOption] : []),
    ...(command?.asks ? [yesOption] : []),
  ];
}

function optionsOfField(name: string, field: Field<unknown>): readonly Option[] {
  const { flag, typed = ['value'], summary: says } = field.about;
  const option = `--${optionNameOf(name, field)}`;
  const summary = `${says}${unitOf(field)}${defaultOf(field)}`;
  if (flag) return [{ flags: `--${flag.name}`, summary: says }];
  if (field.schema['type'] === 'boolean') return [{ flags: option, summary: says }];
  const choices = field.schema['enum'];
  const isRequired = field.need === 'must' && typed.length === 1;
  return typed.map((how): Option => {
    if (how === 'stdin') return { flags: `${option}-stdin`, summary: `${says}: from standard input` };
    if (how === 'file') return { flags: `${option}-file <file>`, summary: `${summary}: from a file`, isRequired };
    return {
      flags: `${option} ${field.placeholder}`,
      summary,
      isRequired,
      ...(Array.isArray(choices) ? { choices: choices.map(String) } : {}),
    };
  });
}

function unitOf({ about }: Field<unknown>): string {
  return about.unit === undefined ? '' : `, in ${about.unit}`;
}

function defaultOf(field: Field<unknown>): string {
  const { about, otherwise } = field;
  if (about.defaultText !== undefined) return ` (default: ${about.defaultText})`;
  if (otherwise === undefined) return '';
  return ` (default: ${typedText(field.json(otherwise.value)) || '""'})`;
}

type Typed = { readonly [field: string]: string };
type Done = Result<Report | undefined, Failure>;

async function run(operation: Operation, input: Input, shell: Shell): Promise<Done> {
  const given = await givenOf(operation, input, shell);
  if (!given.ok) return given;
  if (input.flags.has('csv')) {
    if (shell.isJson) return refused(usage('name one of --json and --csv'));
    return printCsv(operation, given.value, shell);
  }
  const agreed = await isAgreed(operation, { input, given: given.value, shell });
  if (!agreed.ok) return agreed;
  if (!agreed.value) return ok({ json: 'null', text: 'nothing was changed' });
  if (operation.isPage) return runList(operation, given.value, shell);
  const answer = await askGateway(shell, operation, given.value);
  return answer.ok ? ok({ json: answer.value.text, text: textOf(operation, answer.value.value, shell) }) : answer;
}

/** Whether a dangerous operation is meant: by --yes, or by a person who is asked. */
async function isAgreed(
  { command }: Operation,
  { input, given, shell }: { readonly input: Input; readonly given: Typed; readonly shell: Shell },
): Promise<Result<boolean, Failure>> {
  if (!command?.asks || input.flags.has('yes')) return ok(true);
  const question = command.asks(given);
  if (!shell.confirm)
    return refused(usage(`${question} Nobody is there to answer: nothing was changed; --yes does it`));
  return ok(await shell.confirm(question));
}

/** The answer as a person reads it. */
function textOf({ answer, columns, command }: Operation, value: unknown, { hasColour }: Shell): string {
  const row: Row = { ...Object(value) };
  const lines =
    command?.says?.(row) ??
    card(
      columns
        .map((each) => columnOf(each, answer))
        .map((each) => [each.title.toLowerCase(), paint(each.of(row), each.isState === true && hasColour)]),
    );
  const { warning } = row;
  return typeof warning === 'string' ? `${lines}\n\nNote: ${printable(warning)}` : lines;
}

/** A declared column as a table takes it. */
function columnOf(column: DeclaredColumn<FieldTable>, answer: FieldTable): Column {
  if (typeof column !== 'string') return { ...column, of: (row) => printable(column.of(row)) };
  const field = answer[column];
  const type = field?.schema['type'];
  return {
    title: field?.about.title ?? titleOf(column),
    of: (row) => (row[column] === undefined ? '' : printable(field?.cell(row[column]) ?? '')),
    isNumber: type === 'integer' || type === 'number',
    isState: column === 'status' || column === 'state',
  };
}

/** `lastUsedAt` is LAST USED. */
function titleOf(name: string): string {
  return optionOf(name).replace(/-at$/, '').replaceAll('-', ' ').toUpperCase();
}

/** Prints as many rows of a list as the limit says. */
async function runList(operation: Operation, given: Typed, shell: Shell): Promise<Done> {
  const { answer, command, columns } = operation;
  const rows: Row[] = [];
  let next: string | null = null;
  for await (const page of pagesOf(operation, given, shell)) {
    if (!page.ok) return page;
    rows.push(...page.value.items);
    ({ next } = page.value);
  }
  const json = writeJson({ items: rows.map((row) => jsonOf(answer, row)), next });
  const shown = columns
    .map((each) => columnOf(each, answer))
    .filter((each) => each.isRare !== true || rows.some((row) => each.of(row) !== ''));
  const lines = table({ columns: shown, rows, whenEmpty: command?.whenEmpty ?? 'there are none' }, shell.hasColour);
  return ok({ json, text: next === null ? lines : `${lines}\nfor more: --after ${printable(next)}` });
}

/** Asks page after page until there are as many rows as the limit, or no more: a page may be short and not the last. */
async function* pagesOf(operation: Operation, given: Typed, shell: Shell): AsyncGenerator<Result<Page<Row>, Failure>> {
  let left = Number(given['limit'] ?? operation.input['limit']?.otherwise?.value);
  let place: Typed = given;
  for (;;) {
    const answer = await askGateway(shell, operation, place);
    if (!answer.ok) {
      yield answer;
      return;
    }
    const page = answer.value.value as Page<Row>;
    yield ok(page);
    left -= page.items.length;
    if (page.next === null || left <= 0) return;
    place = { ...given, limit: String(left), after: page.next };
  }
}

/** Prints all rows of a list as CSV; with --limit, so many. */
async function printCsv(operation: Operation, given: Typed, shell: Shell): Promise<Done> {
  const { stringify } = await import('csv-stringify/sync');
  const print = (rows: readonly (readonly string[])[]) =>
    rows.length > 0 && shell.report({ json: '', text: stringify([...rows]).replace(/\n$/, '') });
  print([Object.keys(operation.answer)]);
  let place: Typed = given;
  for (;;) {
    let next: string | null = null;
    for await (const page of pagesOf(operation, place, shell)) {
      if (!page.ok) return page;
      print(page.value.items.map((row) => Object.values(jsonOf(operation.answer, row)).map(csvCell)));
      ({ next } = page.value);
    }
    if (next === null || given['limit'] !== undefined) return ok(undefined);
    place = { ...given, after: next };
  }
}

/** Lists have their commas, amounts their digits, and what is not there is empty. */
function csvCell(json: Json): string {
  if (json === null || json === undefined) return '';
  return typeof json === 'bigint' ? writeJson(json) : typedText(json);
}
