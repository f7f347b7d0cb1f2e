/* A form for any declared operation: its fields, their defaults and units, what will change, and the gateway's refusal beside its field. */

import { countedRows } from '@morsel/api/admin/bulk.ts';
import type { Field, FieldTable } from '@morsel/api/fields/field.ts';
import type { Operation } from '@morsel/api/admin/resource.ts';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type FormEvent, type ReactNode } from 'react';
import { useChange } from '../app/change.ts';
import { askWhole, CallFailed } from '../app/client.ts';
import { locale } from '../app/format.ts';
import { useMay } from '../app/session.ts';
import { words } from '../words/words.ts';
import { Differences } from './differences.tsx';
import { FieldInput, TextInput } from './inputs.tsx';
import { labelOf } from './labels.ts';
import { Pairs, Result } from './pairs.tsx';
import type { Texts } from './list.tsx';
import type { Row } from './list/rows.tsx';
import { Button, Code, css, Dialog, Failure, Note } from './ui.tsx';
import { currencyOf } from './values.tsx';

export interface OperationProps {
  readonly title: string;
  readonly operation: Operation;
  /** Values that the page knows, such as the name of the account. They are not shown. */
  readonly fixed?: Row;
  readonly row?: Row;
  /** Values that are filled in. */
  readonly given?: Texts;
  /** Fields to show at first. The others are behind a button. */
  readonly first?: readonly string[];
  /** Says in numbers what a destructive action will do. */
  readonly warning?: ReactNode;
  readonly onClose: () => void;
  /** Whether the answer is shown, such as how many messages were moved. */
  readonly hasResult?: boolean;
  /** Called with the answer. Returns what the dialog shows instead of closing. */
  readonly onDone?: (answer: Row) => ReactNode;
  /** Shows the answer of a preview. By default, the fields of the answer are shown. */
  readonly showPreview?: (answer: Row) => ReactNode;
}

/** Fields that the dialog does not show: those with which a program repeats a request, and that of a preview. */
const hiddenFields = new Set(['after', 'until', 'dryRun']);

