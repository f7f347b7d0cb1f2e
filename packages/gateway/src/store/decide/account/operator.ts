/* Decisions on the operator's commands about accounts, tokens and carriers. */

import { changeRules, uselessIn } from '../../../core/account/rules.ts';
import type { Account, AccountSettings } from '../../../core/account/account.ts';
import { endOfDay, endOfMonth } from '../../../core/money/calendar.ts';
import { checkCarrier } from '../../../core/routing/carrier.ts';
import { profileOf } from '../../../core/routing/carrier-profile.ts';
import { spentAt } from '../../../core/money/ledger.ts';
import { formatMicros, toMicros, zeroMicros } from '@morsel/api/values/money.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { AddAccount, SetAccount, SetAccountStatus } from '../../commands/account.ts';
import type { AddCarrier, SetCarrier, SetCarrierStatus } from '../../commands/carrier.ts';
import type { AddToken, Results, RevokeToken, RotateToken } from '../../commands/commands.ts';
import { tokenUseKey } from '../../commands/counts.ts';
import type { TokenUse } from '../../commands/counts.ts';
import { touch } from '../../tables/rows.ts';
import type { AccountRow, CarrierRow, Rows } from '../../tables/rows.ts';
import { forgetLowBalance, raiseLowBalance } from '../notification/alert.ts';
import { post } from '../money/entry.ts';
import { forgetLearned } from '../routing/learning.ts';
import { priceListNamed } from '../money/price-list-named.ts';

/** The price list of accounts that name none; made with the first of them. */
const defaultPriceList = 'default';

type Decided<K extends keyof Results> = Result<Results[K], Rejection>;

export function decideAddAccount(rows: Rows, command: AddAccount): Decided<'add-account'> {
  if (rows.accountsByName.has(command.name)) return exists(`an account named ${command.name} exists already`);
  const isDefault = command.priceList === defaultPriceList;
  const wanted = { name: command.priceList, currency: command.currency, at: command.at };
  if (!isDefault && !rows.pricing.listsByName.has(command.priceList)) {
    return missing(`there is no price list named ${command.priceList}: set a price in it first`);
  }
  const list = priceListNamed(rows, wanted);
  if (!list.ok) return list;
  const account: Account = {
    id: rows.counters.account++,
    name: command.name,
    currency: command.currency,
    status: 'active',
    priceList: list.value.id,
    ...settingsOf(command),
  };
  const row: AccountRow = {
    change: 'new',
    account,
    createdAt: command.at,
    status: 'active',
    balance: zeroMicros,
    spent: { day: zeroMicros, dayEndsAt: 0, month: zeroMicros, monthEndsAt: 0 },
    alertedBelow: null,
    charge: undefined,
  };
  setLimit(rows, row);
  rows.accounts.set(account.id, row);
  rows.accountsByName.set(account.name, row);
  if (command.balance !== 0n) {
    const { balance: amount, actor, at } = command;
    post(rows, row, { kind: 'top-up', amount, reason: 'opening balance', actor, at });
  }
  return ok({ id: account.id });
}

/** A credit limit may not be set below the present debt: no balance is ever below its limit (M2). */
export function decideSetAccount(rows: Rows, command: SetAccount): Decided<'set-account'> {
  const row = rows.accountsByName.get(command.account);
  if (!row) return missing(`there is no account named ${command.account}`);
  const list = command.priceList === undefined ? undefined : rows.pricing.listsByName.get(command.priceList);
  if (command.priceList !== undefined && !list) return missing(`there is no price list named ${command.priceList}`);
  if (list && list.currency !== row.account.currency) {
    const detail = `price list ${list.name} is in ${list.currency}, and the account pays in ${row.account.currency}`;
    return refused({ code: 'invalid_parameter', field: 'priceList', detail });
  }
  const { rules: before } = row.account;
  const useless = command.rules && uselessIn(before, command.rules);
  if (useless) return refused({ code: 'invalid_parameter', ...useless });
  const rules = command.rules ? changeRules(before, command.rules) : before;
  const account = { ...row.account, ...command.settings, rules, priceList: list?.id ?? row.account.priceList };
  if (command.settings.creditLimit !== undefined && row.balance < -account.creditLimit) {
    const detail = `the account owes ${formatMicros(toMicros(-row.balance))} already: it can have no lower limit`;
    return refused({ code: 'invalid_parameter', field: 'creditLimit', detail });
  }
  if (account.timeZone !== row.account.timeZone) {
    const { day, month } = spentAt(row.spent, row.account, command.at);
    const { timeZone } = account;
    const [dayEndsAt, monthEndsAt] = [endOfDay(command.at, timeZone), endOfMonth(command.at, timeZone)];
    row.spent = { day, dayEndsAt, month, monthEndsAt };
  }
  const isNewLimit = account.creditLimit !== row.account.creditLimit;
  row.account = account;
  if (isNewLimit) setLimit(rows, row);
  row.hasNewSettings = true;
  touch(row);
  if (command.settings.lowBalance === undefined) return ok(null);
  forgetLowBalance(row);
  return ok(raiseLowBalance(rows, row, command.at) ?? null);
}

