/* How the values of declared fields are shown to a person: in the tables of the command line and of the console. */

import { typedText, type Field, type FieldTable } from './field.ts';

/** Control characters, and characters that change the direction of writing (Unicode Standard Annex 9, section 2). */
const deceptive = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Spells out characters that move the cursor, hide a line or reorder a text. Inbound messages and clients' texts may
 * have them.
 */
export function printable(text: string): string {
  return text.replaceAll(deceptive, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`);
}

const acronyms: Readonly<Record<string, string>> = { Smpp: 'SMPP', Url: 'URL', Tls: 'TLS' };

/** What people call a field: `Last used` for `lastUsedAt`, unless the field declares its label. */
export function labelOf(table: FieldTable, name: string): string {
  return table[name]?.about.label ?? labelFrom(name);
}

/** The label of a name: `Last used` for `lastUsedAt`. */
export function labelFrom(name: string): string {
  const [first = '', ...rest] = spaced(name)
    .replace(/ at$/, '')
    .replace(/(?<=[a-z]{2})\d/, ' $&')
    .split(' ');
  const start = upperFirst(first);
  return [acronyms[start] ?? start, ...rest].join(' ');
}

export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A value as a person reads it: its word, what it stands for, or its text. */
export function textOf(field: Field<unknown>, value: unknown): string {
  const { words, special } = field.about;
  if (!words && !special) return field.cell(value);
  const text = typedText(field.json(value));
  return words?.[text] ?? special?.[text] ?? field.cell(value);
}

/** The heading of a column, such as LAST USED for `lastUsedAt`. */
export function titleOf(answer: FieldTable, name: string): string {
  return labelOf(answer, name).toUpperCase();
}

/** The name of a field as words: `day cap` for `dayCap`. */
export function spaced(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

export function counted(count: number | string, what: string, many = `${what}s`): string {
  return `${count} ${Number(count) === 1 ? what : many}`;
}

/** The default in the form of the command line; undefined if there is none. */
export function defaultText(field: Field<unknown>): string | undefined {
  const { about, otherwise, kind } = field;
  if (about.defaultText !== undefined) return about.defaultText;
  if (otherwise && kind === 'duration') return field.cell(otherwise.value);
  return otherwise && (typedText(field.json(otherwise.value)) || '""');
}

/** The default for help, such as ` (default: 50)`; empty if there is none. */
export function defaultNote(field: Field<unknown>): string {
  const usual = defaultText(field);
  return usual === undefined ? '' : ` (default: ${usual})`;
}

/** Whether a field is a number, which tables align at the right. */
export function isNumber(answer: FieldTable, name: string): boolean {
  return [answer[name]?.schema['type']].flat().some((type) => type === 'integer' || type === 'number');
}

/** Whether a field is a state, which is shown in colours. */
export function isState(name: string): boolean {
  return ['status', 'state', 'event', 'severity'].includes(name);
}

export type Tone = 'good' | 'warn' | 'bad';

const tones: Readonly<Record<string, Tone>> = {
  active: 'good',
  bound: 'good',
  delivered: 'good',
  running: 'good',
  working: 'good',
  suspended: 'warn',
  paused: 'warn',
  drained: 'warn',
  draining: 'warn',
  throttled: 'warn',
  'partly bound': 'warn',
  connecting: 'warn',
  waiting: 'warn',
  pending: 'warn',
  untried: 'warn',
  warning: 'warn',
  acknowledged: 'warn',
  in_doubt: 'warn',
  undelivered: 'bad',
  rejected: 'bad',
  expired: 'bad',
  unknown: 'bad',
  dead: 'bad',
  critical: 'bad',
  open: 'bad',
  silent: 'bad',
  failing: 'bad',
  'not bound': 'bad',
};

/** The colour of a state; undefined for words that are no state. */
export function toneOf(word: string): Tone | undefined {
  return tones[word];
}
