import type { AddressRange, AllowList } from '@morsel/api/values/address-range.ts';
import type { PasswordHash } from '../../core/account/login.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/* Commands about logins, and the times of their last binds. */

interface AddLogin {
  readonly kind: 'add-login';
  readonly at: Instant;
  readonly account: string;
  readonly systemId: string;
  readonly password: PasswordHash;
  readonly from: AllowList<AddressRange>;
}

/** Changes some settings of a login. Its bound sessions go on. */
interface SetLogin {
  readonly kind: 'set-login';
  readonly at: Instant;
  readonly systemId: string;
  readonly password?: PasswordHash;
  readonly from?: AllowList<AddressRange>;
}

/** Removes a login. Another login may then use its system_id. */
interface RemoveLogin {
  readonly kind: 'remove-login';
  readonly at: Instant;
  readonly systemId: string;
}

/** Times of the last binds of logins; written now and then. */
interface TouchLogins {
  readonly kind: 'touch-logins';
  readonly at: Instant;
  readonly binds: readonly { readonly systemId: string; readonly at: Instant }[];
}

export type LoginCommand = AddLogin | SetLogin | RemoveLogin | TouchLogins;

export interface LoginResults {
  'add-login': null;
  'set-login': null;
  'remove-login': null;
  'touch-logins': null;
}
