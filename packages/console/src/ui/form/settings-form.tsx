/* The settings of a row as a tab of its page: in groups, with a search, and a foot that says what will change. */

import type { Operation } from '@morsel/api/admin/resource.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useChange } from '../../app/change.ts';
import { askWhole } from '../../app/client.ts';
import { isStaleAfter } from '../../app/stale.ts';
import { words } from '../../words/words.ts';
import { Fields, isFound } from './fields.tsx';
import { changesIn, useForm, type Form } from './texts.ts';
import { TextInput } from './inputs.tsx';
import type { Row } from '../list/rows.tsx';
import { errorsOf, Problem } from './operation.tsx';
import { Button, Card, css, Empty, useGuard } from '../ui.tsx';
import { currencyOf } from '../values.tsx';
import own from './form.module.css';

interface SettingsProps {
  /** The operation that changes the row. */
  readonly operation: Operation;
  readonly row: Row;
  /** The fields that select the row. */
  readonly fixed: Row;
}

export function SettingsForm({ operation, row, fixed }: SettingsProps) {
  const form = useForm({ operation, row, fixed });
  const queries = useQueryClient();
  const [search, setSearch] = useState('');
  const [reason, setReason] = useState('');
  const [said, setSaid] = useState<string>();
  const sending = useChange({
    change: (key) => askWhole(operation, { ...fixed, ...form.given }, { key, reason }),
    onSuccess: async () => {
      await queries.invalidateQueries({ predicate: isStaleAfter(operation) });
      form.discard();
      setReason('');
      setSaid(words.saved);
    },
  });
  const { question } = useGuard(form.typed.length);
  const isMissing = Object.keys(form.missing).length > 0;
  const save = (event: FormEvent) => {
    event.preventDefault();
    setSaid(form.typed.length === 0 ? words.unchanged : undefined);
    if (form.typed.length > 0 && !isMissing) sending.start();
  };
  const isShown = search === '' ? undefined : (field: Form['fields'][number]) => isFound(field, search);
  return (
    <form className={css['stack']} onSubmit={save} noValidate>
      <Card>
        <div className={css['stack']}>
          <TextInput label={words.findSetting} text={search} onText={setSearch} />
          {isShown && !form.fields.some(isShown) && <Empty>{words.noSetting}</Empty>}
          <Fields
            form={form}
            currency={currencyOf(row)}
            errors={errorsOf(form, sending.error, isMissing)}
            isOpen={search !== ''}
            {...(isShown && { isShown })}
            onText={() => setSaid(undefined)}
          />
        </div>
      </Card>
      <Problem error={sending.error} form={form} />
      <div className={own['foot']}>
        <div role="status">{form.typed.length > 0 ? <Summary form={form} /> : said}</div>
        {form.typed.length > 0 && <TextInput label={words.reason} text={reason} onText={setReason} />}
        <Button onClick={form.discard}>{words.discard.lose}</Button>
        <Button type="submit" kind="primary">
          {words.save}
        </Button>
      </div>
      {question}
    </form>
  );
}

/** Such as "1 change: Window 50 → 60". */
function Summary({ form }: { readonly form: Form }) {
  const changes = changesIn(form);
  return (
    <>
      <strong>{words.changed(changes.length)}</strong>
      {changes
        .map(({ label, before, after }) => `${label} ${before || words.none} → ${after || words.none}`)
        .join(', ')}
    </>
  );
}
