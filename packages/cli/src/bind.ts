import { defaultNote, printable } from '@morsel/api/fields/shown.ts';
import { readValues, summaryOf, type Field, type FieldTable, type Values } from '@morsel/api/fields/field.ts';
import {
  settingsOf,
  type AnswerOf,
  type GivenOf,
  type Operation,
  type Operations,
  type Resource,
} from '@morsel/api/admin/resource.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import {
  changeOptions,
  optionOf,
  usage,
  type Argument,
  type Command,
  type Failure,
  type Input,
  type Option,
  type Report,
  type Shell,
} from './command.ts';
import { givenOf, labelled, labelOf, optionNameOf } from './given.ts';
import { printCsv, showList } from './list.ts';
import type { Row } from './table.ts';
import { runBulk } from './bulk.ts';
import { askWhole, textOf } from './whole.ts';

/* Makes a command of each declared operation: its words, options, help and confirmation. `list.ts` prints lists. */

interface Own<A, G> {
  /** Returns the text that the command prints, with tables and colours. */
  says?(answer: A, shell: Shell): string;
  /** Runs a command that calls several operations. `given` has the typed values by field. */
  run?(given: Typed & G, shell: Shell, input: Input): Promise<Done>;
  /** Positional arguments that are not fields of the operation. */
  readonly arguments?: readonly Argument[];
  readonly options?: readonly Option[];
}

type OwnCommand = Own<unknown, unknown>;

/** `own` says how some commands differ from their declaration. */
export function commandsOf<O extends Operations>(
  resource: Resource<O>,
  own: { readonly [K in keyof O]?: Own<AnswerOf<O[K]>, GivenOf<O[K]>> } = {},
): readonly Command[] {
  return Object.entries<Operation>(resource.operations).flatMap(([name, operation]) => {
    const { command, input, summary } = operation;
    if (!command) return [];
    const ownCommand: OwnCommand = own[name] ?? {};
    const named = command.arguments ?? [];
    return [
      {
        words: command.words ?? `${resource.command} ${optionOf(name)}`,
        summary,
        arguments: [...named.map((each) => argumentOf(each, input)), ...(ownCommand.arguments ?? [])],
        options: withChangeOptions([...optionsOf(operation), ...(ownCommand.options ?? [])], operation),
        examples: command.examples,
        ...(command.notes === undefined ? {} : { notes: () => command.notes ?? '' }),
        run: (given: Input, shell: Shell) => run(operation, given, shell, ownCommand),
      },
    ];
  });
}

/**
 * A command that is not one operation. Its options, help and values come from a table of fields, as those of operations
 * do.
 */
export function commandOf<const I extends FieldTable>(
  about: Pick<Command, 'words' | 'summary' | 'examples' | 'notes'> & {
    readonly input: I;
    /** Fields that are positional arguments; all others are options. */
    readonly arguments?: readonly (keyof I & string)[];
    readonly isChange?: boolean;
    readonly run: (values: Values<I>, shell: Shell, input: Input) => Promise<Done>;
  },
): Command {
  const { input, arguments: named = [], isChange = false, run: runWith, ...rest } = about;
  const others = Object.entries(input).filter(([name]) => !named.includes(name));
  return {
    ...rest,
    arguments: named.map((each) => argumentOf(each, input)),
    options: withChangeOptions(
      others.flatMap(([name, field]) => optionsOfField(name, field)),
      { isChange },
    ),
    run: async (typed, shell) => {
      const given = await givenOf({ input }, typed, shell);
      if (!given.ok) return given;
      const values = readValues(input, given.value);
      if (values.ok) return runWith(values.value, shell, typed);
      return refused(usage(labelled(values.error.detail, { input, named }, values.error.field)));
    },
  };
}

function argumentOf(name: string, input: FieldTable) {
  const field = input[name];
  const { summary = '', isRepeated: isMany = false } = field?.about ?? {};
  return { name, summary, isOptional: field?.need === 'may', isMany };
}

export const csvOption: Option = {
  flags: '--csv',
  summary: "print all rows as CSV, with a heading; texts that a spreadsheet would run as formulas begin with '",
};
const yesOption: Option = { flags: '--yes', summary: 'do not ask for confirmation' };

function optionsOf({ input, command, bulk, isPage }: Operation): readonly Option[] {
  const others = Object.entries(input).filter(([name]) => command?.arguments?.includes(name) !== true);
  return [
    ...others.flatMap(([name, field]) => optionsOfField(name, field)),
    ...(isPage ? [csvOption] : []),
    ...(command?.asks || bulk ? [yesOption] : []),
  ];
}

/** The `--reason` of a command itself is stored in the audit log, too. */
function withChangeOptions(options: readonly Option[], { isChange }: Pick<Operation, 'isChange'>): readonly Option[] {
  const named = new Set(options.map(({ flags }) => flags.split(' ')[0]));
  return [...options, ...(isChange ? changeOptions.filter(({ flags }) => !named.has(flags.split(' ')[0])) : [])];
}

