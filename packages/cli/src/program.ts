import { Command as Parser, CommanderError, Option as ParserOption } from 'commander';
import { mayColour, settings } from '@morsel/gateway/config.ts';
import { problemType } from '@morsel/api/problems.ts';
import { didYouMean } from '@morsel/api/values/nearest.ts';
import { version } from '@morsel/gateway/runtime/version.ts';
import {
  exitStatus,
  usage,
  type Command,
  type Failure,
  type Input,
  type Option,
  type Report,
  type Shell,
} from './command.ts';
import { commands, groups } from './commands.ts';
import { unwrittenStatus } from './output.ts';
import { ownName } from './running/own-name.ts';

/* Parses a command line by the list of commands, and runs the command. */

export interface Terminal extends Pick<
  Shell,
  'environment' | 'print' | 'confirm' | 'askSecret' | 'readInput' | 'readLines'
> {
  readonly printError: (text: string) => void;
  readonly isInteractive: boolean;
}

type Parsed =
  | { readonly kind: 'run'; readonly command: Command; readonly input: Input }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'failure'; readonly failure: Failure };

/** Returns the exit status: 0, or one of `exitStatus`. */
export async function runProgram(words: readonly string[], terminal: Terminal): Promise<number> {
  const parsed = parse(words);
  if (parsed.kind === 'help') {
    terminal.print(parsed.text);
    return 0;
  }
  const isJson = parsed.kind === 'run' ? parsed.input.flags.has('json') : words.includes('--json');
  if (parsed.kind === 'failure') return fail(terminal, parsed.failure, isJson);
  const shell = shellOf(terminal, isJson, parsed.input);
  const done = await parsed.command.run(parsed.input, shell);
  if (!done.ok) return fail(terminal, done.error, isJson);
  if (done.value) shell.report(done.value);
  return 0;
}

/** The escape sequence that erases the line from the cursor to its end (ECMA-48, EL). */
const eraseToEnd = '\u001b[K';

function shellOf(terminal: Terminal, isJson: boolean, { values: { actor, reason } }: Input): Shell {
  return {
    environment: terminal.environment,
    said: { actor, reason },
    isJson,
    hasColour: terminal.isInteractive && mayColour(terminal.environment),
    report: (report: Report) => terminal.print(`${isJson ? report.json : report.text}\n`),
    print: terminal.print,
    warn: (line) => terminal.printError(`morsel: ${line}\n`),
    progress: terminal.isInteractive ? (text) => terminal.printError(`\r${text}${eraseToEnd}`) : undefined,
    confirm: isJson ? undefined : terminal.confirm,
    askSecret: terminal.askSecret,
    readInput: terminal.readInput,
    readLines: terminal.readLines,
  };
}

/** Prints one line for people, or problem details for programs. */
function fail(terminal: Terminal, failure: Failure, isJson: boolean): number {
  const { kind, detail } = failure;
  terminal.printError(isJson ? `${failure.problem ?? problemOf(failure)}\n` : `morsel: ${detail}\n`);
  return exitStatus[kind];
}

const problemTitles: { readonly [K in Failure['kind']]: string } = {
  refused: 'The command was refused',
  usage: 'The command or a setting is not valid',
  unreachable: 'The gateway cannot be reached',
};

function problemOf({ kind, detail }: Failure): string {
  return JSON.stringify({ type: problemType(kind), title: problemTitles[kind], detail, code: kind });
}

function parse(words: readonly string[]): Parsed {
  let parsed: Parsed | undefined;
  let help = '';
  const isHelp = words[0] === 'help' && words.length > 1;
  const unknown = isHelp ? unknownIn(words.slice(1)) : undefined;
  if (unknown !== undefined) return { kind: 'failure', failure: usage(unknown) };
  // `help price import` prints the same help as `price import --help`.
  const asked = isHelp ? [...words.slice(1), '--help'] : words;
  const program = programOf(asked, {
    choose: (command, input) => {
      parsed = chosen(command, input);
    },
    write: (text) => {
      help += text;
    },
  });
  try {
    program.parse([...asked], { from: 'user' });
  } catch (fault) {
    if (!(fault instanceof CommanderError)) throw fault;
    if (fault.exitCode === 0) return { kind: 'help', text: help };
    const isIncomplete = fault.code === 'commander.help';
    return { kind: 'failure', failure: usage(isIncomplete ? incomplete(words) : sentenceOf(fault, words)) };
  }
  return parsed ?? { kind: 'failure', failure: usage(incomplete(words)) };
}

