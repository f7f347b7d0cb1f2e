/* The fields of a form, in the groups of their declarations. A group of advanced fields is closed at first. */

import type { Group, Words } from '@morsel/api/fields/field.ts';
import { labelOf } from '@morsel/api/fields/shown.ts';
import { effective, type Form, type NamedField } from './texts.ts';
import { FieldInput } from './inputs.tsx';
import { css } from '../ui.tsx';
import own from './form.module.css';

interface FieldsProps {
  readonly form: Form;
  /** What is wrong, by field. */
  readonly errors: Words;
  readonly isShown?: (field: NamedField) => boolean;
  /** Whether advanced groups are open. */
  readonly isOpen?: boolean;
  readonly onText?: () => void;
  /** The currency of amounts, unless a field of the form has it. */
  readonly currency?: string;
}

export function Fields({ form, errors, isShown = () => true, isOpen = false, onText, currency = '' }: FieldsProps) {
  const given = effective(form.fields, form.texts);
  const inputs = (fields: readonly NamedField[]) =>
    fields.map(([name, field]) => (
      <FieldInput
        key={name}
        name={name}
        field={field}
        text={form.texts[name] ?? ''}
        error={errors[name]}
        currency={form.texts['currency'] ?? currency}
        warning={form.typed.includes(name) ? field.about.warning?.(given) : undefined}
        onText={(text) => {
          onText?.();
          form.set(name, text);
        }}
      />
    ));
  return groupsOf(form.fields.filter(isShown)).map(({ group, fields }) => {
    if (!group) return inputs(fields);
    const needsLook = fields.some(([name]) => form.typed.includes(name) || errors[name] !== undefined);
    return group.isAdvanced ? (
      <details key={group.label} className={own['group']} open={isOpen || needsLook || undefined}>
        <summary>{group.label}</summary>
        <div className={css['stack']}>{inputs(fields)}</div>
      </details>
    ) : (
      <fieldset key={group.label} className={own['group']}>
        <legend>{group.label}</legend>
        <div className={css['stack']}>{inputs(fields)}</div>
      </fieldset>
    );
  });
}

/** The fields in their groups: first those without, then the usual groups, then the advanced ones. */
function groupsOf(fields: readonly NamedField[]) {
  const groups = new Map<string, { readonly group: Group | undefined; readonly fields: NamedField[] }>();
  for (const field of fields) {
    const { group } = field[1].about;
    const key = group?.label ?? '';
    const found = groups.get(key) ?? { group, fields: [] };
    found.fields.push(field);
    groups.set(key, found);
  }
  return [...groups.values()].toSorted((one, other) => rank(one.group) - rank(other.group));
}

function rank(group: Group | undefined): number {
  return group ? 1 + Number(group.isAdvanced) : 0;
}

/** Whether a search for a setting finds a field. */
export function isFound([name, field]: NamedField, search: string): boolean {
  const { summary, group, words = {} } = field.about;
  const texts = [labelOf({ [name]: field }, name), name, summary, group?.label ?? '', ...Object.values(words)];
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => texts.some((text) => text.toLowerCase().includes(word)));
}
