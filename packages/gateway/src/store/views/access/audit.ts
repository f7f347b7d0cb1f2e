/* Views of the audit log: lists, and the check of its hashes. */

import { faultAtEnd, faultIn, noEntryBefore } from '../../../core/account/audit.ts';
import type { AuditFault, AuditHead } from '../../../core/account/audit.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { auditEntryTable, auditHeadTable } from '../../tables/access.ts';
import type { AuditEntryRow } from '../../tables/access.ts';
import { integer } from '../../tables/column.ts';
import { beforeNewest, pageOf } from '../page.ts';
import type { ListInput, Page } from '../page.ts';
import type { Queries } from '../queries.ts';
import { Where } from '../where.ts';

export interface AuditFilter extends ListInput {
  readonly operator?: string | undefined;
  readonly operation?: string | undefined;
  readonly account?: string | undefined;
  readonly carrier?: string | undefined;
  readonly since?: Instant | undefined;
  readonly until?: Instant | undefined;
  readonly order: 'newest' | 'oldest';
}

/** Reads entries of all nodes. `after` is the place of the last entry before: its time, node and number. */
export async function readAuditEntries(queries: Queries, wanted: AuditFilter): Promise<Page<AuditEntryRow>> {
  const [compared, direction] = wanted.order === 'newest' ? ['<', 'desc'] : ['>', 'asc'];
  const where = new Where();
  if (wanted.after !== undefined)
    where.and(`(at, node, number) ${compared} (?, ?, ?)`, ...wanted.after.split('/').map(Number));
  else where.and('at < ?', beforeNewest);
  where.given('operator = ?', wanted.operator).given('operation = ?', wanted.operation);
  where.given('account = ?', wanted.account).given('carrier = ?', wanted.carrier);
  where.given('at >= ?', wanted.since).given('at < ?', wanted.until);
  const tail = `${where.sql} order by at ${direction}, node ${direction}, number ${direction} limit ?`;
  const rows = await queries.find(auditEntryTable, tail, ...where.values, wanted.limit + 1);
  return pageOf(rows, wanted.limit, ({ at, node, number }) => `${at}/${node}/${number}`);
}

export async function readAuditEntry(
  queries: Queries,
  { node, number }: { readonly node: number; readonly number: number },
): Promise<AuditEntryRow | undefined> {
  return queries.first(auditEntryTable, 'where node = ? and number = ?', node, number);
}

/** Entries that one step of the check reads. */
const stepMax = 5_000;

/** A step of the check of one node's log, behind an entry that was checked before. */
export interface AuditCheck extends AuditHead {
  readonly node: number;
}

export interface AuditChecked {
  readonly node: number;
  readonly checked: number;
  readonly last: AuditHead;
  readonly isEnd: boolean;
  readonly fault: AuditFault | undefined;
}

/** Checks the log of a node, step by step. Undefined without a further node. */
export async function checkAudit(
  queries: Queries,
  { node: from, ...behind }: AuditCheck,
): Promise<AuditChecked | undefined> {
  const node = behind.number > 0 ? from : await nodeFrom(queries, from);
  if (node === undefined) return undefined;
  const start = behind.number > 0 ? behind : { number: 0, hash: noEntryBefore };
  const tail = 'where node = ? and number > ? order by number limit ?';
  const entries = await queries.find(auditEntryTable, tail, node, start.number, stepMax);
  const last = entries.at(-1) ?? start;
  const isEnd = entries.length < stepMax;
  const head = isEnd ? await queries.first(auditHeadTable, 'where node = ?', node) : undefined;
  const fault = faultIn(start, entries) ?? (isEnd ? faultAtEnd(last, head) : undefined);
  return { node, checked: entries.length, last: { number: last.number, hash: last.hash }, isEnd, fault };
}

/** The first node from this one on that has entries, or had some. */
async function nodeFrom(queries: Queries, from: number): Promise<number | undefined> {
  const nodes = await Promise.all(
    ['audit_entry', 'audit_head'].map((table) =>
      queries.value(integer, `select node from ${table} where node >= ? order by node limit 1`, from),
    ),
  );
  const found = nodes.filter((node) => node !== undefined);
  return found.length === 0 ? undefined : Math.min(...found);
}
