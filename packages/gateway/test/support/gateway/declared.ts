/* Every declared operation of the operator's API, with the words that a person types to call it. */

import { resources } from '@morsel/api/admin/resources.ts';
import type { Operation, Resource } from '@morsel/api/admin/resource.ts';
import { typedText } from '@morsel/api/fields/field.ts';
import { jsonGiven } from '@morsel/api/admin/client.ts';
import { optionOf, type Command } from '@morsel/cli/command.ts';
import { commands } from '@morsel/cli/commands.ts';
import { optionNameOf } from '@morsel/cli/given.ts';

export interface Declared {
  readonly name: string;
  readonly of: Resource;
  readonly operation: Operation;
  /** The command that calls the operation; undefined if there is none. */
  readonly command: Command | undefined;
}

export const declared: readonly Declared[] = Object.entries<Resource>(resources).flatMap(([name, of]) =>
  Object.entries(of.operations).map(([verb, operation]) => {
    const words = operation.command && (operation.command.words ?? `${of.command} ${optionOf(verb)}`);
    return { name: `${name}.${verb}`, of, operation, command: commands.find((each) => each.words === words) };
  }),
);

export type GivenFields = { readonly [field: string]: unknown };

/** The words of the command with these fields. Undefined if a person cannot type one of them, such as a list of prices. */
export function wordsOf({ operation, command }: Declared, given: GivenFields): readonly string[] | undefined {
  if (command === undefined) return undefined;
  const named = operation.command?.arguments ?? [];
  // The fields hold the content of the file, but a person types its name.
  if (named.includes('file')) return undefined;
  const texts = Object.entries(jsonGiven(operation, given)).map(([field, json]) => [field, typedText(json)] as const);
  const options = texts.filter(([field]) => !named.includes(field)).map((each) => optionWords(operation, each));
  if (options.includes(undefined)) return undefined;
  const values = new Map(texts);
  return [
    ...command.words.split(' '),
    ...named.flatMap((field) => values.get(field) ?? []),
    ...options.flatMap((each) => each ?? []),
  ];
}

function optionWords(
  { input }: Operation,
  [name, value]: readonly [field: string, value: string],
): readonly string[] | undefined {
  const field = input[name];
  if (field === undefined) return undefined;
  const { typed = ['value'], flag } = field.about;
  if (flag) return flag.value === value ? [`--${flag.name}`] : undefined;
  if (!typed.includes('value')) return undefined;
  const option = `--${optionNameOf(name, field)}`;
  return field.schema['type'] === 'boolean' ? [option] : [`${option}=${value}`];
}
