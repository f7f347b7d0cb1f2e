import type { Environment } from '@morsel/gateway/config.ts';
import type { Result } from '@morsel/api/values/result.ts';

/* The definition of a command: its words, arguments and options, and the function that runs it. */

/** The parser and the help are made from a list of commands. */
export interface Command {
  /** The words that call the command, such as `account add`. */
  readonly words: string;
  readonly summary: string;
  readonly arguments?: readonly Argument[];
  readonly options?: readonly Option[];
  /** The purpose of each example, by the words after `morsel`. */
  readonly examples: { readonly [words: string]: string };
  readonly notes?: () => string;
  readonly run: (input: Input, shell: Shell) => Promise<Result<Report | undefined, Failure>>;
}

export interface Argument {
  readonly name: string;
  readonly summary: string;
  readonly isOptional?: boolean;
  /** The last argument takes several words: its value has one line for each word. */
  readonly isMany?: boolean;
}

export interface Option {
  /** In the syntax of commander: `--currency <code>` takes a value, and `--wait` is a switch. */
  readonly flags: string;
  readonly summary: string;
  readonly isRequired?: boolean;
  readonly choices?: readonly string[];
  /** The option may be repeated. Its value has one line for each time. */
  readonly isRepeated?: boolean;
  /** The heading in the help of a command whose options are in groups. */
  readonly group?: string;
}

/** The options of each command that changes something: actor and reason, for the audit log. */
export const changeOptions: readonly Option[] = [
  { flags: '--reason <text>', summary: 'reason for the change, which is stored in the audit log' },
  {
    flags: '--actor <name>',
    summary: 'name to store with the change; only with the operator key of the data directory (default: you)',
  },
];

/** Arguments and options by their names in camelCase. */
export interface Input {
  readonly values: { readonly [name: string]: string };
  readonly flags: ReadonlySet<string>;
}

export interface Shell {
  readonly environment: Environment;
  /** The values of `changeOptions`: who makes the changes of the command, and why. */
  readonly said?: { readonly actor?: string | undefined; readonly reason?: string | undefined };
  readonly isJson: boolean;
  readonly hasColour: boolean;
  /** Prints a report on standard output, for commands that keep running. Other commands return their report. */
  readonly report: (report: Report) => void;
  /** Prints a text on standard output unchanged, for rows that the gateway has written. */
  readonly print: (text: string) => void;
  /** Prints a line on standard error. */
  readonly warn: (line: string) => void;
  /** Shows the progress in one line of the terminal, in place of the progress before. Absent without a terminal. */
  readonly progress?: ((text: string) => void) | undefined;
  /** Asks a person a question. Absent without a terminal: then only --yes confirms. */
  readonly confirm?: ((question: string) => Promise<boolean>) | undefined;
  /** Asks for a secret, which is not shown while it is typed. Absent without a terminal. */
  readonly askSecret?: ((question: string) => Promise<string>) | undefined;
  readonly readInput: () => Promise<string>;
  /** Reads standard input line by line, each line as soon as it arrives. */
  readonly readLines: () => AsyncIterable<string>;
}

/** What a command prints: one JSON value for programs, and text for people. */
export interface Report {
  readonly json: string;
  readonly text: string;
}

/** Exit statuses, for scripts. */
export const exitStatus = { refused: 1, usage: 2, unreachable: 3 } as const;

export interface Failure {
  readonly kind: keyof typeof exitStatus;
  /** One sentence, without a full stop. */
  readonly detail: string;
  /** The `code` of the problem details, if the gateway answered them. */
  readonly code?: string;
  /** Problem details as JSON. If absent, they are made from `detail`. */
  readonly problem?: string;
}

export function usage(detail: string): Failure {
  return { kind: 'usage', detail };
}

/** The option of a field, such as `system-id` for `systemId`. */
export function optionOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
