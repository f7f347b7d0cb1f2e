/* Imports a file of prices: it is read here, compared with the prices in effect, and made as one version once confirmed. */

import { applyChanges, askPrices, versionThen } from '@morsel/api/admin/money/price-lists.ts';
import { price } from '@morsel/api/admin/money/price.ts';
import { formatMicros, type Micros } from '@morsel/api/values/money.ts';
import { changeInPercent, comparePrices, type PriceComparison } from '@morsel/api/admin/money/price-diff.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useChange } from '../../app/change.ts';
import { calls, CallFailed, callsOnce, valueOf } from '../../app/client.ts';
import { useMay } from '../../app/session.ts';
import { ChoiceInput, TextInput } from '../../ui/inputs.tsx';
import { Button, css, Dialog, Failure, Note } from '../../ui/ui.tsx';
import { useWords } from '../../words/words.ts';
import { readPrices } from './read-file.ts';

export function ImportButton({ list }: { readonly list?: string }) {
  const words = useWords();
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  if (!may(price.operations.set)) return null;
  return (
    <>
      <Button kind="primary" onClick={() => setOpen(true)}>
        {words.import.title}
      </Button>
      {isOpen && <ImportDialog list={list} onClose={() => setOpen(false)} />}
    </>
  );
}

/** What an import would do, against the version that it read. */
interface Preview {
  readonly from: number;
  readonly compared: PriceComparison;
}

const [merge, replace] = ['merge', 'replace'];
const notFound = 404;

function ImportDialog({ list: given, onClose }: { readonly list: string | undefined; readonly onClose: () => void }) {
  const words = useWords();
  const queries = useQueryClient();
  const [form, setForm] = useState({
    list: given ?? 'default',
    currency: '',
    mode: merge ?? '',
    effective: '',
    text: '',
  });
  const [preview, setPreview] = useState<Preview>();
  const set = (name: keyof typeof form) => (text: string) => {
    setPreview(undefined);
    setForm({ ...form, [name]: text });
  };
  const read = readPrices(form.text);
  const { list } = form;
  const isWhole = form.mode === replace;
  const looking = useMutation({
    mutationFn: async (): Promise<Preview> => {
      const known = await calls.price.versions({ list });
      if (!known.ok && !(known.error.kind === 'refused' && known.error.status === notFound))
        throw new CallFailed(known.error);
      const from = known.ok ? versionThen(known.value, Date.now()) : 0;
      const before =
        from === 0 ? new Map<string, Micros>() : (await valueOf(askPrices(calls, { list, version: from }))).prices;
      return { from, compared: comparePrices(before, isWhole ? read.prices : new Map([...before, ...read.prices])) };
    },
    onSuccess: setPreview,
  });
  const applying = useChange({
    change: async (key, { from, compared }: Preview) => {
      const changes = compared.differences.map(({ prefix, after }) => ({ prefix, unitPrice: after }));
      const terms = { list, from, replace: isWhole, changes };
      const optional = {
        ...(form.currency && { currency: form.currency }),
        ...(form.effective && { effectiveAt: form.effective }),
      };
      return valueOf(applyChanges(callsOnce(key), { ...terms, ...optional }));
    },
    onSuccess: async () => {
      await queries.invalidateQueries();
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (preview) applying.start(preview);
    else looking.mutate();
  };
  const load = async (file: File | undefined) => {
    if (file) set('text')(await file.text());
  };
  const error = looking.error ?? applying.error;
  const hasChanges = preview !== undefined && preview.compared.differences.length > 0;
  return (
    <Dialog title={words.import.title} onClose={onClose}>
      <form className={css['stack']} onSubmit={submit}>
        <div className={css['formRow']}>
          <TextInput label={words.import.list} text={form.list} onText={set('list')} of="list" />
          <TextInput
            label={words.import.currency}
            text={form.currency}
            onText={set('currency')}
            hint={words.import.currencyHint}
          />
        </div>
        <div className={css['formRow']}>
          <ChoiceInput
            label={words.import.mode}
            text={form.mode}
            onText={set('mode')}
            choices={[merge ?? '', replace ?? '']}
            hint={words.import.modeHint}
          />
          <TextInput
            label={words.import.effective}
            text={form.effective}
            onText={set('effective')}
            hint={words.import.effectiveHint}
          />
        </div>
        <label className={css['field']}>
          <span className={css['label']}>{words.import.file}</span>
          <input type="file" accept=".csv,.txt,text/csv" onChange={(event) => void load(event.target.files?.[0])} />
        </label>
        <TextInput
          label={words.import.text}
          text={form.text}
          onText={set('text')}
          rows={5}
          hint={words.import.textHint}
          placeholder={'41, 0.0075\n44, 0.0093'}
        />
        {read.faults.length > 0 && (
          <Note tone="bad">
            {read.faults.slice(0, 5).map(({ line, detail }) => (
              <div key={line}>{words.import.fault(line, detail)}</div>
            ))}
          </Note>
        )}
        {preview && <PriceChanges preview={preview} />}
        {error && <Failure error={error} isChange={!looking.error} />}
        <div className={css['row']}>
          <Button
            type="submit"
            kind="primary"
            disabled={
              read.prices.size === 0 ||
              read.faults.length > 0 ||
              looking.isPending ||
              applying.isPending ||
              (preview !== undefined && !hasChanges)
            }
          >
            {hasChanges ? words.import.apply(preview.compared.differences.length) : words.import.preview}
          </Button>
          <Button onClick={onClose}>{words.cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}

const shownMax = 50;

function PriceChanges({ preview: { from, compared } }: { readonly preview: Preview }) {
  const words = useWords();
  const { differences, counts } = compared;
  return (
    <div className={css['stack']}>
      <Note>{words.import.counts(from, counts)}</Note>
      {differences.length > 0 && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it (WCAG 2.1.1)
        <div className={css['scroll']} tabIndex={0} role="group" aria-label={words.changes}>
          <table className={css['table']}>
            <thead>
              <tr>
                <th scope="col">{words.import.prefix}</th>
                <th scope="col" className={css['number']}>
                  {words.before}
                </th>
                <th scope="col" className={css['number']}>
                  {words.after}
                </th>
                <th scope="col" className={css['number']}>
                  %
                </th>
              </tr>
            </thead>
            <tbody>
              {differences.slice(0, shownMax).map((each) => {
                const percent = changeInPercent(each);
                return (
                  <tr key={each.prefix}>
                    <td>{each.prefix === '' ? '*' : each.prefix}</td>
                    <td className={css['number']}>{each.before === null ? '–' : formatMicros(each.before)}</td>
                    <td className={css['number']}>{each.after === null ? '–' : formatMicros(each.after)}</td>
                    <td className={css['number']}>
                      {percent === undefined ? '' : (Number(percent) / 1_000_000).toFixed(1)}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
      {differences.length > shownMax && (
        <p className={css['soft']}>{words.import.more(differences.length - shownMax)}</p>
      )}
    </div>
  );
}
