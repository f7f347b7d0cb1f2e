/* Operators, their keys for the operator's API, the audit log of their actions, and the jobs that they start. */

import { roles, type Role } from '@morsel/api/admin/access/role.ts';
import type { jobStates } from '@morsel/api/admin/running/job.ts';
import { by, search } from './lookup.ts';
import { allowed, passwordMembers } from './account.ts';
import {
  bytes,
  flag,
  integer,
  json,
  keyed,
  nullable,
  oneOf,
  personal,
  refersTo,
  sealed,
  text,
  word,
} from './column.ts';
import { group, table, type RowOf } from './table.ts';

export const operatorTable = table('operator', {
  isAudited: true,
  key: ['name'],
  fixed: { name: text, createdAt: integer },
  moving: { role: oneOf(roles) },
});
export const operatorByName = by(operatorTable, ['name']);

/** How operators sign in to the console. A table of its own keeps passwords out of snapshots and audit entries. */
export const operatorSignInTable = table('operator_sign_in', {
  key: ['id'],
  ids: 'operator',
  indexes: { operator_sign_in_operator: { on: ['operator'], isUnique: true } },
  fixed: { id: integer, operator: refersTo('operator', text) },
  moving: {
    password: group(passwordMembers),
    /** The secret from which one-time codes are made. */
    codeSecret: nullable(sealed),
    /** The time step of the last one-time code. No code of this step or an earlier one is accepted again. */
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
    /** The browser of a session, as its request names it. */
    agent: nullable(text),
  },
  moving: { revokedAt: nullable(integer), lastUsedAt: nullable(integer) },
});
export const operatorKeyById = by(operatorKeyTable, ['id']);
export const keysOfOperator = by(operatorKeyTable, ['operator']);

/**
 * The audit log: the actions of operators at each node, in order. Each entry has a hash of itself and of the entry
 * before it, and is never changed.
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
    /** Counted from 1 at each node, without gaps. */
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
    /** JSON of the request, and of the rows before and after, without secrets, texts and most digits of numbers. */
    given: personal('row', text),
    changes: personal('row', text),
    hash: bytes,
  },
});
export type AuditEntryRow = Omit<RowOf<typeof auditEntryTable>, 'change'>;

/** The newest audit entry of each node, stored apart, so that a removal of the newest entries is found. */
export const auditHeadTable = table('audit_head', {
  key: ['node'],
  fixed: { node: integer },
  moving: { number: integer, hash: bytes },
});
export const auditHeadOfNode = by(auditHeadTable, ['node']);

/** Operators' changes by idempotency key. The request's hash is made with the gateway's key for hashes. */
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

/** In a job, numbers by name: rows by their outcome, or millionths refunded by their currency, as text. */
type Sums<T> = { readonly [name: string]: T };

export const jobTable = table('job', {
  key: ['id'],
  ids: 'operator',
  isAudited: true,
  indexes: { job_running: { on: ['state', 'id'], where: [{ state: 'running' }] } },
  fixed: {
    id: integer,
    startedAt: integer,
    operation: text,
    operator: text,
    reason: text,
    /** The request as JSON, without personal values. */
    given: text,
    /** The number of rows when the job was started. */
    rows: integer,
  },
  moving: {
    /** The filter in stored form. It may have phone numbers, so it is deleted when the job ends. */
    filter: nullable(personal('number', json<object>())),
    /** The place of the last row that the job has looked at; empty before the first. */
    place: text,
    state: word<(typeof jobStates)[number]>(),
    outcomes: json<Sums<number>>(),
    refunds: json<Sums<string>>(),
    endedAt: nullable(integer),
  },
});
export type JobRow = RowOf<typeof jobTable>;
export const jobById = by(jobTable, ['id']);
export const jobsInState = by(jobTable, ['state']);

/** Drafts of changes to the settings, without secrets, and those that were applied. */
export const changeSetTable = table('change_set', {
  isAudited: true,
  key: ['id'],
  ids: 'operator',
  indexes: { change_set_name: { on: ['name'], isUnique: true } },
  fixed: {
    id: integer,
    name: text,
    /** The document, as JSON. */
    config: text,
    prune: flag,
    /** The roles that its steps need. Nobody else may change it. */
    roles: json<readonly Role[]>(),
    createdAt: integer,
    createdBy: text,
  },
  moving: {
    state: oneOf(['draft', 'applied']),
    appliedAt: nullable(integer),
    appliedBy: nullable(text),
    /** The document that undoes the applied changes. */
    undo: nullable(text),
  },
});
export type ChangeSetRow = RowOf<typeof changeSetTable>;
export const changeSetById = by(changeSetTable, ['id']);
export const changeSetByName = by(changeSetTable, ['name']);
export const allChangeSets = search<[]>()('change_set.all', changeSetTable);
