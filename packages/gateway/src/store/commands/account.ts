import type { AccountSettings, AccountStatus } from '../../core/account/account.ts';
import type { RulesChange } from '../../core/account/rules.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/* Commands of the operator about accounts. */

export interface AddAccount extends AccountSettings {
  readonly kind: 'add-account';
  readonly at: Instant;
  readonly name: string;
  readonly currency: string;
  readonly priceList: string;
  readonly balance: Micros;
  readonly actor: string;
}

export interface SetAccount {
  readonly kind: 'set-account';
  readonly at: Instant;
  readonly account: string;
  readonly priceList: string | undefined;
  readonly settings: Partial<AccountSettings>;
  readonly rules?: RulesChange;
}

export interface SetAccountStatus {
  readonly kind: 'set-account-status';
  readonly at: Instant;
  readonly account: string;
  readonly status: AccountStatus;
}

/** What an account still has when the operator removes it. */
export interface AccountLeft {
  readonly kept: { readonly [K in 'entries' | 'inbound' | 'optOutEvents']: boolean };
  /** Counts of what is still in use. */
  readonly living: {
    readonly [K in 'tokens' | 'logins' | 'numbers' | 'keywords' | 'webhooks' | 'routes']: number;
  };
}
