/* Views of the audit log: lists, the check of its hashes, and the check that it has what must be in it. */

import { faultAtEnd, faultsIn, noEntryBefore, type AuditFault, type AuditHead } from '../../../core/account/audit.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { auditEntryTable, auditHeadTable, operatorTable, type AuditEntryRow } from '../../../state/tables/access.ts';
import { accountTable } from '../../../state/tables/account.ts';
import { allTables } from '../../../state/tables/all.ts';
import { integer } from '../../../state/tables/column.ts';
import { beforeNewest, eachOf, pageOf, type ListInput, type Page } from '../page.ts';
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
  readonly faults: readonly AuditFault[];
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
  const atEnd = isEnd ? faultAtEnd(last, head) : undefined;
  const faults = [...faultsIn(start, entries), ...(atEnd ? [atEnd] : [])];
  return { node, checked: entries.length, last: { number: last.number, hash: last.hash }, isEnd, faults };
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

/** Accounts that one step looks for in the log. */
const accountsMax = 1_000;

export interface AuditOrigins {
  /** One sentence each. */
  readonly faults: readonly string[];
  /** The account behind which the next step begins; null after the last step. */
  readonly next: number | null;
}

/** Looks for the creation of each account and operator in the log: step by step, behind the account with this id. */
export async function checkAuditOrigins(queries: Queries, after: number): Promise<AuditOrigins> {
  const accounts = await queries.find(accountTable, 'where id > ? order by id limit ?', after, accountsMax);
  const found = await eachOf(accounts, async (account) => {
    const name = account.name.replace(removedEnding, '');
    const tail = "where account = ? and operation = 'account.add'";
    const origins = originsIn(await queries.find(auditEntryTable, tail, name), 'account');
    return origins.has(originOf({ ...account, name })) ? [] : [withoutOrigin('account', account.name)];
  });
  const next = accounts.length < accountsMax ? null : (accounts.at(-1)?.id ?? null);
  const others = next === null ? [...(await operatorFaults(queries)), ...(await emptyFaults(queries))] : [];
  return { faults: [...found.flat(), ...others], next };
}

/** An account that was removed leaves its name to others. */
const removedEnding = / \(removed \d+\)$/;

/** The first owner is created with a sign-in link, together with a password. */
async function operatorFaults(queries: Queries): Promise<readonly string[]> {
  const operators = await queries.find(operatorTable, 'order by name');
  const tail = "where operation in ('operator.add', 'operator.password') and changes like ?";
  const entries = await queries.find(auditEntryTable, tail, '%"table":"operator",%');
  const origins = originsIn(entries, 'operator');
  const without = operators.filter((operator) => !origins.has(originOf(operator)));
  return without.map(({ name }) => withoutOrigin('operator', name));
}

function withoutOrigin(what: 'account' | 'operator', name: string): string {
  return `${what} ${name} has no entry for its creation: the entry was removed, or the ${what} was added without the gateway`;
}

interface Origin {
  /** Of an account. */
  readonly id?: unknown;
  readonly name?: unknown;
  readonly createdAt?: unknown;
}

/** Names a row. One of the same name that was removed before has another time. */
function originOf({ id, name, createdAt }: Origin): string {
  return JSON.stringify([id ?? null, name, createdAt]);
}

interface ChangedRow {
  readonly table?: unknown;
  readonly key?: object;
  readonly before?: object;
  readonly after?: Origin;
}

/** The new rows of a table that the entries have. */
function originsIn(entries: readonly AuditEntryRow[], table: string): ReadonlySet<string> {
  const added = entries
    .flatMap(({ changes }) => changedRows(changes))
    .filter((row) => row.table === table && row.before === undefined);
  return new Set(added.map(({ key, after }) => originOf({ ...key, createdAt: Date.parse(String(after?.createdAt)) })));
}

/** An entry that somebody changed may have anything. */
function changedRows(changes: string): readonly ChangedRow[] {
  try {
    const list: unknown = JSON.parse(changes);
    return Array.isArray(list) ? list.map((row) => ({ ...Object(row) })) : [];
  } catch {
    return [];
  }
}

/** Settings need an operator, so a log without entries was emptied. */
async function emptyFaults(queries: Queries): Promise<readonly string[]> {
  for (const table of ['audit_entry', 'audit_head']) {
    if ((await queries.value(integer, `select node from ${table} order by node limit 1`)) !== undefined) return [];
  }
  const audited = allTables.filter(({ isAudited }) => isAudited);
  const found = await eachOf(audited, ({ name }) => queries.value(integer, `select 1 from ${name} limit 1`));
  const has = audited.filter((_table, at) => found[at] !== undefined);
  const names = has.map(({ name }) => name).join(', ');
  return has.length === 0 ? [] : [`the log is empty, but there are rows in ${names}: all entries were removed`];
}
