/* Shows declared values: times in the viewer's zone, amounts with all digits, states in colours, hostile texts as text. */

import type { Field } from '@morsel/api/fields/field.ts';
import { isState, printable, textOf, toneOf, type Tone } from '@morsel/api/fields/shown.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { ReactNode } from 'react';
import { localTime, moneyText, utcTime } from '../app/format.ts';
import { words } from '../words/words.ts';
import { classes, css } from './ui.tsx';

export function Time({ at }: { readonly at: Instant }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={utcTime(at)}>
      {localTime(at)}
    </time>
  );
}

interface MoneyProps {
  readonly amount: Micros;
  readonly currency?: string;
  /** The decimals of the amount of its column with the most, so that the points stand below each other. */
  readonly decimals?: number;
}

export function Money({ amount, currency = '', decimals = 0 }: MoneyProps) {
  const text = moneyText(amount, currency);
  return (
    <span className={css['digits']}>
      <span style={{ marginRight: `${Math.max(0, decimals - decimalsOf(text))}ch` }}>{text}</span>
      {currency !== '' && <span className={css['currency']}> {currency}</span>}
    </span>
  );
}

function decimalsOf(text: string): number {
  return text.split('.')[1]?.length ?? 0;
}

export function currencyOf(row: Readonly<Record<string, unknown>>): string {
  const currency = row['currency'] ?? row['clientCurrency'];
  return typeof currency === 'string' ? currency : '';
}

/** The decimals of the amount with the most in a column. */
export function decimalsIn(rows: readonly Readonly<Record<string, unknown>>[], column: string): number {
  const texts = rows.map((row) => {
    const amount = row[column];
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an amount is in micros
    return typeof amount === 'bigint' ? moneyText(amount as Micros, currencyOf(row)) : '';
  });
  return Math.max(0, ...texts.map(decimalsOf));
}

export function State({ word }: { readonly word: string }) {
  return <Badge tone={toneOf(word)}>{word.replaceAll('_', ' ')}</Badge>;
}

export function Badge({ tone, children }: { readonly tone: Tone | undefined; readonly children: ReactNode }) {
  return <span className={classes(css['badge'], tone && css[tone])}>{children}</span>;
}

interface ValueProps {
  readonly name: string;
  readonly field: Field<unknown>;
  readonly value: unknown;
  /** The row of the value, if an amount is shown with its currency. */
  readonly row?: Readonly<Record<string, unknown>>;
  readonly decimals?: number;
}

const shortMax = 24;

/** A text that may come from anybody. In a table, only long texts are broken into lines. */
export function PlainText({ text }: { readonly text: string }) {
  return <span className={css[text.length > shortMax ? 'long' : 'short']}>{printable(text) || '–'}</span>;
}

export function Value({ name, field, value, row = {}, decimals = 0 }: ValueProps) {
  if (value === undefined) return null;
  if (value === null) return <span className={css['soft']}>{textOf(field, value) || '–'}</span>;
  if (field.kind === 'instant' && typeof value === 'number') return <Time at={value} />;
  if (field.kind === 'money' && typeof value === 'bigint') {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an amount is in micros
    return <Money amount={value as Micros} currency={currencyOf(row)} decimals={decimals} />;
  }
  if (field.schema['type'] === 'boolean') return <>{value === true ? words.yes : words.no}</>;
  const text = textOf(field, value);
  return isState(name) ? <State word={printable(text)} /> : <PlainText text={text} />;
}
