import type { AccountRules } from './rules.ts';
import type { AddressRange } from '@morsel/api/values/address-range.ts';
import type { AllowList } from '@morsel/api/values/allow-list.ts';
import type { RefundPolicy, SmppDataCoding0, SmppLong } from '@morsel/api/values/account.ts';
import type { MarginMin, MarginMode } from '@morsel/api/values/margin.ts';
import { zeroMicros } from '@morsel/api/values/money.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { hourMs } from '@morsel/api/values/time.ts';

export type AccountStatus = 'active' | 'suspended' | 'removed';

/** What the operator may change of an account at any time. */
export interface AccountSettings {
  /** How far below 0 its balance may go: 0 is prepaid. */
  readonly creditLimit: Micros;
  /** Parts a message may have: 1 to 255. */
  readonly partsMax: number;
  /** How long after the validity's end a receipt is waited for. */
  readonly receiptWaitMs: number;
  readonly refundPolicy: RefundPolicy;
  /** Where its days and months begin: a name of the IANA time zone database. */
  readonly timeZone: string;
  /** Balances below which an alert is raised, the highest first. */
  readonly lowBalance: readonly Micros[];
  /** What it may spend in a day and in a month of its time zone; null for no cap. */
  readonly dayCap: Micros | null;
  readonly monthCap: Micros | null;
  /** What it may send, to whom and how fast; null while no rule is set. */
  readonly rules: AccountRules | null;
  /** Where its clients are; none for anywhere. */
  readonly from: AllowList<AddressRange>;
  /** What has to be left of a part's price when its carrier is paid; null where nobody looks. */
  readonly marginMin: MarginMin | null;
  readonly belowMargin: MarginMode;
  /** Sessions that it may have bound at a time. */
  readonly smppBinds: number;
  /** Requests of one session that may wait for an answer, its and ours. */
  readonly smppWindow: number;
  readonly smppDataCoding0: SmppDataCoding0;
  /** Sessions of SMPP 3.3 get parts whatever it says: they know no message_payload. */
  readonly smppLong: SmppLong;
}

/** Who pays (the interface's "client"). The balance is not here: it lives in the store and moves only by entries. */
export interface Account extends AccountSettings {
  readonly id: number;
  readonly name: string;
  readonly currency: string;
  readonly status: AccountStatus;
  readonly priceList: number;
}

/** What holds for a new account of which nothing else is said. */
export const accountDefaults: AccountSettings = {
  creditLimit: zeroMicros,
  partsMax: 10,
  receiptWaitMs: 72 * hourMs,
  refundPolicy: 'refused',
  timeZone: 'UTC',
  lowBalance: [],
  dayCap: null,
  monthCap: null,
  rules: null,
  from: 'any',
  marginMin: null,
  belowMargin: 'allow',
  smppBinds: 4,
  smppWindow: 10,
  smppDataCoding0: 'gsm7',
  smppLong: 'payload',
};