/** It counts from the next entry on. The shared charge entry is closed, or it would have two limits. */
function setLimit(rows: Rows, row: AccountRow): void {
  row.charge = undefined;
  const { id: account, creditLimit } = row.account;
  rows.limits.push({ account, afterEntry: rows.counters.entry - 1, creditLimit });
}

export function decideSetAccountStatus(rows: Rows, command: SetAccountStatus): Decided<'set-account-status'> {
  const account = rows.accountsByName.get(command.account);
  if (!account) return missing(`there is no account named ${command.account}`);
  account.status = command.status;
  touch(account);
  return ok(null);
}

export function decideAddToken(rows: Rows, command: AddToken): Decided<'add-token'> {
  const account = rows.accountsByName.get(command.account);
  if (!account) return missing(`there is no account named ${command.account}`);
  rows.tokens.set(command.id, {
    change: 'new',
    id: command.id,
    account: account.account.id,
    hash: command.hash,
    scopes: command.scopes,
    from: command.from,
    createdAt: command.at,
    expiresAt: command.expiresAt,
    revokedAt: null,
  });
  return ok({ id: command.id });
}

/**
 * The new token has the account, scopes, addresses and end of the former one. The former one ends at `endsAt` or at its
 * own end, if that is earlier.
 */
export function decideRotateToken(rows: Rows, command: RotateToken): Decided<'rotate-token'> {
  const { id, newId, hash, at } = command;
  const former = rows.tokens.get(id);
  if (!former) return missing(`there is no token with the id ${id}`);
  const account = rows.accounts.get(former.account)?.account.name ?? '';
  if (former.revokedAt !== null || (former.expiresAt !== null && former.expiresAt <= at)) {
    const how = former.revokedAt === null ? 'has expired' : 'is revoked';
    return refused({
      code: 'invalid_parameter',
      field: 'id',
      detail: `token ${id} ${how} already: make another one with token add ${account}`,
    });
  }
  const { expiresAt } = former;
  rows.tokens.set(newId, { ...former, change: 'new', id: newId, hash, createdAt: at });
  const endsAt = Math.min(command.endsAt ?? at, expiresAt ?? Number.POSITIVE_INFINITY);
  if (endsAt === at) former.revokedAt = at;
  else former.expiresAt = endsAt;
  touch(former);
  return ok({ account, endsAt, expiresAt });
}

export function decideRevokeToken(rows: Rows, command: RevokeToken): Decided<'revoke-token'> {
  const token = rows.tokens.get(command.id);
  if (!token) return missing(`there is no token with the id ${command.id}`);
  token.revokedAt ??= command.at;
  touch(token);
  return ok(null);
}

/** Adds to what a token was used for on a day. */
export function addTokenUse(rows: Rows, use: TokenUse): void {
  const key = tokenUseKey(use);
  const known = rows.tokenUses.get(key);
  if (!known) {
    rows.tokenUses.set(key, { ...use });
    return;
  }
  known.requests += use.requests;
  known.messages += use.messages;
  known.lastAt = Math.max(known.lastAt, use.lastAt);
}

