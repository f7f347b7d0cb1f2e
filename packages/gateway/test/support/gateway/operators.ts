import assert from 'node:assert/strict';
import type { Role } from '@morsel/api/admin/access/role.ts';
import { createAdminClient } from '@morsel/api/admin/client.ts';
import type { Gateway } from '../../../src/app.ts';
import { operatorCalls } from '../../../src/edge/admin/handlers.ts';

/** Adds an operator, whose name is the role by default. Returns an operator key, and a client that uses it. */
export async function addOperator({ operator, adminPort }: Gateway, role: Role, name: string = role) {
  const calls = operatorCalls(operator);
  assert.ok((await calls.operator.add({ operator: name, role })).ok);
  const made = await calls.operatorKey.add({ operator: name });
  assert.ok(made.ok);
  return { ...made.value, client: createAdminClient(`http://127.0.0.1:${adminPort}`, made.value) };
}
