/* Buttons that open the forms of declared operations, if the viewer's role may call them. */

import type { Operation, Resource } from '@morsel/api/admin/resource.ts';
import { labelFrom } from '@morsel/api/fields/shown.ts';
import { useMay } from '../app/session.ts';
import { words } from '../words/words.ts';
import { useOpenDialog } from './dialog-host.tsx';
import { nounOf } from './labels.ts';
import type { Row } from './list/rows.tsx';
import { OperationDialog, type OperationProps } from './form/operation.tsx';
import { Button } from './ui.tsx';

/** What a page may change about a button. */
export interface ActionProps extends Partial<Omit<OperationProps, 'onClose' | 'title' | 'operation'>> {
  readonly label?: string;
  readonly kind?: 'primary' | 'danger' | 'quiet';
}

interface ActProps extends ActionProps {
  readonly of: Resource;
  /** The name of the operation in its resource. */
  readonly verb: string;
}

/** The button of an operation. The fields that select its row are those of `row`, unless `fixed` has them. */
export function Act({ of, verb, row = {}, ...given }: ActProps) {
  const may = useMay();
  const open = useOpenDialog();
  const operation = of.operations[verb];
  if (!operation || !may(operation) || operation.when?.(row) === false) return null;
  const label = given.label ?? actLabel(of, verb, operation);
  const form = { ...formOf(of, verb, operation, row), ...given };
  const kind = given.kind ?? (isEnd(operation) ? 'danger' : undefined);
  const show = () => open((close) => <OperationDialog {...form} {...{ title: label, operation, onClose: close }} />);
  return (
    <Button {...(kind && { kind })} data-operation={`${of.name}.${verb}`} onClick={show}>
      {label}
    </Button>
  );
}

function isEnd({ method, warning }: Operation): boolean {
  return method === 'DELETE' || warning !== undefined;
}

/** The usual form of an operation on a row. */
export function formOf(of: Resource, verb: string, operation: Operation, row: Row) {
  return {
    fixed: keysIn(of, operation, row),
    hasResult: verb !== 'add' && hasNews(of, operation),
    ...(isEnd(operation) && { warning: operation.warning ?? `${operation.summary}.` }),
    row,
  };
}

interface ActsProps {
  readonly of: Resource;
  readonly row: Row;
  /** The names of the operations. By default, all that change one row. */
  readonly acts?: readonly string[] | undefined;
  /** What the page changes about some buttons, by the name of their operation. */
  readonly except?: Readonly<Record<string, ActionProps>> | undefined;
  /** The operations that have no button, because the page has their form. */
  readonly without?: readonly string[];
}

/** The buttons of the operations on one row. */
export function Acts({ of, row, acts = actsOn(of, row), except = {}, without = [] }: ActsProps) {
  const shown = acts.filter((verb) => !without.includes(verb));
  return shown.map((verb) => <Act key={verb} of={of} verb={verb} row={row} {...except[verb]} />);
}

function actsOn(of: Resource, row: Row): readonly string[] {
  return changesOfRows(of)
    .filter(([, { keys }]) => keys.every((key) => valueOf(of, row, key) !== undefined))
    .map(([verb]) => verb);
}

/** The operations of a resource that change one row. */
export function changesOfRows({ operations }: Resource): readonly (readonly [string, Operation])[] {
  return Object.entries(operations).filter(
    ([verb, { method, keys }]) => method !== 'GET' && verb !== 'add' && keys.length > 0,
  );
}

/** Whether some operations of a resource change one row. */
export function changesRows(of: Resource): boolean {
  return changesOfRows(of).length > 0;
}

/** The value of a field of an operation in a row: the id or the name of a row stands for the name of its resource. */
function valueOf({ name }: Resource, row: Row, field: string): unknown {
  return row[field] ?? (field === name ? (row['id'] ?? row['name']) : undefined);
}

/** The fields of a row that select it. Those of a DELETE, or without a place in the path, are other inputs. */
function keysIn(of: Resource, { method, keys, input }: Operation, row: Row): Row {
  const others = Object.keys(input).filter((name) =>
    method === 'DELETE' ? name !== 'reason' : input[name]?.need === 'must',
  );
  const names = method === 'DELETE' || keys.length === 0 ? others : keys;
  const known = names.map((name) => [name, valueOf(of, row, name)] as const);
  return Object.fromEntries(known.filter(([, value]) => value !== undefined && value !== null));
}

/** Whether the answer is worth a look: that of a check, or what neither the input nor a row has, such as a count. */
function hasNews({ operations }: Resource, { method, input, answer }: Operation): boolean {
  const known = Object.values(operations).flatMap((each) => (each.method === 'GET' ? Object.keys(each.answer) : []));
  const isNews = (name: string) => !known.includes(name) && !Object.hasOwn(input, name);
  return method === 'GET' || (method === 'POST' && Object.keys(answer).some(isNews));
}

export function actLabel(of: Resource, verb: string, { label }: Operation): string {
  if (label !== undefined) return label;
  if (verb === 'add') return words.add(nounOf(of));
  return verb === 'set' ? words.edit : labelFrom(verb);
}
