import type { FieldTable } from '../fields/field.ts';
import { didYouMean } from '../values/nearest.ts';

/* A search as people type it: words, and tokens such as `account:acme`, which are declared filters. */

export interface Tokens {
  /** The values of filters, by their names. */
  readonly given: { readonly [name: string]: string };
  readonly words: readonly string[];
  /** Why a token cannot be used. */
  readonly wrong: readonly string[];
}

/** Other names of filters. */
const aliases: { readonly [alias: string]: string } = {
  to: 'receiver',
  state: 'event',
  ref: 'clientRef',
  reference: 'clientRef',
  id: 'carrierMessageId',
};

/** A value with spaces is in quotation marks. */
const words = /(?:[^\s"]|"[^"]*"?)+/g;

/** `timeOf` reads a time as people type it, and writes it as ISO 8601. */
export function readTokens(text: string, input: FieldTable, timeOf: (typed: string) => string | undefined): Tokens {
  const given: { [name: string]: string } = {};
  const [others, wrong]: [string[], string[]] = [[], []];
  const names = [...Object.keys(input), ...Object.keys(aliases)];
  for (const word of text.match(words) ?? []) {
    const [, token, typed = ''] = /^([A-Za-z]+):(.*)$/.exec(word.replaceAll('"', '')) ?? [];
    if (token === undefined) {
      others.push(word.replaceAll('"', ''));
      continue;
    }
    const name = names.find((each) => each.toLowerCase() === token.toLowerCase()) ?? token;
    const field = input[aliases[name] ?? name];
    const value = (field?.schema['format'] === 'date-time' ? timeOf(typed) : undefined) ?? typed;
    const read = field?.read(value);
    if (!field) wrong.push(`unknown filter ${token}${didYouMean(token, names)}`);
    else if (value !== '' && read?.ok === false) wrong.push(`${name} ${read.error}`);
    else if (value !== '') given[aliases[name] ?? name] = value;
  }
  return { given, words: others, wrong };
}
