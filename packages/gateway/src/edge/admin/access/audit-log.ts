import type { audit } from '@morsel/api/admin/access/audit.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import type { AuditEntryRow } from '../../../state/tables/access.ts';
import type { AuditChecked, AuditOrigins } from '../../../store/views/access/audit.ts';
import type { Handlers } from '../bind.ts';

/* The handlers of the audit log: its lists, and its check in steps: first the entries of each node, then what must be in them. */

type Operations = typeof audit.operations;

export const auditHandlers: Handlers<'audit'> = {
  list: async (needs, input) => {
    const found = await needs.reader.ask('auditEntries', input);
    return found.ok ? ok({ ...found.value, items: found.value.items.map(shown) }) : found;
  },
  show: async (needs, { entry }) => {
    const [node = 0, number = 0] = entry.split('-').map(Number);
    const found = await needs.reader.ask('auditEntry', { node, number });
    if (!found.ok) return found;
    if (found.value) return ok(shown(found.value));
    return refused({ code: 'does_not_exist', detail: `there is no entry ${entry} in the audit log` });
  },
  verify: async ({ reader }, { after = '0-0-' }) => {
    const [node = '', number = '', hash = ''] = after.split('-');
    if (node === 'account') return originStep(await reader.ask('auditOrigins', Number(number)));
    const from = { node: Number(node), number: Number(number), hash: Buffer.from(hash, 'hex') };
    const checked = await reader.ask('auditCheck', from);
    return checked.ok ? ok(checked.value ? step(checked.value) : { ...none, next: 'account-0' }) : checked;
  },
};

function shown({ node, number, operatorKey: key, hash, ...row }: AuditEntryRow) {
  return { ...row, entry: `${node}-${number}`, key, hash: hex(hash) };
}

type Step = AnswerOf<Operations['verify']>;
const none: Step = { checked: 0, last: null, hash: null, faults: [], next: null };

/** After the last entry of a node, the check goes on with the next node. */
function step({ node, checked, last, isEnd, faults }: AuditChecked): Step {
  const hash = hex(last.hash);
  return {
    checked,
    last: isEnd ? `${node}-${last.number}` : null,
    hash: isEnd ? hash : null,
    faults: faults.map(({ number, detail }) => ({ entry: `${node}-${number}`, detail })),
    next: isEnd ? `${node + 1}-0-${'0'.repeat(64)}` : `${node}-${last.number}-${hash}`,
  };
}

/** After all entries, the check looks for what must be in the log. */
function originStep(found: Result<AuditOrigins, Rejection>): Result<Step, Rejection> {
  if (!found.ok) return found;
  const { faults, next } = found.value;
  const shownFaults = faults.map((detail) => ({ entry: null, detail }));
  return ok({ ...none, faults: shownFaults, next: next === null ? null : `account-${next}` });
}

function hex(hash: Uint8Array): string {
  return Buffer.from(hash).toString('hex');
}
