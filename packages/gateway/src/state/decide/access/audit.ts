/*
 * The audit log. A command of an operator says who sent it, why, and in which request. Its audit entry is written in
 * the same commit as the change. The changes in the entry come from the rows themselves: their columns before and after
 * the decision.
 */

import { hash } from 'node:crypto';
import { ok, type Result } from '@morsel/api/values/result.ts';
import { localOwner } from '../../../core/account/caller.ts';
import { formatMicros, toMicros } from '@morsel/api/values/money.ts';
import { asStored, auditHash, noEntryBefore, type AuditAction } from '../../../core/account/audit.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import type { IdempotencyKey } from '../../../core/message/idempotency.ts';
import { maskNumber } from '../../../core/number/masked.ts';
import type { Reads } from '../../rows/reads.ts';
import { auditEntryTable, auditHeadOfNode, auditHeadTable } from '../../tables/access.ts';
import { accountById } from '../../tables/account.ts';
import { allTables } from '../../tables/all.ts';
import type { AnyColumn, Stored } from '../../tables/column.ts';
import { carrierById } from '../../tables/route.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import type { Change, Table } from '../../tables/table.ts';
import type { Decided } from '../decided.ts';
import { decideOnce, readRequest } from './request.ts';

/** What a command of an operator contains for the audit log. */
export interface AuditContext extends AuditAction {
  /** Whether this is the request's first command. Later ones have entries only if they change settings. */
  readonly isFirst: boolean;
  /** The idempotency key of the request; a request with a key is done once. */
  readonly once?: IdempotencyKey | undefined;
}

/** An action of the gateway itself, in the name of the user of its machine. */
export function ownAction(
  action: Pick<AuditAction, 'at' | 'operation' | 'carrier' | 'reason' | 'given'>,
): AuditContext {
  const { name: operator, role, key: operatorKey, address, requestId } = localOwner;
  return { ...action, operator, role, operatorKey, address, requestId, account: null, isFirst: true };
}

/** Writes an entry about an action that is no command of the store, such as a new bind of a carrier. */
export const noteActionCommand = {
  decide(_rows: Rows, _action: object): Decided<null> {
    return ok(null);
  },
};

type Row = { change: Change };
type Rest = { readonly [member: string]: unknown };

const audited = allTables.filter(({ isAudited }) => isAudited);

/** Reads the rows that an audit entry is made of: the newest entry of the node, and the rows that give names to ids. */
export function readAudit(read: Reads, { operator, once }: AuditContext): void {
  if (once) readRequest(read, { operator, key: once.key });
  read.one(auditHeadOfNode, read.rows.node.id);
  for (const table of audited) {
    for (const row of read.rows.of(table)) {
      const { account, carrier }: Rest = { ...row };
      if (typeof account === 'number') read.one(accountById, account);
      if (typeof carrier === 'number') read.one(carrierById, carrier);
    }
  }
}

/** Decides a command of an operator, and adds the audit entry if the command is done. */
export function decideAudited<R extends Result<unknown, Rejection>>(
  rows: Rows,
  { isFirst, once, ...action }: AuditContext,
  { isSetting, decide }: { readonly isSetting: boolean; readonly decide: () => R },
): R | { readonly ok: false; readonly error: Rejection } {
  const decideIt = () => (once ? decideOnce(rows, { ...action, ...once }, decide) : decide());
  if (rows.isRehearsal || !(isFirst || isSetting)) return decideIt();
  const { done, before } = rows.watch(decideIt);
  if (!done.ok) return done;
  const changed = audited.flatMap((table) => changedRows(rows, table, before));
  addEntry(rows, action, changed);
  return done;
}

interface ChangedRow {
  readonly table: Table<Row>;
  readonly row: Row;
  /** Undefined if the row did not exist before the command. */
  readonly before: readonly Stored[] | undefined;
  readonly after: readonly Stored[] | undefined;
}

function changedRows(
  rows: Rows,
  table: Table<Row>,
  looked: ReadonlyMap<object, readonly Stored[] | undefined>,
): ChangedRow[] {
  return rows.of(table).flatMap((row) => {
    if (!looked.has(row)) return [];
    const before = looked.get(row);
    const after = row.change === 'gone' ? undefined : table.shape.write(row);
    const isSame =
      before !== undefined && after !== undefined && before.every((value, at) => isEqual(value, after[at]));
    return isSame || (before === undefined && after === undefined) ? [] : [{ table, row, before, after }];
  });
}

function isEqual(one: Stored, other: Stored | undefined): boolean {
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other) === 0;
  return one === other;
}

