import type { audit } from '@morsel/api/admin/access/audit.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { AuditEntryRow } from '../../../store/tables/access.ts';
import type { AuditChecked } from '../../../store/views/access/audit.ts';
import type { Handlers } from '../bind.ts';

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
  verify: async (needs, { after = '0-0-' }) => {
    const [node = '', number = '', hash = ''] = after.split('-');
    const from = { node: Number(node), number: Number(number), hash: Buffer.from(hash, 'hex') };
    const checked = await needs.reader.ask('auditCheck', from);
    return checked.ok ? ok(checked.value ? step(checked.value) : atEnd) : checked;
  },
};

function shown({ node, number, operatorKey: key, hash, ...row }: AuditEntryRow) {
  return { ...row, entry: `${node}-${number}`, key, hash: hex(hash) };
}

type Step = AnswerOf<Operations['verify']>;
const atEnd: Step = { checked: 0, last: null, hash: null, fault: null, faultAt: null, next: null };

/** After a fault of a node, the check goes on with the next node. */
function step({ node, checked, last, isEnd, fault }: AuditChecked): Step {
  const hash = hex(last.hash);
  return {
    checked,
    last: isEnd ? `${node}-${last.number}` : null,
    hash: isEnd ? hash : null,
    fault: fault?.detail ?? null,
    faultAt: fault ? `${node}-${fault.number}` : null,
    next: isEnd || fault ? `${node + 1}-0-${'0'.repeat(64)}` : `${node}-${last.number}-${hash}`,
  };
}

function hex(hash: Uint8Array): string {
  return Buffer.from(hash).toString('hex');
}