function chosen(command: Command, input: Input): Parsed {
  const given = new Set([...Object.keys(input.values), ...input.flags]);
  const missing = (command.options ?? []).filter((option) => option.isRequired && !given.has(nameOf(option)));
  if (missing.length === 0) return { kind: 'run', command, input };
  const flags = missing.map((option) => option.flags).join(', ');
  return { kind: 'failure', failure: usage(`${command.words} needs ${flags} (${howTo(command.words)})`) };
}

/** A sentence about unknown words; undefined if the words are a command or a group of commands. */
function unknownIn(words: readonly string[]): string | undefined {
  const known = wordsOf(words);
  if (commands.some((command) => command.words === known)) return undefined;
  const unknown = words.filter((word) => !word.startsWith('-'))[known === '' ? 0 : known.split(' ').length];
  return unknown === undefined ? undefined : `${unknownCommand(unknown, known)} (${howTo(known)})`;
}

function incomplete(words: readonly string[]): string {
  const [group = ''] = words.filter((word) => !word.startsWith('-'));
  const inGroup = commands.filter((command) => command.words.startsWith(`${group} `));
  if (group === '' || inGroup.length === 0) return `a command is missing (${howTo('')})`;
  const verbs = inGroup.map((command) => command.words.slice(group.length + 1)).join(', ');
  return `${group} needs one of these words: ${verbs} (${howTo(group)})`;
}

/** A sentence about a wrong command line, without typed values, because they may be secrets. */
function sentenceOf(fault: CommanderError, words: readonly string[]): string {
  const known = wordsOf(words);
  const flag = /^error: unknown option '(--?[^'=]+)/.exec(fault.message)?.[1];
  // Every command has --json, so the option is right, but the command is missing.
  if (flag === '--json') return incomplete(words);
  const verb = /^error: unknown command '([^']+)/.exec(fault.message)?.[1];
  if (flag !== undefined) return `${unknownOption(flag, known)} (${howTo(known)})`;
  return `${verb === undefined ? plainSentence(fault.message) : unknownCommand(verb, known)} (${howTo(known)})`;
}

/** Words that other programs use, each with the words that Morsel uses. */
const synonyms: { readonly [word: string]: readonly string[] } = {
  delete: ['remove', 'revoke'],
  rm: ['remove', 'revoke'],
  ls: ['list'],
  edit: ['set'],
  update: ['set'],
  create: ['add'],
  new: ['add'],
  search: ['find'],
  start: ['serve', 'resume'],
  stop: ['suspend', 'pause'],
};

/** A sentence about an unknown word. `within` has the known words before it. */
function unknownCommand(word: string, within: string): string {
  const depth = within === '' ? 0 : within.split(' ').length;
  const candidates = commands
    .filter((command) => within === '' || command.words.startsWith(`${within} `))
    .map((command) => command.words.split(' ')[depth] ?? '');
  const meant = synonyms[word]?.find((synonym) => candidates.includes(synonym));
  return `unknown command ${word}${meant === undefined ? didYouMean(word, candidates) : `; did you mean ${meant}?`}`;
}

function plainSentence(message: string): string {
  return message
    .replace(/^error: /, '')
    .replace(/ but got (\d+)[^]*$/, ' but got $1')
    .replaceAll('\n', ' ');
}

function unknownOption(flag: string, words: string): string {
  const options = commands.find((command) => command.words === words)?.options ?? [];
  const flags = [...options.map((option) => parserOptionOf(option).long ?? ''), '--json', '--help'];
  return `unknown option ${flag}${didYouMean(flag, flags)}`;
}

function wordsOf(words: readonly string[]): string {
  const typed = words.filter((word) => !word.startsWith('-'));
  const known = [3, 2, 1].map((length) => typed.slice(0, length).join(' '));
  return known.find((each) => each in groups || commands.some((command) => command.words === each)) ?? '';
}

function howTo(words: string): string {
  return `see ${['morsel', words, '--help'].filter((word) => word !== '').join(' ')}`;
}

interface Sink {
  readonly choose: (command: Command, input: Input) => void;
  readonly write: (text: string) => void;
}

/**
 * The parser for the typed words. Other groups of commands are left out, because their parsers take half of the time.
 */
