/* Operators, and the keys with which they call the operator's API. */

import type { Role } from '@morsel/api/admin/access/role.ts';
import { by } from '../rows/lookup.ts';
import { allowed } from './account.ts';
import { bytes, integer, nullable, text, word } from './column.ts';
import { table } from './table.ts';

export const operatorTable = table('operator', {
  key: ['name'],
  fixed: { name: text, createdAt: integer },
  moving: { role: word<Role>() },
});
export const operatorByName = by(operatorTable, ['name']);

export const operatorKeyTable = table('operator_key', {
  key: ['id'],
  fixed: { id: text, operator: text, hash: bytes, from: allowed, createdAt: integer, expiresAt: nullable(integer) },
  moving: { revokedAt: nullable(integer), lastUsedAt: nullable(integer) },
});
export const operatorKeyById = by(operatorKeyTable, ['id']);
export const keysOfOperator = by(operatorKeyTable, ['operator']);