export function decideAddCarrier(rows: Rows, command: AddCarrier): Decided<'add-carrier'> {
  if (rows.carriersByName.has(command.name)) return exists(`a carrier named ${command.name} exists already`);
  const { kind: _kind, at, costList, ...settings } = command;
  const list = costListNamed(rows, costList ?? null);
  if (!list.ok) return list;
  const row: CarrierRow = {
    change: 'new',
    carrier: { id: rows.counters.carrier++, ...settings, status: 'active', costList: list.value },
    createdAt: at,
    status: 'active',
  };
  rows.carriers.set(row.carrier.id, row);
  rows.carriersByName.set(row.carrier.name, row);
  return ok({ id: row.carrier.id });
}

export function decideSetCarrier(rows: Rows, command: SetCarrier): Decided<'set-carrier'> {
  const row = rows.carriersByName.get(command.carrier);
  if (!row) return missing(`there is no carrier named ${command.carrier}`);
  const before = command.preset === undefined ? row.carrier.profile : profileOf(command.preset);
  const changed = checkCarrier({ ...row.carrier, ...command.settings, profile: { ...before, ...command.profile } });
  if (!changed.ok) return changed;
  const list = command.costList === undefined ? ok(row.carrier.costList) : costListNamed(rows, command.costList);
  if (!list.ok) return list;
  row.carrier = { ...changed.value, costList: list.value };
  touch(row);
  if (command.settings.idRule !== undefined) forgetLearned(rows, row.carrier.id, command.settings.idRule);
  return ok(null);
}

export function decideSetCarrierStatus(rows: Rows, command: SetCarrierStatus): Decided<'set-carrier-status'> {
  const row = rows.carriersByName.get(command.carrier);
  if (!row) return missing(`there is no carrier named ${command.carrier}`);
  if (command.status === 'removed') {
    const reason = reasonToKeep(rows, row);
    if (reason !== undefined) return inUse(reason);
    rows.carriersByName.delete(command.carrier);
  }
  row.status = command.status;
  touch(row);
  return ok(null);
}

function settingsOf(command: AccountSettings): AccountSettings {
  const { creditLimit, partsMax, receiptWaitMs, refundPolicy, timeZone, lowBalance, dayCap, monthCap } = command;
  const { rules, from, marginMin, belowMargin, smppBinds, smppWindow, smppDataCoding0, smppLong } = command;
  const smpp = { smppBinds, smppWindow, smppDataCoding0, smppLong };
  const money = { creditLimit, lowBalance, dayCap, monthCap, marginMin, belowMargin };
  return { ...money, partsMax, receiptWaitMs, refundPolicy, timeZone, rules, from, ...smpp };
}

/** Costs are stored like prices, in a list of that name. */
function costListNamed(rows: Rows, list: string | null): Result<number | null, Rejection> {
  if (list === null) return ok(null);
  const found = rows.pricing.listsByName.get(list);
  return found ? ok(found.id) : missing(`there is no price list named ${list}: import its costs first`);
}

function reasonToKeep(rows: Rows, row: CarrierRow): string | undefined {
  const { id, name } = row.carrier;
  for (const route of rows.routesByKey.values()) {
    const isIn = route.carriers.some((each) => each.carrier === id && each.removedAt === null);
    if (isIn) return `carrier ${name} has a route for prefix ${shownPrefix(route.prefix)}: remove it first`;
  }
  if (rows.carriersInUse.has(id))
    return `messages still wait for carrier ${name}, or for its answers: let them end first`;
  return undefined;
}

/** Makes the empty prefix visible. */
export function shownPrefix(prefix: string): string {
  return prefix === '' ? '(any)' : prefix;
}

export function exists(detail: string): { ok: false; error: Rejection } {
  return refused({ code: 'already_exists', detail });
}

export function inUse(detail: string): { ok: false; error: Rejection } {
  return refused({ code: 'in_use', detail });
}

export function conflict(detail: string): { ok: false; error: Rejection } {
  return refused({ code: 'conflict', detail });
}

export function missing(detail: string): { ok: false; error: Rejection } {
  return refused({ code: 'does_not_exist', detail });
}