/** The dialog of an operation. It shows a secret of the answer once. */
export function OperationDialog(props: OperationProps) {
  const {
    title,
    operation,
    fixed = {},
    row = {},
    given,
    first = operation.method === 'PATCH' && given ? Object.keys(given) : undefined,
    warning,
    hasResult = false,
    onClose,
    onDone,
    showPreview,
  } = props;
  const queries = useQueryClient();
  const may = useMay();
  const { bulk } = operation;
  const hasPreview = Object.hasOwn(operation.input, 'dryRun');
  // A previewed change names the version of the preview, so that the gateway refuses it for another version.
  const isPinned = hasPreview && Object.hasOwn(operation.input, 'from');
  const fields = Object.entries(operation.input).filter(
    ([name, { about, need }]) =>
      !(isPinned && name === 'from') &&
      !Object.hasOwn(fixed, name) &&
      about.isIdempotencyKey !== true &&
      (!hiddenFields.has(name) || need === 'must') &&
      may({ role: about.role ?? operation.role }),
  );
  const start = Object.fromEntries(fields.map(([name, field]) => [name, firstText(field, valueIn(row, name))]));
  const filled: Texts = { ...start, ...given };
  const [texts, setTexts] = useState(filled);
  const [reason, setReason] = useState('');
  const [isWhole, setWhole] = useState(first === undefined);
  const [shown, setShown] = useState<ReactNode>();
  const changed = changesOf(operation, start, texts);
  const typed = Object.keys(texts).filter((name) => texts[name] !== filled[name]).length + (reason === '' ? 0 : 1);
  const [preview, setPreview] = useState<Row>();
  // The rows that a bulk operation would change, such as `1,207 parts`.
  const found = bulk && preview && countedRows(bulk, Number(preview['rows']).toLocaleString(locale));
  const sending = useChange({
    change: (key) => {
      const dryRun = hasPreview && preview === undefined;
      const step = { ...(dryRun ? { dryRun } : isPinned && { from: preview?.['from'] }) };
      return askWhole(operation, { ...fixed, ...changed, ...step }, { key, reason });
    },
    onSuccess: (answer) => {
      if (hasPreview && preview === undefined) {
        setPreview(answer);
        return;
      }
      const result = hasResult ? <Result operation={operation} row={answer} /> : undefined;
      const next =
        onDone?.(answer) ??
        (found && <JobBegun what={found} job={answer['job']} />) ??
        secretsOf(operation.answer, answer) ??
        result;
      if (next) setShown(next);
      else onClose();
      void queries.invalidateQueries();
    },
    onError: () => setWhole(true),
  });
  const wrong = sending.error instanceof CallFailed ? sending.error.field : undefined;
  const isOfField = wrong !== undefined && (wrong === 'reason' || Object.hasOwn(texts, wrong));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    sending.start();
  };
  if (shown !== undefined) {
    return (
      <Dialog title={title} onClose={onClose}>
        {shown}
        <Button onClick={onClose}>{words.close}</Button>
      </Dialog>
    );
  }
  const isPatch = operation.method === 'PATCH';
  const isShown = ([name, { need }]: readonly [string, Field<unknown>]) =>
    isWhole || first?.includes(name) === true || need === 'must';
  return (
    <Dialog title={title} changes={typed} onClose={onClose}>
      <form className={css['stack']} onSubmit={submit} noValidate>
        {warning !== undefined && <Note>{warning}</Note>}
        {fields.filter(isShown).map(([name, field]) => (
          <FieldInput
            key={name}
            name={name}
            field={field}
            text={texts[name] ?? ''}
            currency={texts['currency'] ?? currencyOf(row)}
            error={wrong === name ? sending.error?.message : undefined}
            onText={(text) => {
              setPreview(undefined);
              setTexts({ ...texts, [name]: text });
            }}
          />
        ))}
        {!isWhole && <Button onClick={() => setWhole(true)}>{words.allSettings(fields.length)}</Button>}
        {isPatch && <Changes table={operation.input} before={start} after={changed} />}
        {operation.isChange && !Object.hasOwn(operation.input, 'reason') && (
          <TextInput
            label={words.reason}
            text={reason}
            error={wrong === 'reason' ? sending.error?.message : undefined}
            onText={setReason}
          />
        )}
        {preview && (
          <Note>
            <strong>{words.preview}</strong>
            {(found && <p>{words.jobs.found(found)}</p>) ?? showPreview?.(preview) ?? (
              <Pairs answer={operation.answer} row={preview} without={['next', 'until']} />
            )}
          </Note>
        )}
        {sending.error && !isOfField && <Failure error={sending.error} isChange={operation.isChange} />}
        <div className={css['row']}>
          <Button
            type="submit"
            kind={operation.method === 'DELETE' || warning !== undefined ? 'danger' : 'primary'}
            disabled={sending.isPending || preview?.['rows'] === 0 || (isPatch && Object.keys(changed).length === 0)}
          >
            {isPatch
              ? words.save
              : hasPreview && preview === undefined
                ? words.preview
                : found
                  ? words.jobs.confirm(title, found)
                  : title}
          </Button>
          <Button onClick={onClose}>{words.cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Says that a job works on the rows, and where its progress is. */
function JobBegun({ what, job }: { readonly what: string; readonly job: unknown }) {
  return (
    <Note tone="good">
      {words.jobs.begun(String(job), what)}{' '}
      <Link to="/records" search={{ tab: 'jobs' }}>
        {words.jobs.see}
      </Link>
    </Note>
  );
}

/** A setting of a row. The settings of a carrier's SMPP profile are in one object. */
function valueIn(row: Row, name: string): unknown {
  if (Object.hasOwn(row, name)) return row[name];
  const profile: Row = { ...Object(row['profile']) };
  return profile[name];
}

function firstText(field: Field<unknown>, value: unknown): string {
  if (field.about.isSecret === true || value === undefined) return '';
  return value === null ? 'none' : field.cell(value);
}

/** The fields that a PATCH changes, or that another operation gets: an empty text leaves a field out. */
function changesOf({ method, input }: Operation, before: Texts, now: Texts): Texts {
  return Object.fromEntries(
    Object.entries(now).filter(([name, text]) =>
      method === 'PATCH' ? text !== before[name] : text !== '' || isPrefix(name, input),
    ),
  );
}

/**
 * Whether a field is a required prefix, which is sent although it is empty: an empty prefix stands for every number.
 */
function isPrefix(name: string, input: FieldTable): boolean {
  return name === 'prefix' && input[name]?.need === 'must';
}

interface ChangesProps {
  readonly table: FieldTable;
  readonly before: Texts;
  readonly after: Texts;
}

function Changes({ table, before, after }: ChangesProps) {
  const names = Object.keys(after);
  if (names.length === 0) return null;
  const shown = (name: string, text = '') => (table[name]?.about.isSecret === true ? '••••' : text);
  return (
    <div>
      <h3>{words.changes}</h3>
      <Differences
        changes={names.map((name) => ({
          field: name,
          before: shown(name, before[name]),
          after: shown(name, after[name]),
        }))}
      />
    </div>
  );
}

/** The secrets in an answer. No later answer shows them again. */
function secretsOf(table: FieldTable, answer: Row): ReactNode {
  const names = Object.keys(table).filter((name) => table[name]?.about.isSecret === true && answer[name] !== undefined);
  return names.length === 0 ? undefined : <Secrets secrets={names.map((name) => [name, String(answer[name])])} />;
}

function Secrets({ secrets }: { readonly secrets: readonly (readonly [name: string, value: string])[] }) {
  return (
    <div className={css['stack']}>
      <Note tone="good">{words.shownOnce}</Note>
      {secrets.map(([name, value]) => (
        <Code key={name} label={labelOf(name)} text={value} />
      ))}
    </div>
  );
}
