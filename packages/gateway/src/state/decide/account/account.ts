/* Decisions of the operations on accounts. */

import { formatMicros, toMicros, zeroMicros, type Micros } from '@morsel/api/values/money.ts';
import { ok } from '@morsel/api/values/result.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import type { AccountSettings, AccountStatus } from '../../../core/account/account.ts';
import { changeRules, uselessIn, type AccountRules, type RulesChange } from '../../../core/account/rules.ts';
import { endOfDay, endOfMonth } from '../../../core/money/calendar.ts';
import { spentAt } from '../../../core/money/ledger.ts';
import { noAccount } from '../../../core/named.ts';
import { addFirstKey, seal } from '../../rows/keys.ts';
import { effect } from '../../tables/lookup.ts';
import { rewrite, touch, type Rows } from '../../rows/rows.ts';
import { accountByName, accountLimitTable, accountTable, type AccountRow } from '../../tables/account.ts';
import { priceListByName } from '../../tables/price.ts';
import { invalid } from '../../../core/base/rejection.ts';
import { exists, inUse, missing } from '../decided.ts';
import type { Decision } from '../decision.ts';
import { post } from '../money/entry.ts';
import { priceListNamed } from '../money/price-list-named.ts';
import { checkRanges } from '../notification/allowed-ranges.ts';
import { forgetLowBalance, raiseLowBalance } from '../notification/low-balance.ts';
import { destinationsOf } from '../notification/notification.ts';
import { reasonToKeep, removeAccount } from './remove-account.ts';

/** The price list of an account whose request names no price list. It is created with the first such account. */
const defaultPriceList = 'default';

type Add = Decision<'account.add', RulesChange>;
const add: Add = (rows, { name, currency, balance, priceList, ...given }, { at, by, made }) => {
  const useless = uselessIn(null, made);
  if (useless) return invalid(useless.field, useless.detail);
  if (rows.one(accountByName, name)) return exists(`an account named ${name} exists already`);
  if (priceList !== defaultPriceList && !rows.one(priceListByName, priceList)) {
    return missing(`there is no price list named ${priceList}: set a price in it first`);
  }
  const order = wrongOrderOf(given);
  if (order) return order;
  const narrow = checkRanges(given.callbackAllow, 'callbackAllow');
  if (!narrow.ok) return narrow;
  const list = priceListNamed(rows, { name: priceList, currency, at });
  if (!list.ok) return list;
  const row: AccountRow = rows.add(accountTable, {
    ...given,
    id: rows.nextId(accountTable),
    name,
    currency,
    priceList: list.value.id,
    receiptWaitMs: given.receiptWaitSeconds * secondMs,
    lowBalance: highestFirst(given.lowBalance),
    rules: changeRules(null, made),
    callbackSecret: null,
    createdAt: at,
    status: 'active',
    balance: zeroMicros,
    spent: { day: zeroMicros, dayEndsAt: 0, month: zeroMicros, monthEndsAt: 0 },
    alertedBelow: null,
    lastEntry: 0,
    lastEntryAt: 0,
    rateFullAt: 0,
    optOutChanges: 0,
  });
  addFirstKey(rows, row.id, at);
  setLimit(rows, row);
  if (balance !== 0n) post(rows, row, { kind: 'top-up', amount: balance, reason: 'opening balance', actor: by, at });
  return ok(null);
};

