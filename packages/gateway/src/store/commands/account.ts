import type { AccountSettings, AccountStatus } from '../../core/account/account.ts';
import type { RulesChange } from '../../core/account/rules.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/* What the operator has written of accounts; what is posted by hand is in ledger.ts. */

export interface AddAccount extends AccountSettings {
  readonly kind: 'add-account';
  readonly at: Instant;
  readonly name: string;
  readonly currency: string;
  readonly priceList: string;
  readonly balance: Micros;
  readonly actor: string;
}

/** Change some of an account's settings. */
export interface SetAccount {
  readonly kind: 'set-account';
  readonly at: Instant;
  readonly account: string;
  readonly priceList: string | undefined;
  readonly settings: Partial<AccountSettings>;
  /** What changes of its rules. */
  readonly rules?: RulesChange;
}

export interface SetAccountStatus {
  readonly kind: 'set-account-status';
  readonly at: Instant;
  readonly account: string;
  readonly status: AccountStatus;
}

/** What there still is of an account that is to be removed. */
export interface AccountLeft {
  readonly kept: { readonly [K in 'entries' | 'inbound' | 'optOutEvents']: boolean };
  /** How many. */
  readonly living: {
    readonly [K in 'tokens' | 'logins' | 'numbers' | 'keywords' | 'webhooks' | 'routes']: number;
  };
}
