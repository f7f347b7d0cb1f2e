/*
 * An account is the client that pays for messages. This file has its settings and their defaults. The balance is in the
 * store, and only ledger entries change it.
 */

import type { AccountRules } from './rules.ts';
import type { AddressRange, AllowList } from '@morsel/api/values/address-range.ts';
import { inside } from '@morsel/api/admin/inside.ts';
import {
  newAccountSettings,
  type RefundPolicy,
  type DefaultCoding,
  type SmppLong,
  type StoreText,
} from '@morsel/api/values/account.ts';
import type { MarginMin, MarginMode } from '@morsel/api/values/margin.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { secondMs } from '@morsel/api/values/time.ts';

export type AccountStatus = 'active' | 'suspended' | 'removed';

export interface AccountSettings {
  /** Credit limit: the balance may fall this far below 0. 0 is prepaid. */
  readonly creditLimit: Micros;
  /** Most parts that one message may have, 1 to 255. */
  readonly partsMax: number;
  /** How long the gateway still waits for a receipt after the validity of a message has ended. */
  readonly receiptWaitMs: number;
  readonly refundPolicy: RefundPolicy;
  /** Time zone in which the account's days and months begin and end: a name from the IANA time zone database. */
  readonly timeZone: string;
  /** Balances below which an alarm opens and the account is notified. The highest comes first. */
  readonly lowBalance: readonly Micros[];
  /** The most that the account may spend in a day and in a month of its time zone; null for no cap. */
  readonly dayCap: Micros | null;
  readonly monthCap: Micros | null;
  /** Rules about what the account may send, to whom and how fast; null while no rule is set. */
  readonly rules: AccountRules | null;
  readonly from: AllowList<AddressRange>;
  /** Least margin of a part (its price minus its cost); null for no least margin. */
  readonly marginMin: MarginMin | null;
  readonly belowMargin: MarginMode;
  readonly smppBinds: number;
  /** Most unanswered requests of one SMPP session, in each direction. */
  readonly smppWindow: number;
  /** The encoding of a text in octets if the client names none. */
  readonly defaultCoding: DefaultCoding;
  /** Sessions of SMPP 3.3 always get long inbound texts in parts: SMPP 3.3 has no message_payload. */
  readonly smppLong: SmppLong;
  /** How many days texts, phone numbers and other data of messages are kept. No value is greater than the next one. */
  readonly textDays: number;
  readonly numberDays: number;
  readonly recordDays: number;
  readonly storeText: StoreText;
  /** Networks of private addresses that callback URLs of messages may lead to. */
  readonly callbackAllow: readonly AddressRange[];
}

/** The public contract calls an account "client". */
export interface Account extends AccountSettings {
  readonly id: number;
  readonly name: string;
  readonly currency: string;
  readonly status: AccountStatus;
  readonly priceList: number;
}

const { receiptWaitSeconds, ...settings } = inside('account', newAccountSettings);
export const accountDefaults: AccountSettings = {
  ...settings,
  receiptWaitMs: receiptWaitSeconds * secondMs,
  rules: null,
};
