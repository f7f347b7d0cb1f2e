/* Commands of the operator about accounts. */

import { changeRules, uselessIn, type RulesChange } from '../../../core/account/rules.ts';
import type { AccountSettings, AccountStatus } from '../../../core/account/account.ts';
import { endOfDay, endOfMonth } from '../../../core/money/calendar.ts';
import { spentAt } from '../../../core/money/ledger.ts';
import { formatMicros, toMicros, zeroMicros, type Micros } from '@morsel/api/values/money.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { effect } from '../../tables/lookup.ts';
import { rewrite, touch, type Rows } from '../../rows/rows.ts';
import { accountByName, accountLimitTable, accountTable, type AccountRow } from '../../tables/account.ts';
import { priceListByName } from '../../tables/price.ts';
import { forgetLowBalance, raiseLowBalance, type LowBalance } from '../notification/alert.ts';
import { readDestinations } from '../notification/notification.ts';
import { post } from '../money/entry.ts';
import { readPriceList, priceListNamed } from '../money/price-list-named.ts';
import { exists, inUse, missing, type Decided } from '../decided.ts';
import { addFirstKey } from '../../rows/keys.ts';
import type { Reads } from '../../rows/reads.ts';
import { readUsesOf, reasonToKeep, removeAccount } from './remove-account.ts';

/** The price list of accounts that name no price list. It is created with the first such account. */
const defaultPriceList = 'default';

interface AddAccount extends AccountSettings {
  readonly at: Instant;
  readonly name: string;
  readonly currency: string;
  readonly priceList: string;
  readonly balance: Micros;
  readonly actor: string;
}

export const addAccountCommand = {
  isSetting: true,
  reads(read: Reads, { name, priceList }: AddAccount): void {
    read.one(accountByName, name);
    readPriceList(read, priceList);
  },
  decide: decideAddAccount,
};

function decideAddAccount(rows: Rows, command: AddAccount): Decided<{ readonly id: number }> {
  if (rows.one(accountByName, command.name)) return exists(`an account named ${command.name} exists already`);
  const isDefault = command.priceList === defaultPriceList;
  const wanted = { name: command.priceList, currency: command.currency, at: command.at };
  if (!isDefault && !rows.one(priceListByName, command.priceList)) {
    return missing(`there is no price list named ${command.priceList}: set a price in it first`);
  }
  const order = wrongOrderOf(command);
  if (order) return order;
  const list = priceListNamed(rows, wanted);
  if (!list.ok) return list;
  const row: AccountRow = rows.add(accountTable, {
    id: rows.nextId(accountTable),
    name: command.name,
    currency: command.currency,
    priceList: list.value.id,
    ...settingsOf(command),
    createdAt: command.at,
    status: 'active',
    balance: zeroMicros,
    spent: { day: zeroMicros, dayEndsAt: 0, month: zeroMicros, monthEndsAt: 0 },
    alertedBelow: null,
    lastEntry: 0,
    lastEntryAt: 0,
  });
  addFirstKey(rows, row.id, command.at);
  setLimit(rows, row);
  if (command.balance !== 0n) {
    const { balance: amount, actor, at } = command;
    post(rows, row, { kind: 'top-up', amount, reason: 'opening balance', actor, at });
  }
  return ok({ id: row.id });
}

interface SetAccount {
  readonly at: Instant;
  readonly account: string;
  readonly priceList: string | undefined;
  readonly settings: Partial<AccountSettings>;
  readonly rules?: RulesChange;
}

export const setAccountCommand = {
  isSetting: true,
  reads(read: Reads, { account: name, priceList }: SetAccount): void {
    const account = read.one(accountByName, name);
    if (account) readDestinations(read, account.id);
    if (priceList !== undefined) read.one(priceListByName, priceList);
  },
  decide: decideSetAccount,
};

