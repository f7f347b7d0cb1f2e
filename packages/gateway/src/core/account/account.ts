/*
 * An account: who pays, with its settings and their defaults. Its balance is in the store and moves only by ledger
 * entries.
 */

import type { AccountRules } from './rules.ts';
import type { AddressRange, AllowList } from '@morsel/api/values/address-range.ts';
import { newAccountSettings } from '@morsel/api/values/account.ts';
import type { RefundPolicy, SmppDataCoding0, SmppLong } from '@morsel/api/values/account.ts';
import type { MarginMin, MarginMode } from '@morsel/api/values/margin.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { secondMs } from '@morsel/api/values/time.ts';

export type AccountStatus = 'active' | 'suspended' | 'removed';

/** Settings that the operator can change at any time. */
export interface AccountSettings {
  /** Credit limit: the balance may fall this far below 0. 0 is prepaid. */
  readonly creditLimit: Micros;
  /** Most parts of a message, 1 to 255. */
  readonly partsMax: number;
  /** How long the gateway waits for a receipt after the validity ended. */
  readonly receiptWaitMs: number;
  readonly refundPolicy: RefundPolicy;
  /** Time zone of its days and months: a name of the IANA time zone database. */
  readonly timeZone: string;
  /** Balances below which an alert is raised, the highest first. */
  readonly lowBalance: readonly Micros[];
  /** Spending caps of a day and of a month in its time zone; null for no cap. */
  readonly dayCap: Micros | null;
  readonly monthCap: Micros | null;
  /** Rules of what it may send, to whom and how fast; null while no rule is set. */
  readonly rules: AccountRules | null;
  /** Networks that its clients may connect from. */
  readonly from: AllowList<AddressRange>;
  /** Least margin of a part: price less cost; null while no margin is set. */
  readonly marginMin: MarginMin | null;
  readonly belowMargin: MarginMode;
  /** Most bound sessions. */
  readonly smppBinds: number;
  /** Most unanswered requests of one session, in each direction. */
  readonly smppWindow: number;
  readonly smppDataCoding0: SmppDataCoding0;
  /** How long texts are delivered. Sessions of SMPP 3.3 always get parts: they know no message_payload. */
  readonly smppLong: SmppLong;
}

/** An account; the public contract calls it "client". */
export interface Account extends AccountSettings {
  readonly id: number;
  readonly name: string;
  readonly currency: string;
  readonly status: AccountStatus;
  readonly priceList: number;
}

/** What holds for a new account of which nothing else is said. */
const { receiptWaitSeconds, ...settings } = newAccountSettings;
export const accountDefaults: AccountSettings = {
  ...settings,
  receiptWaitMs: receiptWaitSeconds * secondMs,
  rules: null,
};
