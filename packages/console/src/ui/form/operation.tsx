/* The dialog of any declared operation: its fields in groups, what will change, and the gateway's refusal beside its field. */

import { countedRows } from '@morsel/api/admin/bulk.ts';
import type { FieldTable } from '@morsel/api/fields/field.ts';
import type { Operation } from '@morsel/api/admin/resource.ts';
import { labelOf } from '@morsel/api/fields/shown.ts';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useChange } from '../../app/change.ts';
import { askWhole, CallFailed } from '../../app/client.ts';
import { locale } from '../../app/format.ts';
import { isStaleAfter } from '../../app/stale.ts';
import { words } from '../../words/words.ts';
import { Differences } from '../differences.tsx';
import { Fields } from './fields.tsx';
import { changesIn, useForm, type Form } from './texts.ts';
import { TextInput } from './inputs.tsx';
import { Pairs, Result } from '../pairs.tsx';
import type { Texts } from '../list.tsx';
import type { Row } from '../list/rows.tsx';
import { Button, Code, css, Dialog, Failure, Note } from '../ui.tsx';
import { currencyOf } from '../values.tsx';

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

/** The dialog of an operation. It shows a secret of the answer once. */
export function OperationDialog(props: OperationProps) {
  const { title, operation, fixed = {}, row = {}, given, warning, onClose, showPreview } = props;
  const isPatch = operation.preview === 'diff';
  const { first = isPatch && given ? Object.keys(given) : undefined } = props;
  const form = useForm({ operation, row, fixed, given });
  const [reason, setReason] = useState('');
  const [isWhole, setWhole] = useState(first === undefined);
  const { sending, errors, shown, preview, clearPreview, press } = useSending(props, form, {
    reason,
    onError: () => setWhole(true),
  });
  if (shown !== undefined) {
    return (
      <Dialog title={title} onClose={onClose}>
        {shown}
        <Button onClick={onClose}>{words.close}</Button>
      </Dialog>
    );
  }
  const found = foundBy(operation, preview);
  const mustPreview = operation.preview === 'dry-run' && preview === undefined;
  const isEnd = operation.method === 'DELETE' || warning !== undefined;
  return (
    <Dialog title={title} changes={form.typed.length + (reason === '' ? 0 : 1)} onClose={onClose}>
      <form className={css['stack']} onSubmit={press} noValidate>
        {warning !== undefined && <Note>{warning}</Note>}
        <Fields
          form={form}
          errors={errors}
          currency={currencyOf(row)}
          isShown={([name, { need }]) => isWhole || first?.includes(name) === true || need === 'must'}
          onText={clearPreview}
        />
        {!isWhole && <Button onClick={() => setWhole(true)}>{words.allSettings(form.fields.length)}</Button>}
        {isPatch && form.typed.length > 0 && <Differences changes={changesIn(form)} />}
        {operation.reason !== 'no' && !Object.hasOwn(operation.input, 'reason') && (
          <TextInput label={words.reason} text={reason} error={errors['reason']} onText={setReason} />
        )}
        {preview && (
          <Note>
            <strong>{words.preview}</strong>
            {(found && <p>{words.jobs.found(found)}</p>) ?? showPreview?.(preview) ?? (
              <Pairs answer={operation.answer} row={preview} without={['next', 'until']} />
            )}
          </Note>
        )}
        <Problem error={sending.error} form={form} />
        <div className={css['row']}>
          <Button
            type="submit"
            kind={isEnd ? 'danger' : 'primary'}
            disabled={sending.isPending || preview?.['rows'] === 0}
          >
            {isPatch ? words.save : mustPreview ? words.preview : found ? words.jobs.confirm(title, found) : title}
          </Button>
          <Button onClick={onClose}>{words.cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The error of a form, unless it stands beside its field. */
export function Problem({ error, form }: { readonly error: unknown; readonly form: Form }) {
  const isOfField =
    error instanceof CallFailed && (error.field === 'reason' || form.fields.some(([name]) => name === error.field));
  return error && !isOfField ? <Failure error={error} isChange /> : null;
}

/** The rows that a bulk operation would change, such as `1,207 parts`. */
function foundBy({ bulk }: Operation, preview: Row | undefined): string | undefined {
  return bulk && preview && countedRows(bulk, Number(preview['rows']).toLocaleString(locale));
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

interface Sent {
  readonly reason: string;
  readonly onError: () => void;
}

/** Sends a form: first for a preview, if the operation has one. */
function useSending(props: OperationProps, form: Form, { reason, onError }: Sent) {
  const { operation, fixed = {}, hasResult = false, onClose, onDone } = props;
  const queries = useQueryClient();
  const [shown, setShown] = useState<ReactNode>();
  const [preview, setPreview] = useState<Row>();
  const [wasPressed, setPressed] = useState(false);
  const hasPreview = operation.preview === 'dry-run';
  const isPinned = hasPreview && Object.hasOwn(operation.input, 'from');
  const sending = useChange({
    change: (key) => {
      const dryRun = hasPreview && preview === undefined;
      const step = { ...(dryRun ? { dryRun } : isPinned && { from: preview?.['from'] }) };
      return askWhole(operation, { ...fixed, ...form.given, ...step }, { key, reason });
    },
    onSuccess: (answer) => {
      if (hasPreview && preview === undefined) {
        setPreview(answer);
        return;
      }
      const result = hasResult ? <Result operation={operation} row={answer} /> : undefined;
      const found = foundBy(operation, preview);
      const begun = found && <JobBegun what={found} job={answer['job']} />;
      const next = onDone?.(answer) ?? begun ?? secretsOf(operation.answer, answer) ?? result;
      if (next) setShown(next);
      else onClose();
      void queries.invalidateQueries({ predicate: isStaleAfter(operation) });
    },
    onError,
  });
  const errors = errorsOf(form, sending.error, wasPressed);
  const press = (event: { preventDefault(): void }) => {
    event.preventDefault();
    setPressed(true);
    if (Object.keys(form.missing).length > 0) onError();
    else sending.start();
  };
  return { sending, errors, shown, preview, clearPreview: () => setPreview(undefined), press };
}

/** What is wrong with the fields: what is missing once the viewer has pressed, and what the gateway refused. */
export function errorsOf(form: Form, error: unknown, wasPressed: boolean): Texts {
  const refused = error instanceof CallFailed && error.field !== undefined ? { [error.field]: error.message } : {};
  return { ...refused, ...(wasPressed && form.missing) };
}

/** The secrets in an answer. No later answer shows them again. */
function secretsOf(table: FieldTable, answer: Row): ReactNode {
  const names = Object.keys(table).filter((name) => table[name]?.about.isSecret === true && answer[name] !== undefined);
  if (names.length === 0) return undefined;
  return (
    <div className={css['stack']}>
      <Note tone="good">{words.shownOnce}</Note>
      {names.map((name) => (
        <Code key={name} label={labelOf(table, name)} text={String(answer[name])} />
      ))}
    </div>
  );
}
