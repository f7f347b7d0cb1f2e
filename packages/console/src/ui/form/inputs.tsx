/* Inputs of forms: a text, a choice, and the field of a declared operation. */

import type { Field, Words } from '@morsel/api/fields/field.ts';
import { defaultText, labelOf, upperFirst } from '@morsel/api/fields/shown.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { useId, useState } from 'react';
import { moneyText } from '../../app/format.ts';
import { words } from '../../words/words.ts';
import { isSpecial, sentText, specialText } from './texts.ts';
import { useSuggestions } from './suggestions.ts';
import { css, Note } from '../ui.tsx';
import own from './form.module.css';

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
  readonly placeholder?: string | undefined;
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
  props: InputProps & {
    readonly choices: readonly string[];
    readonly isOptional?: boolean;
    readonly placeholder?: string | undefined;
    readonly wordOf?: (choice: string) => string;
  },
) {
  const {
    label,
    text,
    onText,
    onLeave,
    hint,
    error,
    title,
    choices,
    isOptional = false,
    wordOf: named = yesOrNo,
  } = props;
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
        {(isOptional || text === '') && <option value="">{props.placeholder ?? '–'}</option>}
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {named(choice)}
          </option>
        ))}
      </select>
      <Hint id={`${id}-hint`} hint={hint} error={error} />
    </div>
  );
}

function yesOrNo(choice: string): string {
  return choice === 'true' ? words.yes : choice === 'false' ? words.no : choice;
}

interface HintProps {
  readonly id: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
}

function Hint({ id, hint, error }: HintProps) {
  return (
    <div id={id} className={css['hint']}>
      {error !== undefined && (
        <div className={css['error']} role="alert">
          {error}
        </div>
      )}
      {hint}
    </div>
  );
}

interface FieldInputProps {
  readonly name: string;
  readonly field: Field<unknown>;
  readonly text: string;
  readonly error?: string | undefined;
  /** Whether a change of another field makes this one matter. */
  readonly warning?: string | undefined;
  readonly onText: (text: string) => void;
  /** The currency of an amount, if it is known. */
  readonly currency?: string;
}

/**
 * The input of a field, with its label, summary, unit and default, and a box for each special value. A wrong value is
 * marked when the viewer leaves the input.
 */
export function FieldInput({ name, field, text, error, warning, onText, currency = '' }: FieldInputProps) {
  const [wasLeft, setWasLeft] = useState(false);
  const { summary, unit, isSecret, isWholeFile, help, special = {} } = field.about;
  const read = text === '' || isSpecial(text) ? undefined : field.read(text);
  const slip = error ?? (wasLeft && read?.ok === false ? read.error : undefined);
  const choices = choicesOf(field);
  const value = field.kind === 'money' && read?.ok === true ? read.value : undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an amount is in micros
  const amount = typeof value === 'bigint' ? (value as Micros) : undefined;
  const hint = [
    amount !== undefined && `= ${moneyText(amount, currency)} ${currency}`.trim().concat('. '),
    /^[a-z]+_/.test(summary) ? summary : upperFirst(summary),
    field.kind === 'duration' ? `, ${words.typedDuration}` : unit !== undefined && ` (${unit})`,
    field.need === 'must' && `, ${words.required}`,
    '.',
    help !== undefined && ` ${help}`,
  ];
  const label = labelOf({ [name]: field }, name);
  const common = {
    text,
    onText,
    onLeave: () => setWasLeft(true),
    error: slip,
    hint: hint.filter(Boolean).join(''),
    label,
  };
  const usual = defaultText(field);
  const placeholder = usual === undefined ? undefined : wordOf(field, usual);
  const note = warning !== undefined && <Note>{warning}</Note>;
  if (choices)
    return (
      <>
        <ChoiceInput
          {...common}
          text={sentText(text)}
          {...{ choices, placeholder }}
          wordOf={(each) => wordOf(field, each)}
          isOptional={field.need === 'may'}
        />
        {note}
      </>
    );
  const load = async (file: File | undefined) => {
    if (file) onText(await file.text());
  };
  return (
    <>
      <TextInput
        {...common}
        {...{ placeholder }}
        text={isSpecial(text) ? '' : text}
        rows={isWholeFile === true ? fileRows : 1}
        isSecret={isSecret === true}
        of={name}
      />
      {isWholeFile === true && (
        <input type="file" aria-label={summary} onChange={(event) => void load(event.target.files?.[0])} />
      )}
      <Specials {...{ label, special, text, onText }} />
      {note}
    </>
  );
}

interface SpecialsProps extends Pick<FieldInputProps, 'text' | 'onText'> {
  readonly label: string;
  readonly special: Words;
}

/** A box for each value that stands for something else, such as "No limit". Values of the same meaning have one box. */
function Specials({ label, special, text, onText }: SpecialsProps) {
  const all = Object.entries(special).filter(
    ([, meaning], at, each) => each.findIndex((one) => one[1] === meaning) === at,
  );
  return all.map(([typed, meaning]) => (
    <label key={typed} className={own['tick']}>
      <input
        type="checkbox"
        aria-label={`${label}: ${meaning}`}
        checked={text === specialText(typed)}
        onChange={({ target }) => onText(target.checked ? specialText(typed) : '')}
      />
      {upperFirst(meaning)}
    </label>
  ));
}

/** What people call a typed value. */
export function wordOf({ about: { words: named = {}, special = {} } }: Field<unknown>, typed: string): string {
  return named[typed] ?? special[typed] ?? yesOrNo(typed);
}

const fileRows = 6;

/** The values to choose from; undefined if the field is no choice of a few values. */
export function choicesOf({ schema }: Field<unknown>): readonly string[] | undefined {
  if (schema['type'] === 'boolean') return ['true', 'false'];
  const values = schema['enum'];
  return Array.isArray(values) ? values.map((value) => (value === null ? 'none' : String(value))) : undefined;
}
