/* Shows declared values: times in the viewer's zone, amounts with all digits, states in colours, hostile texts as text. */

import type { Field } from '@morsel/api/fields/field.ts';
import { isState, printable, toneOf, type Tone } from '@morsel/api/fields/shown.ts';
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

export function Money({ amount, currency = '' }: { readonly amount: Micros; readonly currency?: string }) {
  return <span className={css['digits']}>{moneyText(amount, currency)}</span>;
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
}

const shortMax = 24;

/** A text that may come from anybody. In a table, only long texts are broken into lines. */
export function PlainText({ text }: { readonly text: string }) {
  return <span className={css[text.length > shortMax ? 'long' : 'short']}>{printable(text) || '–'}</span>;
}

export function Value({ name, field, value, row = {} }: ValueProps) {
  if (value === undefined) return null;
  if (value === null) return <span className={css['soft']}>{field.cell(value) || '–'}</span>;
  if (field.schema['format'] === 'date-time' && typeof value === 'number') return <Time at={value} />;
  if (field.isAmount && typeof value === 'bigint') {
    const currency = row['currency'];
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an amount is in micros
    return <Money amount={value as Micros} currency={typeof currency === 'string' ? currency : ''} />;
  }
  if (field.schema['type'] === 'boolean') return <>{value === true ? words.yes : words.no}</>;
  const text = field.cell(value);
  return isState(name) ? <State word={printable(text)} /> : <PlainText text={text} />;
}
