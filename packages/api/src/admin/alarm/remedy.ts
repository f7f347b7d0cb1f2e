/* The operation that the command of an alarm calls, so that the console can open its filled form. */

import { spaced } from '../../fields/shown.ts';
import type { Operation, Resource } from '../resource.ts';
import { resources } from '../resources.ts';

export interface Remedy {
  readonly of: Resource;
  /** The name of the operation in its resource. */
  readonly verb: string;
  readonly operation: Operation;
  /** The values of its input, as they are typed. */
  readonly given: Readonly<Record<string, string>>;
}

const declared: readonly Resource[] = Object.values(resources);

/** Undefined if the command is none of Morsel's, such as `date -u`. */
export function remedyOf(help: string): Remedy | undefined {
  for (const of of declared) {
    for (const [verb, operation] of Object.entries(of.operations)) {
      const { command } = operation;
      const called = command && `morsel ${command.words ?? `${of.command} ${dashed(verb)}`} `;
      if (called === undefined || !`${help} `.startsWith(called)) continue;
      const given = givenIn(operation, help.slice(called.length).split(' ').filter(Boolean));
      if (given) return { of, verb, operation, given };
    }
  }
  return undefined;
}

function dashed(name: string): string {
  return spaced(name).replaceAll(' ', '-');
}

/** The values in the words after a command. Undefined if the operation takes other ones. */
function givenIn({ input, command }: Operation, typed: readonly string[]): Remedy['given'] | undefined {
  const given: Record<string, string> = {};
  const [left, names] = [[...typed], [...(command?.arguments ?? [])]];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    const name = word.startsWith('--')
      ? Object.keys(input).find((each) => `--${dashed(each)}` === word)
      : names.shift();
    if (name === undefined) return undefined;
    const isFlag = input[name]?.schema['type'] === 'boolean';
    given[name] = isFlag ? 'true' : word.startsWith('--') ? (left.shift() ?? '') : word;
  }
  return given;
}