/** Changes an account. The credit limit must cover the present debt, because no balance may be below its limit (M2). */
function decideSetAccount(rows: Rows, command: SetAccount): Decided<LowBalance | null> {
  const row: AccountRow | undefined = rows.one(accountByName, command.account);
  if (!row) return missing(`there is no account named ${command.account}`);
  const list = command.priceList === undefined ? undefined : rows.one(priceListByName, command.priceList);
  if (command.priceList !== undefined && !list) return missing(`there is no price list named ${command.priceList}`);
  if (list && list.currency !== row.currency) {
    const detail = `price list ${list.name} is in ${list.currency}, but the account pays in ${row.currency}: use a price list in ${row.currency}`;
    return refused({ code: 'invalid_parameter', field: 'priceList', detail });
  }
  const { rules: before } = row;
  const useless = command.rules && uselessIn(before, command.rules);
  if (useless) return refused({ code: 'invalid_parameter', ...useless });
  const rules = command.rules ? changeRules(before, command.rules) : before;
  const settings = { ...command.settings, rules, priceList: list?.id ?? row.priceList };
  const { creditLimit = row.creditLimit, timeZone = row.timeZone } = command.settings;
  if (command.settings.creditLimit !== undefined && row.balance < -creditLimit) {
    const detail = `the account owes ${formatMicros(toMicros(-row.balance))} now: its credit limit must not be lower than this`;
    return refused({ code: 'invalid_parameter', field: 'creditLimit', detail });
  }
  if (timeZone !== row.timeZone) {
    const { day, month } = spentAt(row.spent, row, command.at);
    const [dayEndsAt, monthEndsAt] = [endOfDay(command.at, timeZone), endOfMonth(command.at, timeZone)];
    row.spent = { day, dayEndsAt, month, monthEndsAt };
  }
  const order = wrongOrderOf({ ...row, ...command.settings });
  if (order) return order;
  beginRetentionAgain(rows, row, command.settings);
  const isNewLimit = creditLimit !== row.creditLimit;
  rewrite(row, settings);
  if (isNewLimit) setLimit(rows, row);
  if (command.settings.lowBalance === undefined) return ok(null);
  forgetLowBalance(row);
  return ok(raiseLowBalance(rows, row, command.at) ?? null);
}

/**
 * Stores a new credit limit, which applies from the next ledger entry. The shared charge entry is closed, because one
 * entry must have one limit.
 */
function setLimit(rows: Rows, row: AccountRow): void {
  rows.charges.delete(row.id);
  const { id: account, creditLimit } = row;
  rows.put(accountLimitTable, { account, afterEntry: row.lastEntry, creditLimit });
}

type Days = Pick<AccountSettings, 'textDays' | 'numberDays' | 'recordDays'>;

/** A text without its number, or a number without its message, cannot be kept. */
function wrongOrderOf({ textDays, numberDays, recordDays }: Days) {
  if (textDays > numberDays) {
    const detail = `must be at least ${textDays}, the number of days for texts: a text is kept with its number`;
    return refused({ code: 'invalid_parameter', field: 'numberDays', detail } as const);
  }
  if (numberDays <= recordDays) return undefined;
  const detail = `must be at least ${numberDays}, the number of days for numbers: a number is kept with its message`;
  return refused({ code: 'invalid_parameter', field: 'recordDays', detail } as const);
}

const deleteRetention = effect<[what: string, inboundWhat: string, days: number]>()('retention.delete');

/** The removal for the new number of days has passed older messages of the account, so it begins again. */
function beginRetentionAgain(rows: Rows, row: AccountRow, { textDays, numberDays, recordDays }: Partial<Days>): void {
  const again = (what: string, days: number | undefined, before: number) => {
    if (days === undefined || days >= before) return;
    rows.run(deleteRetention, what, `inbound-${what}`, days);
  };
  again('texts', textDays, row.textDays);
  again('numbers', numberDays, row.numberDays);
  again('records', recordDays, row.recordDays);
}

interface SetAccountStatus {
  readonly at: Instant;
  readonly account: string;
  readonly status: AccountStatus;
}

export const setAccountStatusCommand = {
  isSetting: true,
  reads(read: Reads, { account: name, status, at }: SetAccountStatus): void {
    const account = read.one(accountByName, name);
    if (account && status === 'removed') readUsesOf(read, account.id, at);
  },
  decide(rows: Rows, { account: name, status, at }: SetAccountStatus): Decided<null> {
    const account = rows.one(accountByName, name);
    if (!account) return missing(`there is no account named ${name}`);
    if (status === 'removed') {
      const reason = reasonToKeep(rows, account, at);
      if (reason !== undefined) return inUse(reason);
      removeAccount(rows, account);
      return ok(null);
    }
    account.status = status;
    touch(account);
    return ok(null);
  },
};

function settingsOf(command: AccountSettings): AccountSettings {
  const { creditLimit, partsMax, receiptWaitMs, refundPolicy, timeZone, lowBalance, dayCap, monthCap } = command;
  const { rules, from, marginMin, belowMargin, smppBinds, smppWindow, smppDataCoding0, smppLong } = command;
  const { textDays, numberDays, recordDays, storeText } = command;
  const smpp = { smppBinds, smppWindow, smppDataCoding0, smppLong };
  const money = { creditLimit, lowBalance, dayCap, monthCap, marginMin, belowMargin };
  return {
    ...money,
    partsMax,
    receiptWaitMs,
    refundPolicy,
    timeZone,
    rules,
    from,
    ...smpp,
    textDays,
    numberDays,
    recordDays,
    storeText,
  };
}
