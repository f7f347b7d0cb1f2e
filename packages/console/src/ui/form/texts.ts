/* What a viewer types into the form of a declared operation: the texts of its fields, and which of them have changed. */

import type { Operation } from '@morsel/api/admin/resource.ts';
import { typedText, type Field, type Words } from '@morsel/api/fields/field.ts';
import { defaultText, labelOf } from '@morsel/api/fields/shown.ts';
import { useState } from 'react';
import { useMay } from '../../app/session.ts';
import { words } from '../../words/words.ts';

type Row = Readonly<Record<string, unknown>>;

export type NamedField = readonly [name: string, field: Field<unknown>];

export interface Form {
  readonly fields: readonly NamedField[];
  readonly texts: Words;
  readonly set: (name: string, text: string) => void;
  /** The texts before the viewer typed. */
  readonly start: Words;
  /** The fields that the viewer has changed. */
  readonly typed: readonly string[];
  /** What is sent: the changed settings of a PATCH, and the filled fields of another operation. */
  readonly given: Words;
  /** What is missing, by field. */
  readonly missing: Words;
  readonly discard: () => void;
}

interface FormProps {
  readonly operation: Operation;
  readonly row: Row;
  /** Values that the page knows. They have no input. */
  readonly fixed: Row;
  readonly given?: Words | undefined;
}

/** Fields of which the page takes care: the place of the next step, and the preview. */
const hiddenFields = new Set(['after', 'until', 'dryRun']);

/** Words of special values begin with this character, which nobody types: an empty input is not the special value ''. */
const specialMark = '\u0000';

export function specialText(typed: string): string {
  return `${specialMark}${typed}`;
}

export function isSpecial(text: string): boolean {
  return text.startsWith(specialMark);
}

/** The text of an input as it is sent. */
export function sentText(text: string): string {
  return isSpecial(text) ? text.slice(1) : text;
}

/** Values that stay typed when the row changes, because the texts of the row are beneath them. */
export function useForm({ operation, row, fixed, given = {} }: FormProps): Form {
  const may = useMay();
  const { method, input } = operation;
  // A previewed change names the version of the preview, so that the gateway refuses it for another version.
  const isPinned = operation.preview === 'dry-run' && Object.hasOwn(input, 'from');
  const fields = Object.entries(input).filter(
    ([name, { about, need }]) =>
      !(isPinned && name === 'from') &&
      !Object.hasOwn(fixed, name) &&
      about.isIdempotencyKey !== true &&
      (!hiddenFields.has(name) || need === 'must') &&
      may({ role: about.role ?? operation.role }),
  );
  const start = Object.fromEntries(
    fields.map(([name, field]) => [name, firstText(field, operation.answer[name] ?? field, valueIn(row, name))]),
  );
  const [entered, setEntered] = useState<Words>({});
  const texts: Words = { ...start, ...given, ...entered };
  const shown = fields.filter(([, { about }]) => about.when?.(effective(fields, texts)) !== false);
  const isSent = ([name]: NamedField) => (method === 'PATCH' ? texts[name] !== start[name] : texts[name] !== '');
  const sent = shown.filter(isSent).map(([name]) => name);
  const isMissing = ([name, { about, need }]: NamedField) =>
    about.special !== undefined && texts[name] === '' && (method === 'PATCH' ? sent.includes(name) : need === 'must');
  const named = (all: readonly string[]) => Object.fromEntries(all.map((name) => [name, sentText(texts[name] ?? '')]));
  return {
    fields: shown,
    texts,
    set: (name, text) => setEntered({ ...entered, [name]: text }),
    start,
    typed: shown.map(([name]) => name).filter((name) => texts[name] !== (given[name] ?? start[name])),
    given: named(sent),
    missing: Object.fromEntries(
      shown.filter(isMissing).map(([name, { about }]) => [name, words.orTick(Object.values(about.special ?? {}))]),
    ),
    discard: () => setEntered({}),
  };
}

/** The texts as the fields see one another: without a text, the default. */
export function effective(fields: readonly NamedField[], texts: Words): Words {
  return Object.fromEntries(
    fields.map(([name, field]) => [name, sentText(texts[name] ?? '') || (defaultText(field) ?? '')]),
  );
}

/** A setting of a row. The settings of a carrier's SMPP profile are in one object. */
function valueIn(row: Row, name: string): unknown {
  if (Object.hasOwn(row, name)) return row[name];
  const profile: Row = { ...Object(row['profile']) };
  return profile[name];
}

/** The text of a value in a row, which the field `shownBy` of the answer writes. */
function firstText(field: Field<unknown>, shownBy: Field<unknown>, value: unknown): string {
  if (field.about.isSecret === true || value === undefined) return '';
  const typed = typedText(shownBy.json(value));
  if (field.about.special?.[typed] !== undefined) return specialText(typed);
  if (value === null) return '';
  return field.about.words || field.schema['enum'] ? typed : shownBy.cell(value);
}

export interface Difference {
  readonly label: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** What a form changes, as people read it. */
export function changesIn({ fields, typed, start, texts }: Form): readonly Difference[] {
  return fields
    .filter(([name]) => typed.includes(name))
    .map(([name, field]) => ({
      label: labelOf({ [name]: field }, name),
      before: shownText(field, start[name]),
      after: shownText(field, texts[name]),
    }));
}

/** The text of an input as people read it. */
function shownText({ about }: Field<unknown>, text = ''): string {
  if (about.isSecret === true) return text === '' ? '' : '••••';
  const typed = sentText(text);
  return (isSpecial(text) ? about.special : about.words)?.[typed] ?? typed;
}
