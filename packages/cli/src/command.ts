import type { Environment } from '@morsel/gateway/config.ts';
import type { Result } from '@morsel/api/values/result.ts';

/* The definition of a command: its words, arguments, options, and how it runs. */

/** One command: a row of the table from which help and parsing are made. */
export interface Command {
  /** Its words: `account add`. */
  readonly words: string;
  readonly summary: string;
  readonly arguments?: readonly Argument[];
  readonly options?: readonly Option[];
  /** Examples: the words behind `morsel`, each with its purpose. */
  readonly examples: readonly Example[];
  /** A note after them in help. */
  readonly notes?: () => string;
  readonly run: (input: Input, shell: Shell) => Promise<Result<Report | undefined, Failure>>;
}

/** Given by its place. */
export interface Argument {
  readonly name: string;
  readonly summary: string;
  readonly isOptional?: boolean;
  /** The last argument, which may have several words: its value has a line for each. */
  readonly isMany?: boolean;
}

/** Given by its name. */
export interface Option {
  /** In commander's form: `--currency <code>` takes a value, `--wait` is on or off. */
  readonly flags: string;
  readonly summary: string;
  readonly isRequired?: boolean;
  readonly choices?: readonly string[];
  /** It may be repeated: its value has a line for each. */
  readonly isRepeated?: boolean;
}

type Example = readonly [words: string, purpose: string];

/** The given arguments and options by their names in camelCase; others are absent. */
export interface Input {
  readonly values: { readonly [name: string]: string };
  readonly flags: ReadonlySet<string>;
}

/** The surroundings of a command. */
export interface Shell {
  readonly environment: Environment;
  readonly isJson: boolean;
  readonly hasColour: boolean;
  /** Prints a report on standard output, for commands that keep running; others return it. */
  readonly report: (report: Report) => void;
  /** Prints a line on standard error. */
  readonly warn: (line: string) => void;
  /** Shows progress on a terminal, in place of the last progress, without a line break. Absent without a terminal. */
  readonly progress?: ((text: string) => void) | undefined;
  /** Asks a yes-or-no question. Absent without a terminal; then only --yes is a yes. */
  readonly confirm?: ((question: string) => Promise<boolean>) | undefined;
  /** All of standard input. */
  readonly readInput: () => Promise<string>;
  /** Standard input line by line, as it comes. */
  readonly readLines: () => AsyncIterable<string>;
}

/** The answer of a command: one JSON value for programs, lines for people. */
export interface Report {
  readonly json: string;
  readonly text: string;
}

/** Exit statuses, for scripts. */
export const exitStatus = { refused: 1, usage: 2, unreachable: 3 } as const;

/** Why a command failed. */
export interface Failure {
  readonly kind: keyof typeof exitStatus;
  /** One sentence, without a full stop. */
  readonly detail: string;
  /** The code of the problem that the gateway answered. */
  readonly code?: string;
  /** The problem from the gateway; without one, it is made of the sentence. */
  readonly problem?: string;
}

export function usage(detail: string): Failure {
  return { kind: 'usage', detail };
}

/** A field as it is typed: `systemId` is `system-id`. */
export function optionOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
