import type { Role } from '@morsel/api/admin/access/role.ts';

/** Who calls an operation. */
export interface Caller {
  /** The operator. With the key of the data directory: the user of that machine. */
  readonly name: string;
  readonly role: Role;
  /** The id of the operator key. */
  readonly key: string;
  /** Whether the key is that of a session of the console. */
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
 * The owner of the machine, with the key of the data directory, which needs no operator: nobody can lock themselves out. A
 * request adds the rest.
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
