/* Accounts, their encryption keys, and how their clients authenticate: tokens and logins. */

import type { AccountStatus } from '../../core/account/account.ts';
import type { LimitCount, LimitingRule } from '../../core/account/limits.ts';
import { completeRules, type AccountRules, type RulesChange } from '../../core/account/rules.ts';
import type { DefaultCoding, RefundPolicy, RuleName, SmppLong, StoreText } from '@morsel/api/values/account.ts';
import { parseRange, type AddressRange, type AllowList } from '@morsel/api/values/address-range.ts';
import type { TokenScope } from '@morsel/api/values/credentials.ts';
import { formatMarginMin, parseMarginMin, type MarginMin, type MarginMode } from '@morsel/api/values/margin.ts';
import { toMicros, type Micros } from '@morsel/api/values/money.ts';
import {
  bytes,
  idOf,
  integer,
  json,
  keyed,
  micros,
  named,
  nullable,
  personal,
  refersTo,
  sealed,
  text,
  within,
  word,
  written,
} from './column.ts';
import { by } from './lookup.ts';
import { group, table, type RowOf } from './table.ts';

/** Networks that clients may connect from. */
export const allowed = named(
  'allowed_from',
  json<AllowList<AddressRange>>({
    read: (list: AllowList<string>) => (list === 'any' ? list : list.map(rangeOf)),
    write: (ranges) => (ranges === 'any' ? ranges : ranges.map((range) => range.text)),
  }),
);

/** A list of networks. */
export const ranges = json<readonly AddressRange[]>({
  read: (list: readonly string[]) => list.map(rangeOf),
  write: (list) => list.map((range) => range.text),
});

function rangeOf(stored: string): AddressRange {
  const range = parseRange(stored);
  // If a network that cannot be read were ignored, fewer clients could connect than the operator allowed.
  if (!range) throw new Error('a stored list of IP addresses cannot be read');
  return range;
}

/** Amounts are stored as strings, because numbers in JSON are floats. */
const amounts = json<readonly Micros[]>({
  read: (list: readonly string[]) => list.map((each) => toMicros(BigInt(each))),
  write: (list) => list.map(String),
});

const marginMin = written<MarginMin>({
  read: (stored) => {
    const parsed = parseMarginMin(stored);
    if (!parsed.ok) throw new Error('a stored margin cannot be read');
    return parsed.value;
  },
  write: formatMarginMin,
});

/** The account's spending in the present day and month. */
const spentMembers = { day: micros, dayEndsAt: integer, month: micros, monthEndsAt: integer };

/** What traffic changes in an account. Settings have none of it. */
export const accountFigures = {
  balance: micros,
  spent: group(spentMembers),
  /** The lowest threshold that the account was notified of since its balance last rose. */
  alertedBelow: nullable(micros),
  /** The id and time of the account's newest entry; 0 before the first. No later entry has a lower id or time. */
  lastEntry: integer,
  lastEntryAt: integer,
  /** When the bucket of the account's rate will be full again, in microseconds since 1970; 0 if it was never used. */
  rateFullAt: integer,
  /** How often the account's list of opt-outs was changed. */
  optOutChanges: integer,
};

export const accountTable = table('account', {
  isAudited: true,
  key: ['id'],
  ids: 'operator',
  indexes: {
    account_name: { on: ['name'], isUnique: true },
    account_price_list: { on: ['price_list', 'name'] },
    account_low: { on: ['id'], where: [{ alerted_below: { not: null } }] },
    account_capped: { on: ['id'], where: [{ day_cap: { not: null } }, { month_cap: { not: null } }] },
  },
  fixed: {
    id: integer,
    name: text,
    currency: text,
    createdAt: integer,
    priceList: idOf('price_list'),
    creditLimit: within({ min: 0 }, micros),
    partsMax: within({ min: 1, max: 255 }, integer),
    receiptWaitMs: within({ min: 1 }, integer),
    refundPolicy: word<RefundPolicy>(),
    timeZone: text,
    lowBalance: amounts,
    dayCap: nullable(within({ min: 0 }, micros)),
    monthCap: nullable(within({ min: 0 }, micros)),
    // A stored row lacks settings that are newer than the row. They get their defaults.
    rules: nullable(json<AccountRules>({ read: (rules: RulesChange) => completeRules(rules) })),
    from: allowed,
    marginMin: nullable(marginMin),
    belowMargin: word<MarginMode>(),
    smppBinds: integer,
    smppWindow: integer,
    defaultCoding: word<DefaultCoding>(),
    smppLong: word<SmppLong>(),
    /** For how many days texts, phone numbers and other data of messages are kept. */
    textDays: within({ min: 1 }, integer),
    numberDays: within({ min: 'text_days' }, integer),
    recordDays: within({ min: 'number_days' }, integer),
    storeText: word<StoreText>(),
    callbackAllow: ranges,
    /** Signs the callbacks of messages. Null: the account has no callbacks. */
    callbackSecret: nullable(sealed),
  },
  moving: { status: word<AccountStatus>(), ...accountFigures },
});

export type AccountRow = RowOf<typeof accountTable>;

export const accountById = by(accountTable, ['id']);
export const accountByName = by(accountTable, ['name']);

/** The keys that seal the texts of an account. Account 0 is the gateway itself. */
export const encryptionKeyTable = table('encryption_key', {
  key: ['account', 'version'],
  fixed: { account: integer, version: integer, createdAt: integer },
  moving: {
    /** The key, encrypted with the master key. */
    wrapped: keyed(bytes),
  },
});
export type EncryptionKeyRow = RowOf<typeof encryptionKeyTable>;
export const keysOfAccount = by(encryptionKeyTable, ['account']);

