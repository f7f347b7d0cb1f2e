/* Views of the audit log: lists, the check of its hashes, and the check that no entry is missing. */

import type { audit } from '@morsel/api/admin/access/audit.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import { faultAtEnd, faultsIn, noEntryBefore, type AuditHead } from '../../../core/account/audit.ts';
import { auditEntryTable, auditHeadTable, operatorTable, type AuditEntryRow } from '../../../state/tables/access.ts';
import { accountTable } from '../../../state/tables/account.ts';
import { allTables } from '../../../state/tables/all.ts';
import { integer } from '../../../state/tables/column.ts';
import { beforeNewest, eachOf, pageOf } from '../page.ts';
import type { Queries } from '../queries.ts';
import type { View } from '../view.ts';
import { Where } from '../where.ts';

/** `after` is the place of the last entry on the page before: its time, node and number. */
const list: View<'audit.list'> = async (queries, wanted) => {
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
  const { items, next } = pageOf(rows, wanted.limit, ({ at, node, number }) => `${at}/${node}/${number}`);
  return ok({ items: items.map(shown), next });
};

const show: View<'audit.show'> = async (queries, { entry }) => {
  const [node = 0, number = 0] = entry.split('-').map(Number);
  const row = await queries.first(auditEntryTable, 'where node = ? and number = ?', node, number);
  if (row) return ok(shown(row));
  return refused({ code: 'does_not_exist', detail: `there is no entry ${entry} in the audit log` });
};

function shown({ node, number, operatorKey: key, hash, ...row }: AuditEntryRow) {
  return { ...row, entry: `${node}-${number}`, key, hash: hex(hash) };
}

function hex(hash: Uint8Array): string {
  return Buffer.from(hash).toString('hex');
}

/** Checks in steps: first the entries of each node, then whether each setting has its entry. */
const verify: View<'audit.verify'> = async (queries, { after = '0-0-' }) => {
  const [node = '', number = '', hash = ''] = after.split('-');
  if (node === 'account') return ok(await checkOrigins(queries, Number(number)));
  return ok(await checkEntries(queries, Number(node), { number: Number(number), hash: Buffer.from(hash, 'hex') }));
};

export const auditViews = { 'audit.list': list, 'audit.show': show, 'audit.verify': verify };

type Step = AnswerOf<typeof audit.operations.verify>;
const none: Step = { checked: 0, last: null, hash: null, faults: [], next: null };

const stepMax = 5_000;

/** Checks the entries after one that was checked before. After a node's last entry, the next node follows. */
async function checkEntries(queries: Queries, from: number, behind: AuditHead): Promise<Step> {
  const node = behind.number > 0 ? from : await nodeFrom(queries, from);
  if (node === undefined) return { ...none, next: 'account-0' };
  const start = behind.number > 0 ? behind : { number: 0, hash: noEntryBefore };
  const tail = 'where node = ? and number > ? order by number limit ?';
  const entries = await queries.find(auditEntryTable, tail, node, start.number, stepMax);
  const last = entries.at(-1) ?? start;
  const isEnd = entries.length < stepMax;
  const head = isEnd ? await queries.first(auditHeadTable, 'where node = ?', node) : undefined;
  const atEnd = isEnd ? faultAtEnd(last, head) : undefined;
  const faults = [...faultsIn(start, entries), ...(atEnd ? [atEnd] : [])];
  const [place, hash] = [`${node}-${last.number}`, hex(last.hash)];
  return {
    checked: entries.length,
    last: isEnd ? place : null,
    hash: isEnd ? hash : null,
    faults: faults.map(({ number, detail }) => ({ entry: `${node}-${number}`, detail })),
    next: isEnd ? `${node + 1}-0-${hex(noEntryBefore)}` : `${place}-${hash}`,
  };
}

/** The first node from this number on that has entries, or had entries. */
async function nodeFrom(queries: Queries, from: number): Promise<number | undefined> {
  const nodes = await Promise.all(
    ['audit_entry', 'audit_head'].map((table) =>
      queries.value(integer, `select node from ${table} where node >= ? order by node limit 1`, from),
    ),
  );
  const found = nodes.filter((node) => node !== undefined);
  return found.length === 0 ? undefined : Math.min(...found);
}

const accountsMax = 1_000;

/** Checks that accounts after this id, and then operators, have the entry that created them. */
async function checkOrigins(queries: Queries, after: number): Promise<Step> {
  const accounts = await queries.find(accountTable, 'where id > ? order by id limit ?', after, accountsMax);
  const found = await eachOf(accounts, async (account) => {
    const name = account.name.replace(removedEnding, '');
    const tail = "where account = ? and operation = 'account.add'";
    const origins = originsIn(await queries.find(auditEntryTable, tail, name), 'account');
    return origins.has(originOf({ ...account, name })) ? [] : [withoutOrigin('account', account.name)];
  });
  const next = accounts.length < accountsMax ? null : (accounts.at(-1)?.id ?? null);
  const others = next === null ? [...(await operatorFaults(queries)), ...(await emptyFaults(queries))] : [];
  const faults = [...found.flat(), ...others].map((detail) => ({ entry: null, detail }));
  return { ...none, faults, next: next === null ? null : `account-${next}` };
}

/** The ending of a removed account's name, which leaves the name itself free. */
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
  readonly id?: unknown;
  readonly name?: unknown;
  readonly createdAt?: unknown;
}

/** Identifies a row in entries. A removed row with the same name has another creation time. */
function originOf({ id, name, createdAt }: Origin): string {
  return JSON.stringify([id ?? null, name, createdAt]);
}

interface ChangedRow {
  readonly table?: unknown;
  readonly key?: object;
  readonly before?: object;
  readonly after?: Origin;
}

function originsIn(entries: readonly AuditEntryRow[], table: string): ReadonlySet<string> {
  const added = entries
    .flatMap(({ changes }) => changedRows(changes))
    .filter((row) => row.table === table && row.before === undefined);
  return new Set(added.map(({ key, after }) => originOf({ ...key, createdAt: Date.parse(String(after?.createdAt)) })));
}

/** Reads the changes of an entry. If somebody tampered with the entry, they may be anything. */
function changedRows(changes: string): readonly ChangedRow[] {
  try {
    const found: unknown = JSON.parse(changes);
    return Array.isArray(found) ? found.map((row) => ({ ...Object(row) })) : [];
  } catch {
    return [];
  }
}

/** Finds an emptied log: settings are made only by operators, so a log without entries was emptied. */
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