function programOf(words: readonly string[], sink: Sink): Parser {
  const program = new Parser('morsel')
    .description(
      'An SMS gateway: clients send over HTTP or SMPP, and carriers are connected over SMPP. Accounts are prepaid.',
    )
    .version(version, '-V, --version', 'print the version')
    // The program's --version counts only before the command, because `carrier add` has its own --version.
    .enablePositionalOptions()
    .showSuggestionAfterError(false)
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .exitOverride()
    .configureOutput({ writeOut: sink.write, writeErr: () => undefined });
  const parsers = new Map<string, Parser>();
  for (const command of commands) {
    const parent = parentOf(program, parsers, command);
    const [group = ''] = command.words.split(' ');
    if (parent === program || words.includes(group)) addCommand(parent, command, sink);
  }
  program.addHelpText('after', `\n${settingsHelp()}\n\n${statusHelp}${ownName === 'morsel' ? '' : checkoutHelp}`);
  return program;
}

function parentOf(program: Parser, parsers: Map<string, Parser>, command: Command): Parser {
  const words = command.words.split(' ').slice(0, -1);
  let parent = program;
  for (const [at, word] of words.entries()) {
    parent = groupOf(parent, parsers, { group: words.slice(0, at + 1).join(' '), word });
  }
  return parent;
}

function groupOf(
  parent: Parser,
  parsers: Map<string, Parser>,
  { group, word }: { readonly group: string; readonly word: string },
): Parser {
  const known = parsers.get(group);
  if (known) return known;
  const made = parent.command(word).description(groups[group] ?? '');
  made.addHelpText('after', () => {
    const inGroup = commands.filter((each) => each.words.startsWith(`${group} `));
    return examplesHelp(inGroup.flatMap((each) => Object.entries(each.examples).slice(0, 1)));
  });
  parsers.set(group, made);
  return made;
}

function addCommand(parent: Parser, command: Command, sink: Sink): void {
  const parser = parent
    .command(command.words.split(' ').at(-1) ?? '')
    .summary(command.summary)
    .description(`${command.summary}.`)
    .allowExcessArguments(false);
  const named = command.arguments ?? [];
  for (const { name, summary, isOptional, isMany } of named) {
    const spelt = isMany ? `${name}...` : name;
    parser.argument(isOptional ? `[${spelt}]` : `<${spelt}>`, summary);
  }
  const { options = [] } = command;
  const hasGroups = options.some(({ group }) => group !== undefined);
  for (const option of options) {
    const made = parserOptionOf(option);
    parser.addOption(hasGroups ? made.helpGroup(`${option.group ?? 'Further options'}:`) : made);
  }
  parser.option('--json', 'print the answer as one JSON value, and errors as problem details');
  parser.addHelpText('after', examplesHelp(Object.entries(command.examples)));
  const { notes } = command;
  if (notes) parser.addHelpText('after', () => `\n${notes()}`);
  parser.action(() => {
    const values: { [name: string]: string } = {};
    const flags = new Set<string>();
    for (const [at, { name, isMany }] of named.entries()) {
      const given = isMany ? parser.args.slice(at).join('\n') || undefined : parser.args[at];
      if (given !== undefined) values[name] = given;
    }
    for (const [name, value] of Object.entries<unknown>(parser.opts())) {
      if (typeof value === 'string') values[name] = value;
      else if (value === true) flags.add(name);
    }
    sink.choose(command, { values, flags });
  });
}

function parserOptionOf({ flags, summary, isRequired, choices, isRepeated }: Option): ParserOption {
  const option = new ParserOption(flags, isRequired ? `${summary} (required)` : summary);
  if (choices) option.choices(choices);
  if (option.isBoolean()) return option;
  const check = option.parseArg;
  return option.argParser((value, before) => {
    if (typeof before !== 'string') return check ? check(value, before) : value;
    if (isRepeated) return `${before}\n${value}`;
    throw new CommanderError(
      exitStatus.usage,
      'morsel.twice',
      `${option.long ?? flags} takes one value, but is given twice`,
    );
  });
}

function nameOf(option: Option): string {
  return parserOptionOf(option).attributeName();
}

function examplesHelp(examples: readonly (readonly [words: string, purpose: string])[]): string {
  return `\nExamples:\n${examples.map(([words, purpose]) => `  # ${purpose}\n  morsel ${words}`).join('\n')}`;
}

function settingsHelp(): string {
  const width = Math.max(...Object.keys(settings).map((name) => name.length));
  const lines = Object.entries(settings).map(
    ([name, { means, default: usual }]) => `  ${name.padEnd(width)}  ${means} (${usual})`,
  );
  return `Settings (environment variables):\n${lines.join('\n')}`;
}

const statusHelp = `Exit status: 0 done, ${exitStatus.refused} refused, ${exitStatus.usage} wrong command or setting, ${exitStatus.unreachable} the gateway cannot be reached, ${unwrittenStatus} done, but the output could not be written.`;

const checkoutHelp = `\n\nIn a checkout of the source, run commands so: ${ownName} account list`;
