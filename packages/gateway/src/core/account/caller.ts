import type { Role } from '@morsel/api/admin/access/role.ts';

export interface Caller {
  /** The name of the operator. A caller with the key of the data directory is the user of that machine. */
  readonly name: string;
  readonly role: Role;
  readonly key: string;
  readonly isSession: boolean;
  /** The caller's IP address; empty for a call inside the process. */
  readonly address: string;
  readonly requestId: string;
  /** The reason that the caller gives for a change; null for none. */
  readonly reason: string | null;
  /** The header Idempotency-Key; null for none. */
  readonly idempotencyKey: string | null;
}

/**
 * The user of this machine, with the key of its data directory. This caller needs no operator, so nobody is locked out.
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
