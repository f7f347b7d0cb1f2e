import type { AddressRange } from '@morsel/api/values/address-range.ts';
import type { AllowList } from '@morsel/api/values/allow-list.ts';
import type { PasswordHash } from '../../core/account/login.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/* What the operator has written of logins, and when they were last bound. */

interface AddLogin {
  readonly kind: 'add-login';
  readonly at: Instant;
  readonly account: string;
  readonly systemId: string;
  readonly password: PasswordHash;
  readonly from: AllowList<AddressRange>;
}

/** Change what is given of a login; its living sessions go on. */
interface SetLogin {
  readonly kind: 'set-login';
  readonly at: Instant;
  readonly systemId: string;
  readonly password?: PasswordHash;
  readonly from?: AllowList<AddressRange>;
}

/** End a login: its system_id is free for another from then on. */
interface RemoveLogin {
  readonly kind: 'remove-login';
  readonly at: Instant;
  readonly systemId: string;
}

/** When logins were last bound; written now and then. */
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
