/* The chain of the audit log: each entry has the hash of itself and of the entry before. */

import { hash } from 'node:crypto';
import type { Role } from '@morsel/api/admin/access/role.ts';
import type { Instant } from '@morsel/api/values/time.ts';

export interface AuditAction {
  readonly at: Instant;
  readonly operator: string;
  readonly role: Role;
  readonly operatorKey: string;
  readonly address: string;
  readonly requestId: string;
  readonly operation: string;
  readonly account: string | null;
  readonly carrier: string | null;
  readonly reason: string | null;
  readonly given: string;
}

export interface AuditEntry extends AuditAction {
  readonly node: number;
  readonly number: number;
  readonly changes: string;
}

export const noEntryBefore: Uint8Array = new Uint8Array(32);

/** An entry with the texts that a database stores: it has U+FFFD in the place of half of a surrogate pair. */
export function asStored(entry: AuditEntry): AuditEntry {
  const texts = Object.entries(entry).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' ? value.toWellFormed() : value,
  ]);
  return { ...entry, ...Object.fromEntries(texts) };
}

/** The SHA-256 of an entry, as it is stored, and of the hash of the entry before. */
export function auditHash(before: Uint8Array, entry: AuditEntry): Uint8Array {
  const { node, number, at, operator, role, operatorKey, address, requestId, operation } = entry;
  const { account, carrier, reason, given, changes } = entry;
  const who = [operator, role, operatorKey, address, requestId];
  const what = [operation, account, carrier, reason, given, changes];
  const text = JSON.stringify([Buffer.from(before).toString('hex'), node, number, at, ...who, ...what]);
  return hash('sha256', text, 'buffer');
}

/** The newest entry of a node's audit log, which is also stored apart from the log. */
export interface AuditHead {
  readonly number: number;
  readonly hash: Uint8Array;
}

export interface AuditFault {
  readonly number: number;
  readonly detail: string;
}

type Hashed = AuditEntry & { readonly hash: Uint8Array };

/** The faults of the entries after `from`, in order. After a fault, the check goes on with the stored hash. */
export function faultsIn(from: AuditHead, entries: readonly Hashed[]): readonly AuditFault[] {
  let before = from;
  return entries.flatMap((entry) => {
    const { number } = entry;
    const wanted = before.number + 1;
    const isChanged = !isSame(auditHash(before.hash, entry), entry.hash);
    before = entry;
    // The hash of this entry includes the hash of a missing entry, so this entry cannot be checked.
    if (number !== wanted)
      return [{ number: wanted, detail: `${missingText(wanted, number - 1)}, ${unchecked(number)}` }];
    return isChanged ? [{ number, detail: changedText(number) }] : [];
  });
}

function unchecked(number: number): string {
  return `and entry ${number} cannot be checked without the one before it`;
}

/** The fault at the end of a node's log. Undefined if the last entry is the one that is stored apart. */
export function faultAtEnd(last: AuditHead, head: AuditHead | undefined): AuditFault | undefined {
  if (!head)
    return last.number === 0 ? undefined : { number: last.number, detail: 'the record of the newest entry is missing' };
  if (head.number > last.number) {
    return { number: last.number + 1, detail: missingText(last.number + 1, head.number) };
  }
  if (head.number < last.number) {
    const detail = `the record of the newest entry names entry ${head.number}, but later entries exist: the record was changed, or entries were added`;
    return { number: head.number + 1, detail };
  }
  if (isSame(head.hash, last.hash)) return undefined;
  const detail = `the record of the newest entry has another hash than entry ${last.number}: one of them was changed`;
  return { number: last.number, detail };
}

function missingText(from: number, to: number): string {
  return from === to
    ? `entry ${from} is missing: it was removed`
    : `entries ${from} to ${to} are missing: they were removed`;
}

function changedText(number: number): string {
  const before = number === 1 ? '' : `, or entry ${number - 1} was changed together with its hash`;
  return `the hash does not fit: entry ${number} was changed${before}`;
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
