/* The filters of a list, which are declared inputs of its operation. The URL has their values. */

import type { Operation } from '@morsel/api/admin/resource.ts';
import { labelOf } from '@morsel/api/fields/shown.ts';
import { useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { isOfRange } from '../../app/range.ts';
import { useTexts, useTyped } from '../../app/search.ts';
import { words } from '../../words/words.ts';
import { ChoiceInput, choicesOf, TextInput, wordOf } from '../form/inputs.tsx';
import { Button, css } from '../ui.tsx';

type Texts = Readonly<Record<string, string>>;

/** The inputs of a list that are not shown as filters, because they select the page. */
const pageFields = new Set(['after', 'limit']);

interface FiltersProps {
  readonly operation: Operation;
  readonly fixed: Texts;
  readonly given: Texts;
}

export function Filters({ operation, fixed, given }: FiltersProps) {
  const navigate = useNavigate();
  const { tab } = useTexts();
  const names = Object.keys(operation.input).filter(
    (name) => !pageFields.has(name) && !Object.hasOwn(fixed, name) && !isOfRange(operation.input, name),
  );
  const [texts, setTexts] = useTyped(given);
  if (names.length === 0) return null;
  const go = (values: Texts) => {
    const wanted = Object.entries(values).filter(([name, text]) => names.includes(name) && text !== '');
    void navigate({ to: '.', search: { ...(tab !== undefined && { tab }), ...Object.fromEntries(wanted) } });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    go(texts);
  };
  const isOpen = matchMedia('(min-width: 761px)').matches;
  const set = (name: string) => (text: string) => setTexts({ ...texts, [name]: text });
  return (
    <details className={css['filterBox']} open={isOpen}>
      <summary>{words.filter}</summary>
      <form className={css['filters']} onSubmit={submit}>
        {names.map((name) => {
          const field = operation.input[name];
          if (!field) return null;
          const choices = choicesOf(field);
          const common = {
            label: labelOf(operation.input, name),
            title: field.about.summary,
            text: texts[name] ?? '',
            onText: set(name),
          };
          return choices ? (
            <ChoiceInput key={name} {...common} choices={choices} wordOf={(each) => wordOf(field, each)} isOptional />
          ) : (
            <TextInput key={name} {...common} of={name} />
          );
        })}
        <div className={css['row']}>
          <Button type="submit">{words.filter}</Button>
          <Button
            kind="quiet"
            onClick={() => {
              setTexts({});
              go({});
            }}
          >
            {words.clear}
          </Button>
        </div>
      </form>
    </details>
  );
}
