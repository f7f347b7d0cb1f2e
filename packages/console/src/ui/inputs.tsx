/* Inputs of forms: a text, a choice, and the field of a declared operation. */

import type { Field } from '@morsel/api/fields/field.ts';
import { defaultText } from '@morsel/api/fields/shown.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { useId, useState } from 'react';
import { moneyText } from '../app/format.ts';
import { words } from '../words/words.ts';
import { labelOf } from './labels.ts';
import { useSuggestions } from './suggestions.ts';
import { css } from './ui.tsx';

interface InputProps {
  readonly label: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onLeave?: () => void;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly title?: string;
}

interface TextProps extends InputProps {
  readonly isSecret?: boolean;
  /** The number of lines that are shown, instead of one. */
  readonly rows?: number;
  readonly autoComplete?: string;
  readonly hasFocus?: boolean;
  readonly placeholder?: string;
  /** The name of the field, if existing names are suggested for it. */
  readonly of?: string;
}

export function TextInput(props: TextProps) {
  const { label, text, onText, onLeave, hint, error, title, isSecret = false, rows = 1, hasFocus = false } = props;
  const id = useId();
  const [wasEntered, setEntered] = useState(hasFocus);
  const suggestions = useSuggestions(props.of, wasEntered);
  const common = {
    id,
    className: css['input'],
    value: text,
    title,
    'aria-invalid': error !== undefined,
    'aria-describedby': `${id}-hint`,
    placeholder: props.placeholder,
    onFocus: () => setEntered(true),
    onBlur: onLeave,
    autoComplete: props.autoComplete ?? (isSecret ? 'new-password' : suggestions.length > 0 ? undefined : 'off'),
    autoFocus: hasFocus,
    spellCheck: false,
  };
  return (
    <div className={css['field']}>
      <label htmlFor={id}>{label}</label>
      {rows > 1 ? (
        <textarea {...common} rows={rows} onChange={(event) => onText(event.target.value)} />
      ) : (
        <input
          {...common}
          type={isSecret ? 'password' : 'text'}
          list={suggestions.length > 0 ? `${id}-names` : undefined}
          onChange={(event) => onText(event.target.value)}
        />
      )}
      {suggestions.length > 0 && (
        <datalist id={`${id}-names`}>
          {suggestions.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      )}
      <Hint id={`${id}-hint`} hint={hint} error={error} />
    </div>
  );
}

export function ChoiceInput(
  props: InputProps & { readonly choices: readonly string[]; readonly isOptional?: boolean },
) {
  const { label, text, onText, onLeave, hint, error, title, choices, isOptional = false } = props;
  const id = useId();
  return (
    <div className={css['field']}>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        className={css['input']}
        value={text}
        title={title}
        aria-describedby={`${id}-hint`}
        onBlur={onLeave}
        onChange={(event) => onText(event.target.value)}
      >
        {(isOptional || text === '') && <option value="">–</option>}
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice === 'true' ? words.yes : choice === 'false' ? words.no : choice}
          </option>
        ))}
      </select>
      <Hint id={`${id}-hint`} hint={hint} error={error} />
    </div>
  );
}

interface HintProps {
  readonly id: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
}

function Hint({ id, hint, error }: HintProps) {
  return (
    <span
      id={id}
      className={error === undefined ? css['hint'] : css['error']}
      role={error === undefined ? undefined : 'alert'}
    >
      {error ?? hint}
    </span>
  );
}

interface FieldInputProps {
  readonly name: string;
  readonly field: Field<unknown>;
  readonly text: string;
  readonly error?: string | undefined;
  readonly onText: (text: string) => void;
  /** The currency of an amount, if it is known. */
  readonly currency?: string;
}

/**
 * The input of a field, with its summary, unit and default. A wrong value is marked when the viewer leaves the input.
 */
export function FieldInput({ name, field, text, error, onText, currency = '' }: FieldInputProps) {
  const [wasLeft, setWasLeft] = useState(false);
  const { summary, unit, isSecret, isWholeFile } = field.about;
  const read = text === '' ? undefined : field.read(text);
  const slip = error ?? (wasLeft && read?.ok === false ? read.error : undefined);
  const choices = choicesOf(field);
  const usual = defaultText(field);
  const value = field.isAmount === true && read?.ok === true ? read.value : undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an amount is in micros
  const amount = typeof value === 'bigint' ? (value as Micros) : undefined;
  const hint = [
    amount !== undefined && `= ${moneyText(amount, currency)} ${currency}`.trim().concat('.'),
    summary,
    unit !== undefined && `(${unit})`,
    field.need === 'must' && `– ${words.required}`,
    usual !== undefined && `– ${words.usual(usual)}`,
  ]
    .filter(Boolean)
    .join(' ');
  const common = { text, onText, onLeave: () => setWasLeft(true), error: slip, hint, label: labelOf(name) };
  if (choices) return <ChoiceInput {...common} choices={choices} isOptional={field.need === 'may'} />;
  if (isWholeFile !== true) return <TextInput {...common} isSecret={isSecret === true} of={name} />;
  const load = async (file: File | undefined) => {
    if (file) onText(await file.text());
  };
  return (
    <>
      <TextInput {...common} rows={fileRows} />
      <input type="file" aria-label={summary} onChange={(event) => void load(event.target.files?.[0])} />
    </>
  );
}

const fileRows = 6;

/** The values to choose from; undefined if the field is no choice of a few values. */
export function choicesOf({ schema }: Field<unknown>): readonly string[] | undefined {
  if (schema['type'] === 'boolean') return ['true', 'false'];
  const values = schema['enum'];
  return Array.isArray(values) ? values.map((value) => (value === null ? 'none' : String(value))) : undefined;
}
