import assert from 'node:assert/strict';
import { it } from 'node:test';
import { mayCall, roles } from './role.ts';

/* The lowest role that may call an operation, and all roles that then may. */
const rows = {
  viewer: ['owner', 'operator', 'support', 'finance', 'viewer'],
  support: ['owner', 'operator', 'support'],
  operator: ['owner', 'operator'],
  finance: ['owner', 'finance'],
  owner: ['owner'],
} as const;

for (const least of roles) {
  it(`an operation with the role ${least} is for ${rows[least].join(', ')}`, () => {
    assert.deepEqual(
      roles.filter((role) => mayCall(role, least)),
      rows[least],
    );
  });
}