export function optionsOfField(name: string, field: Field<unknown>): readonly Option[] {
  const { group } = field.about;
  return plainOptionsOf(name, field).map((option) => ({ ...option, ...(group && { group: group.label }) }));
}

function plainOptionsOf(name: string, field: Field<unknown>): readonly Option[] {
  const { flag, typed = ['value'], summary: says } = field.about;
  const option = `--${optionNameOf(name, field)}`;
  if (flag) return [{ flags: `--${flag.name}`, summary: says }];
  if (field.schema['type'] === 'boolean') return [{ flags: option, summary: says }];
  const choices = field.schema['enum'];
  const isRequired = field.need === 'must' && typed.length === 1;
  return typed.map((how): Option => {
    if (how === 'stdin') return { flags: `${option}-stdin`, summary: `${says}: from standard input` };
    if (how === 'file') {
      return { flags: `${option}-file <file>`, summary: `${says}: from a file${defaultNote(field)}`, isRequired };
    }
    return {
      flags: `${option} ${field.placeholder}`,
      summary: `${summaryOf(field)}${defaultNote(field)}`,
      isRequired,
      ...(field.about.isRepeated === true ? { isRepeated: true } : {}),
      ...(Array.isArray(choices) ? { choices: choices.map((each) => (each === null ? 'none' : String(each))) } : {}),
    };
  });
}

export type Typed = { readonly [field: string]: string };
type Done = Result<Report | undefined, Failure>;

async function run(operation: Operation, input: Input, shell: Shell, own: OwnCommand): Promise<Done> {
  const given = await givenOf(operation, input, shell);
  if (!given.ok) return given;
  if (own.run) return own.run(given.value, shell, input);
  if (input.flags.has('csv')) {
    if (shell.isJson) return refused(usage('give --json or --csv, not both'));
    return printCsv({ operation, given: given.value }, shell);
  }
  if (operation.isPage) return showList({ operation, given: given.value }, shell);
  if (operation.bulk) return runBulk(operation, operation.bulk, { given: given.value, input, shell });
  const agreed = await isAgreed(operation, { input, given: given.value, shell });
  if (!agreed.ok) return agreed;
  if (!agreed.value) return ok({ json: 'null', text: 'nothing was changed' });
  return runOperation(operation, given.value, shell, own);
}

/** Calls all steps of an operation that works in steps. */
export async function runOperation(
  operation: Operation,
  given: { readonly [field: string]: unknown },
  shell: Shell,
  { says, before }: { readonly says?: OwnCommand['says']; readonly before?: readonly Row[] } = {},
): Promise<Done> {
  const { command } = operation;
  const done = await askWhole(operation, given, shell, before);
  if (!done.ok) return refused(withOptions(done.error, operation, given));
  const { value, json } = done.value;
  const shown = says?.(value, shell) ?? textOf(operation, value, shell);
  const text = `${shown}${noteIn(value, shown)}`;
  const failed = command?.whole?.fails?.(value) ?? command?.fails?.(value);
  if (failed === undefined) return ok({ json, text });
  // If the text is the error itself, the error alone is printed.
  if (shell.isJson || failed !== shown) shell.report({ json, text });
  return refused({ kind: 'refused', detail: failed });
}

/** If the operator gave no setting to change, the error names all settings that can be changed. */
function withOptions(failure: Failure, operation: Operation, given: object): Failure {
  const settings = Object.entries(settingsOf(operation));
  const isEmpty = settings.length > 0 && settings.every(([each]) => !Object.hasOwn(given, each));
  if (failure.kind !== 'usage' || !isEmpty) return failure;
  const options = settings.map(([each, field]) => `--${labelOf(each, field)}`);
  return { ...failure, detail: `name a setting to change: ${options.join(', ')}` };
}

/** The `warning` of an answer, as a note below the printed text, unless the text has the warning. */
function noteIn(value: unknown, shown: string): string {
  const { warning } = { ...Object(value) };
  return typeof warning === 'string' && !shown.includes(printable(warning)) ? `\n\nNote: ${printable(warning)}` : '';
}

/** Whether the operation is confirmed: by --yes, or by a person at the terminal. */
async function isAgreed(
  { command }: Operation,
  { input, given, shell }: { readonly input: Input; readonly given: Typed; readonly shell: Shell },
): Promise<Result<boolean, Failure>> {
  if (!command?.asks || input.flags.has('yes')) return ok(true);
  const question = command.asks(given);
  if (!shell.confirm)
    return refused({
      kind: 'refused',
      detail: `${question} Nothing was changed, because there is no terminal to ask on; repeat the command with --yes`,
    });
  return ok(await shell.confirm(question));
}
