import type { Role } from '@morsel/api/admin/access/role.ts';

export interface Caller {
  /** The operator. With the key of the data directory: the user of that machine. */
  readonly name: string;
  readonly role: Role;
  readonly key: string;
  readonly isSession: boolean;
  /** The IP address; empty for a call inside the process. */
  readonly address: string;
  readonly requestId: string;
  /** The reason that the caller gives for a change; null for none. */
  readonly reason: string | null;
  /** The header Idempotency-Key; null for none. */
  readonly idempotencyKey: string | null;
}

/**
 * The owner of the machine, with the key of its data directory: needs no operator, so nobody can lock themselves out.
 */
export const localOwner: Caller = {
  name: 'operator',
  role: 'owner',
  key: 'built-in',
  isSession: false,
  address: '',
  requestId: '',
  reason: null,
  idempotencyKey: null,
};
