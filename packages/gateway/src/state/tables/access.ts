/* Operators, the keys with which they call the operator's API, and the audit log of what they did. */

import { roles, type Role } from '@morsel/api/admin/access/role.ts';
import { by, search } from './lookup.ts';
import { allowed, passwordMembers } from './account.ts';
import { bytes, integer, keyed, nullable, oneOf, personal, refersTo, sealed, text, word } from './column.ts';
import { group, table, type RowOf } from './table.ts';

export const operatorTable = table('operator', {
  isAudited: true,
  key: ['name'],
  fixed: { name: text, createdAt: integer },
  moving: { role: oneOf(roles) },
});
export const operatorByName = by(operatorTable, ['name']);

/** How operators sign in to the console. A table of its own: passwords are in no snapshot and in no audit entry. */
export const operatorSignInTable = table('operator_sign_in', {
  key: ['id'],
  ids: 'operator',
  indexes: { operator_sign_in_operator: { on: ['operator'], isUnique: true } },
  fixed: { id: integer, operator: refersTo('operator', text) },
  moving: {
    password: group(passwordMembers),
    /** The secret of one-time codes. */
    codeSecret: nullable(sealed),
    /** The time step of the last code, which counts once. */
    codeStep: integer,
    changedAt: integer,
  },
});
export const signInOfOperator = by(operatorSignInTable, ['operator']);

export const operatorKeyTable = table('operator_key', {
  isAudited: true,
  key: ['id'],
  indexes: {
    operator_key_operator: { on: ['operator', 'created_at'] },
    operator_key_newest: { on: ['created_at'] },
  },
  fixed: {
    id: text,
    operator: refersTo('operator', text),
    hash: bytes,
    from: allowed,
    createdAt: integer,
    expiresAt: nullable(integer),
    kind: oneOf(['key', 'session']),
    /** The browser of a session, in its own words. */
    agent: nullable(text),
  },
  moving: { revokedAt: nullable(integer), lastUsedAt: nullable(integer) },
});
export const operatorKeyById = by(operatorKeyTable, ['id']);
export const keysOfOperator = by(operatorKeyTable, ['operator']);

/**
 * The audit log: what operators did at each node, in order. Each entry has the hash of itself and of the entry before, and is
 * never changed.
 */
export const auditEntryTable = table('audit_entry', {
  key: ['node', 'number'],
  guard: 'entries of the audit log cannot be changed or deleted',
  indexes: {
    audit_entry_newest: { on: ['at'] },
    audit_entry_operator: { on: ['operator', 'at'] },
    audit_entry_operation: { on: ['operation', 'at'] },
    audit_entry_account: { on: ['account', 'at'], where: [{ account: { not: null } }] },
    audit_entry_carrier: { on: ['carrier', 'at'], where: [{ carrier: { not: null } }] },
  },
  fixed: {
    node: integer,
    /** From 1 on, without gaps. */
    number: integer,
    at: integer,
    /** The name, role and key of the operator, and the address of the request. */
    operator: text,
    role: word<Role>(),
    operatorKey: text,
    address: personal('row', text),
    requestId: text,
    /** The resource and its operation, such as `account.set`. */
    operation: text,
    /** The names of the account and of the carrier that the change is about, if there is one. */
    account: nullable(text),
    carrier: nullable(text),
    reason: nullable(text),
    /** JSON of the request, and of the rows before and after. Without secrets and texts, with most digits of numbers hidden. */
    given: personal('row', text),
    changes: personal('row', text),
    hash: bytes,
  },
});
export type AuditEntryRow = Omit<RowOf<typeof auditEntryTable>, 'change'>;

/** The newest entry of each node, apart from the entries, so that a removed end of the log is found. */
export const auditHeadTable = table('audit_head', {
  key: ['node'],
  fixed: { node: integer },
  moving: { number: integer, hash: bytes },
});
export const auditHeadOfNode = by(auditHeadTable, ['node']);

/** Changes of operators by their idempotency keys. The hash of the request is made with the gateway's key for hashes. */
export const operatorRequestTable = table('operator_request', {
  key: ['operator', 'key'],
  indexes: { operator_request_created: { on: ['created_at'] } },
  fixed: { operator: text, key: personal('row', text), hash: personal('row', keyed(bytes)), createdAt: integer },
});
export const operatorRequestByKey = by(operatorRequestTable, ['operator', 'key']);

/** The settings before each of the newest applies of an operator's file, as JSON without secrets. */
export const configStateTable = table('config_state', {
  key: ['number'],
  fixed: { number: integer, at: integer, actor: text, config: text },
});
export const newestConfigState = search<[from: number]>()('config_state.newest', configStateTable);
