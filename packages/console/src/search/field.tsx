/* The search of the head. `/` and Ctrl K give it the focus. */

import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCombobox } from 'downshift';
import { useCallback, useRef, useState } from 'react';
import { askWhole } from '../app/client.ts';
import { useKeys } from '../app/keys.ts';
import { useTexts, useTyped } from '../app/search.ts';
import { actLabel, formOf } from '../ui/action.tsx';
import { useOpenDialog } from '../ui/dialog-host.tsx';
import { OperationDialog } from '../ui/form/operation.tsx';
import { css as ui } from '../ui/ui.tsx';
import { words } from '../words/words.ts';
import { useHits, type Hit } from './hits.ts';
import css from './search.module.css';

const { search: said } = words;

export function SearchField() {
  const navigate = useNavigate();
  const open = useOpenDialog();
  const { find = '' } = useTexts();
  const [{ text = '' }, setTexts] = useTyped({ text: find });
  const setText = (next: string) => setTexts({ text: next });
  const [isEntered, setEntered] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const focus = useCallback((event: KeyboardEvent) => {
    if (event.key !== '/' && !(event.key === 'k' && (event.ctrlKey || event.metaKey))) return;
    event.preventDefault();
    field.current?.focus();
    field.current?.select();
  }, []);
  useKeys(focus);
  const { hits, wrong } = useHits(text, isEntered);
  const take = ({ to, search = {}, text: completed, form }: Hit) => {
    if (completed !== undefined) return setText(completed);
    setText('');
    field.current?.blur();
    if (form) return open((close) => <FoundForm {...form} onClose={close} />);
    const [pathname, query = ''] = (to ?? '/').split('?');
    return void navigate({
      to: pathname ?? '/',
      search: { ...Object.fromEntries(new URLSearchParams(query)), ...search },
    });
  };
  const { isOpen, highlightedIndex, getInputProps, getMenuProps, getItemProps } = useCombobox<Hit>({
    items: [...hits],
    inputValue: text,
    selectedItem: null,
    defaultHighlightedIndex: 0,
    itemToString: (hit) => hit?.label ?? '',
    onSelectedItemChange: ({ selectedItem }) => selectedItem && take(selectedItem),
  });
  return (
    <div role="search" className={css['search']}>
      <input
        {...getInputProps({
          ref: field,
          'aria-labelledby': undefined,
          onFocus: () => setEntered(true),
          // The text is kept here, so that the caret stays where the viewer types.
          onChange: (event) => setText(event.currentTarget.value),
        })}
        // The highlighted hit may not be there any more.
        {...(highlightedIndex >= hits.length && { 'aria-activedescendant': undefined })}
        className={ui['input']}
        placeholder={said.label}
        aria-label={said.label}
        spellCheck={false}
      />
      <div className={isOpen && (hits.length > 0 || wrong.length > 0) ? css['found'] : ui['hidden']}>
        {isOpen && wrong.length > 0 && <p role="alert">{wrong.join('. ')}.</p>}
        <ul {...getMenuProps({ 'aria-label': said.found })}>
          {isOpen &&
            hits.map((hit, at) => (
              <li
                key={`${hit.group} ${hit.label}`}
                {...getItemProps({ item: hit, index: at })}
                className={at === highlightedIndex ? css['chosen'] : undefined}
              >
                <span>{hit.label}</span>
                <span className={ui['soft']}>{hit.group}</span>
              </li>
            ))}
        </ul>
      </div>
    </div>
  );
}

type FoundFormProps = NonNullable<Hit['form']> & { readonly onClose: () => void };

/** The form of an operation on a row, or of one of its settings, with the present values. */
function FoundForm({ of, verb, name, setting, onClose }: FoundFormProps) {
  const { [verb]: operation, show } = of.operations;
  const { data } = useQuery({
    queryKey: [show?.path, name, 'form'],
    queryFn: () => (show ? askWhole(show, { [show.keys[0] ?? '']: name }) : {}),
    staleTime: 0,
    gcTime: 0,
  });
  if (!operation || !data) return null;
  return (
    <OperationDialog
      {...formOf(of, verb, operation, data)}
      {...(setting !== undefined && { first: [setting] })}
      title={`${actLabel(of, verb, operation)} ${name}`}
      operation={operation}
      onClose={onClose}
    />
  );
}