/** The credit limit must cover the present debt, because no balance may be below its limit (M2). */
const set: Decision<'account.set', RulesChange> = (rows, { account: name, priceList, ...given }, { at, made }) => {
  const row: AccountRow | undefined = rows.one(accountByName, name);
  if (!row) return noAccount(name);
  // A low balance creates a notification. An earlier command of the commit may cause it, so this is always read.
  destinationsOf(rows, row.id);
  const list = priceList === undefined ? undefined : rows.one(priceListByName, priceList);
  if (priceList !== undefined && !list) return missing(`there is no price list named ${priceList}`);
  if (list && list.currency !== row.currency) {
    const detail = `price list ${list.name} is in ${list.currency}, but the account pays in ${row.currency}: use a price list in ${row.currency}`;
    return invalid('priceList', detail);
  }
  const useless = uselessIn(row.rules, made);
  if (useless) return invalid(useless.field, useless.detail);
  const { creditLimit = row.creditLimit, timeZone = row.timeZone, receiptWaitSeconds, lowBalance } = given;
  if (given.creditLimit !== undefined && row.balance < -creditLimit) {
    const owes = `the account owes ${formatMicros(toMicros(-row.balance))} now`;
    return invalid('creditLimit', `${owes}: its credit limit must not be lower than this`);
  }
  const { textDays = row.textDays, numberDays = row.numberDays, recordDays = row.recordDays } = given;
  const order = wrongOrderOf({ textDays, numberDays, recordDays });
  if (order) return order;
  const narrow = checkRanges(given.callbackAllow ?? [], 'callbackAllow');
  if (!narrow.ok) return narrow;
  if (timeZone !== row.timeZone) {
    const { day, month } = spentAt(row.spent, row, at);
    row.spent = { day, dayEndsAt: endOfDay(at, timeZone), month, monthEndsAt: endOfMonth(at, timeZone) };
  }
  beginRetentionAgain(rows, row, { textDays, numberDays, recordDays });
  const isNewLimit = creditLimit !== row.creditLimit;
  const rules = changeRules(row.rules, made);
  rewrite(row, {
    ...given,
    priceList: list?.id,
    receiptWaitMs: receiptWaitSeconds && receiptWaitSeconds * secondMs,
    lowBalance: lowBalance && highestFirst(lowBalance),
    rules,
    // Otherwise an account with a higher rate would still wait as long as under the former one.
    rateFullAt: rateText(rules) === rateText(row.rules) ? undefined : 0,
  });
  if (isNewLimit) setLimit(rows, row);
  if (lowBalance === undefined) return ok(null);
  forgetLowBalance(row);
  raiseLowBalance(rows, row, at);
  return ok(null);
};

const setStatus =
  (status: AccountStatus): Decision<'account.suspend' | 'account.resume'> =>
  (rows, { account: name }) => {
    const row = rows.one(accountByName, name);
    if (!row) return noAccount(name);
    row.status = status;
    touch(row);
    return ok(null);
  };

const remove: Decision<'account.remove'> = (rows, { account: name }, { at }) => {
  const row = rows.one(accountByName, name);
  if (!row) return noAccount(name);
  const reason = reasonToKeep(rows, row, at);
  if (reason !== undefined) return inUse(reason);
  removeAccount(rows, row);
  return ok({ account: name });
};

/** Only this answer ever shows the secret. A former secret signs nothing any more. */
const callbackSecret: Decision<'account.callbackSecret', string> = (rows, { account: name }, { made }) => {
  const row: AccountRow | undefined = rows.one(accountByName, name);
  if (!row) return noAccount(name);
  const { id } = row;
  rewrite(row, { callbackSecret: seal(rows, { account: id, column: 'account.callback_secret', id }, made) });
  return ok({ account: name, secret: made });
};

export const accountDecisions = {
  'account.add': add,
  'account.set': set,
  'account.suspend': setStatus('suspended'),
  'account.resume': setStatus('active'),
  'account.remove': remove,
  'account.callbackSecret': callbackSecret,
};

function rateText(rules: AccountRules | null): string {
  return JSON.stringify([rules?.rate, rules?.burst]);
}

/** Sorts the thresholds, the highest first, without duplicates. */
function highestFirst(thresholds: readonly Micros[]): readonly Micros[] {
  return [...new Set(thresholds)].toSorted((one, other) => (one < other ? 1 : -1));
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

/** A text cannot be kept longer than its number, nor a number longer than its message. */
function wrongOrderOf({ textDays, numberDays, recordDays }: Days) {
  if (textDays > numberDays) {
    const detail = `must be at least ${textDays}, the number of days for texts: a text is kept with its number`;
    return invalid('numberDays', detail);
  }
  if (numberDays <= recordDays) return undefined;
  const detail = `must be at least ${numberDays}, the number of days for numbers: a number is kept with its message`;
  return invalid('recordDays', detail);
}

const deleteRetention = effect<[what: string, inboundWhat: string, days: number]>()('retention.delete');

/** A shorter retention applies to older messages, too, so the account's removal begins again at the oldest. */
function beginRetentionAgain(rows: Rows, row: AccountRow, { textDays, numberDays, recordDays }: Days): void {
  const again = (what: string, days: number, before: number) => {
    if (days >= before) return;
    rows.run(deleteRetention, what, `inbound-${what}`, days);
  };
  again('texts', textDays, row.textDays);
  again('numbers', numberDays, row.numberDays);
  again('records', recordDays, row.recordDays);
}