function addEntry(rows: Rows, action: Omit<AuditContext, 'isFirst'>, changed: readonly ChangedRow[]): void {
  const node = rows.node.id;
  const head = rows.one(auditHeadOfNode, node);
  const number = (head?.number ?? 0) + 1;
  const names = namesIn(rows, action, changed);
  const entry = asStored({ ...action, ...names, node, number, changes: changesText(changed) });
  const made = auditHash(head?.hash ?? noEntryBefore, entry);
  rows.add(auditEntryTable, { ...entry, hash: made });
  if (!head) {
    rows.add(auditHeadTable, { node, number, hash: made });
    return;
  }
  head.number = number;
  head.hash = made;
  touch(head);
}

/** The account and carrier of an audit entry: those of the request, or else of the first changed row with any. */
function namesIn(rows: Rows, { account, carrier }: AuditAction, changed: readonly ChangedRow[]) {
  const nameOf = {
    account: (id: number) => rows.loaded(accountById, id),
    carrier: (id: number) => rows.loaded(carrierById, id),
  };
  const of = (member: 'account' | 'carrier') => {
    for (const { table, row } of changed) {
      const { [member]: id, name }: Rest = { ...row };
      if (table.name === member) return String(name);
      const [found] = typeof id === 'number' ? nameOf[member](id) : [];
      if (found) return found.name;
    }
    return null;
  };
  return { account: account ?? of('account'), carrier: carrier ?? of('carrier') };
}

/** If more rows of a table changed, the audit entry only has their number and one hash of them all. */
const rowsMax = 20;
/** A longer text in an audit entry is cut, with its length and hash. */
const textMax = 1_000;

function changesText(changed: readonly ChangedRow[]): string {
  const byTable = Map.groupBy(changed, ({ table }) => table);
  return JSON.stringify([...byTable].flatMap(([table, ofTable]) => changesOf(table, ofTable)));
}

function changesOf(table: Table<Row>, changed: readonly ChangedRow[]): object[] {
  const shown = changed.map((each) => ({ table: table.name, ...difference(each) }));
  if (shown.length <= rowsMax) return shown;
  const counts = {
    added: changed.filter(({ before }) => !before).length,
    changed: changed.filter(({ before, after }) => before && after).length,
    removed: changed.filter(({ after }) => !after).length,
  };
  return [{ table: table.name, ...counts, sha256: hash('sha256', JSON.stringify(shown)) }];
}

/** The columns that name a changed row, and the columns whose values differ. */
function difference({ table, before, after }: ChangedRow) {
  const key: { [column: string]: unknown } = {};
  const [was, is]: { [column: string]: unknown }[] = [{}, {}];
  for (const [at, [name, column]] of table.shape.columns().entries()) {
    const member = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    const [one, other] = [before?.[at] ?? null, after?.[at] ?? null];
    const isName = table.key.names.includes(name) || name === 'name';
    if (isName) key[member] = shownValue(after ? other : one, column, member);
    if (isName) continue;
    for (const [named, from, to] of column.hasMembers ? membersOf(one, other) : [[member, one, other] as const]) {
      if (before && after && isEqual(from, to)) continue;
      if (before && was) was[named] = shownValue(from, column, named);
      if (after && is) is[named] = shownValue(to, column, named);
    }
  }
  return { key, ...(before ? { before: was } : {}), ...(after ? { after: is } : {}) };
}

/** The members of an object in JSON, before and after a change. */
function membersOf(
  ...objects: readonly [Stored, Stored]
): readonly (readonly [name: string, from: Stored, to: Stored])[] {
  const [before, after] = objects.map((object): { readonly [name: string]: unknown } =>
    JSON.parse(String(object ?? '{}')),
  );
  return Object.keys({ ...before, ...after }).map((name) => [name, storedOf(before?.[name]), storedOf(after?.[name])]);
}

function storedOf(value: unknown): Stored {
  if (value === undefined || value === null || typeof value === 'number' || typeof value === 'string')
    return value ?? null;
  return JSON.stringify(value);
}

function shownValue(stored: Stored, { personal, type, isWide, isSealed }: AnyColumn, member: string): unknown {
  if (stored === null) return null;
  // Octets are keys, hashes or sealed values, so an audit entry does not show them.
  if (stored instanceof Uint8Array || isSealed) return '(secret)';
  // A number in an object as JSON.
  if (typeof stored === 'number' && type === 'text') return stored;
  if (type === 'flag') return Number(stored) === 1;
  if (isWide) return formatMicros(toMicros(BigInt(stored)));
  if (type === 'integer') return /(?:At|Since)$/.test(member) ? instantText(Number(stored)) : Number(stored);
  const text = String(stored);
  if (personal === 'number') return maskNumber(text);
  return text.length > textMax ? `(${text.length} characters, SHA-256 ${hash('sha256', text)})` : text;
}

/** The latest instant that a date can have. */
const instantMax = 8.64e15;

function instantText(instant: number): string | number {
  return Math.abs(instant) > instantMax ? instant : new Date(instant).toISOString();
}
