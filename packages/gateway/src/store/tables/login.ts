import type { Login } from '../../core/account/login.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Change } from './change.ts';

/** A login without its id, which the engine gives it when it is written. */
export interface LoginRow extends Omit<Login, 'id' | 'password' | 'from'> {
  change: Change;
  password: Login['password'];
  from: Login['from'];
  readonly createdAt: Instant;
  removedAt: Instant | null;
  lastBindAt: Instant | null;
}