/** Former and present credit limits of accounts. Each limit applies to the entries after `afterEntry`. */
export const accountLimitTable = table('account_limit', {
  isAudited: true,
  key: ['account', 'after_entry'],
  fixed: { account: idOf('account'), afterEntry: integer, creditLimit: within({ min: 0 }, micros) },
});
export type LimitRow = Omit<RowOf<typeof accountLimitTable>, 'change'>;

export const tokenTable = table('token', {
  isAudited: true,
  key: ['id'],
  indexes: { token_account: { on: ['account', 'created_at'] }, token_newest: { on: ['created_at'] } },
  fixed: {
    id: text,
    account: idOf('account'),
    hash: bytes,
    scopes: json<readonly TokenScope[]>(),
    from: allowed,
    createdAt: integer,
  },
  moving: { expiresAt: nullable(integer), revokedAt: nullable(integer) },
});
export type TokenRow = RowOf<typeof tokenTable>;
export const tokenById = by(tokenTable, ['id']);

/** The use of each token by day (in UTC, counted from 1970). */
export const tokenDayTable = table('token_day', {
  key: ['token', 'day'],
  indexes: { token_day_newest: { on: ['day', 'token'] } },
  fixed: {
    token: refersTo('token', text),
    day: integer,
    /** Requests that the token authenticated, whatever their result was. */
    requests: integer,
    /** Messages that were accepted and charged. */
    messages: integer,
    lastAt: integer,
  },
  sums: ['requests', 'messages'],
});

/** N, r and p of scrypt (RFC 7914, section 2), as they were when the password was set. */
export const passwordMembers = { hash: bytes, salt: bytes, cost: integer, block: integer, lanes: integer };

export const loginMembers = {
  id: integer,
  account: integer,
  /** Databases know a word `user` of their own. */
  user: named('user_name', text),
  password: group(passwordMembers),
  from: allowed,
};

export const loginTable = table('login', {
  isAudited: true,
  key: ['id'],
  ids: 'operator',
  indexes: {
    login_account: { on: ['account'] },
    login_user: { on: ['user_name'], isUnique: true, where: [{ removed_at: null }] },
  },
  fixed: { id: integer, account: idOf('account'), user: loginMembers.user, createdAt: integer },
  moving: {
    password: loginMembers.password,
    from: allowed,
    removedAt: nullable(integer),
    lastBindAt: nullable(integer),
  },
});
export type LoginRow = RowOf<typeof loginTable>;
/** Selects rows that are not removed. Rows of removed objects stay in the table. */
export const isThere = { member: 'removedAt', is: null } as const;
/** Only logins that are not removed, because the name of a removed login is free. */
export const loginByUser = by(loginTable, ['user'], isThere);
export const loginsOfAccount = by(loginTable, ['account'], isThere);

/**
 * How many messages with one subject a limit of an account has counted lately. A subject is a receiver, first digits, or
 * a text to a receiver, hashed with the gateway's key for hashes. Messages counted in another period have another row.
 */
export const limitCountTable = table('limit_count', {
  isShared: true,
  key: ['account', 'rule', 'seconds', 'subject'],
  indexes: { limit_count_expires: { on: ['expires_at'] } },
  fixed: {
    account: idOf('account'),
    rule: word<LimitingRule>(),
    seconds: integer,
    subject: personal('row', keyed(text)),
  },
  moving: { slices: json<LimitCount['slices']>(), expiresAt: integer },
});
export const limitCountOf = by(limitCountTable, ['account', 'rule', 'seconds', 'subject']);

/** How often an account's messages broke a rule, and the last message that did. */
export const ruleHitTable = table('rule_hit', {
  erased: 'numbers',
  key: ['account', 'rule'],
  indexes: { rule_hit_newest: { on: ['last_at'] } },
  fixed: {
    account: idOf('account'),
    rule: word<RuleName>(),
    /** Messages that broke the rule and were sent, because it was only watched; and refused messages. */
    watched: integer,
    refused: integer,
    firstAt: integer,
    lastAt: integer,
    sender: personal('number', text),
    receiver: personal('number', text),
  },
  sums: ['watched', 'refused'],
  kept: ['firstAt'],
});

/** How often an account's messages broke a rule in a slot of ten minutes. */
export const ruleSlotTable = table('rule_slot', {
  key: ['slot', 'account', 'rule'],
  fixed: { slot: integer, account: idOf('account'), rule: word<RuleName>(), broken: integer, refused: integer },
  sums: ['broken', 'refused'],
});

/** The newest refused requests of each account, without texts, and with most digits of numbers hidden. */
export const refusalTable = table('refusal', {
  key: ['id'],
  ids: 'traffic',
  indexes: { refusal_account: { on: ['account', 'id'] }, refusal_request: { on: ['request_id'] } },
  fixed: {
    id: integer,
    at: integer,
    /** The name of the account; empty if the request named none. */
    account: text,
    code: text,
    /** Over HTTP the id of the request; over SMPP the session and the sequence number. */
    requestId: text,
    /** The endpoint or the SMPP command. */
    operation: nullable(text),
    field: nullable(text),
    rule: nullable(text),
    /** The receiver's number, with most digits hidden. */
    receiver: nullable(personal('row', text)),
  },
});
export type RefusalRow = Readonly<Omit<RowOf<typeof refusalTable>, 'change' | 'id'>>;

/** How many requests of an account were refused with a code in an hour, and the newest refusal. */
export const refusalHourTable = table('refusal_hour', {
  key: ['hour', 'account', 'code'],
  fixed: { hour: integer, account: text, code: text, refusals: integer, lastAt: integer, requestId: text },
  sums: ['refusals'],
});
