import type { Environment } from '@morsel/gateway/config.ts';
import type { Result } from '@morsel/api/values/result.ts';

/* What a command is: its words, arguments, options, and how it runs. */

/** One command, as a row of the table that help and parsing are both made of. */
export interface Command {
  /** As it is typed: `account add`. */
  readonly words: string;
  readonly summary: string;
  readonly arguments?: readonly Argument[];
  readonly options?: readonly Option[];
  /** What follows `morsel`, each with what it is good for. */
  readonly examples: readonly Example[];
  /** What help says after them. */
  readonly notes?: () => string;
  readonly run: (input: Input, shell: Shell) => Promise<Result<Report | undefined, Failure>>;
}

/** Given by its place. */
export interface Argument {
  readonly name: string;
  readonly summary: string;
  readonly isOptional?: boolean;
  /** The last one, given as often as one likes: its value has a space between them. */
  readonly isMany?: boolean;
}

/** Given by its name. */
export interface Option {
  /** As commander writes it: `--currency <code>` takes a value, `--wait` is on or off. */
  readonly flags: string;
  readonly summary: string;
  readonly isRequired?: boolean;
  readonly choices?: readonly string[];
  /** It may be given more than once: a line each of its value. */
  readonly isRepeated?: boolean;
}

type Example = readonly [words: string, purpose: string];

/** What was given: arguments and options by their names in camelCase; what was not given is not there. */
export interface Input {
  readonly values: { readonly [name: string]: string };
  readonly flags: ReadonlySet<string>;
}

/** What the program around a command lends it. */
export interface Shell {
  readonly environment: Environment;
  readonly isJson: boolean;
  readonly hasColour: boolean;
  /** Prints a report on standard output: a command that goes on running does so itself, the others leave it to the end. */
  readonly report: (report: Report) => void;
  /** Prints a line on standard error. */
  readonly warn: (line: string) => void;
  /** Shows how far it is, on a terminal, in place of what it showed before; nothing ends it. Absent where nobody looks. */
  readonly progress?: ((text: string) => void) | undefined;
  /** Asks a person, who says yes or no. Absent where nobody is there to answer, and then only --yes is a yes. */
  readonly confirm?: ((question: string) => Promise<boolean>) | undefined;
  /** All of standard input. */
  readonly readInput: () => Promise<string>;
  /** Standard input line by line, as it comes. */
  readonly readLines: () => AsyncIterable<string>;
}

/** What a command has to say: one JSON value for programs, lines for people. */
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
  /** The problem as the gateway answered it; without one, it is made of the sentence. */
  readonly problem?: string;
}

export function usage(detail: string): Failure {
  return { kind: 'usage', detail };
}

/** A field as it is typed: `systemId` is `system-id`. */
export function optionOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
