import { changeRules, uselessIn } from '../core/account/rules.ts';
import type { RulesChange } from '../core/account/rules.ts';
import { accountDefaults } from '../core/account/account.ts';
import { refundPolicies, smppDataCodings0, smppLongs } from '@morsel/api/values/account.ts';
import type { AccountSettings } from '../core/account/account.ts';
import { isTimeZone } from '@morsel/api/values/time.ts';
import { marginModes, parseMarginMin } from '@morsel/api/values/margin.ts';
import type { MarginMin } from '@morsel/api/values/margin.ts';
import { zeroMicros } from '@morsel/api/values/money.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { Rejection } from '../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { hourMs, secondMs } from '@morsel/api/values/time.ts';
import { actor } from './posting.ts';
import {
  amount,
  amountMax,
  currency,
  invalid,
  name,
  oneOf,
  optional,
  orNone,
  readFields,
  wholeNumber,
} from './fields.ts';
import type { Field, Fields } from './fields.ts';
import { allowedAddresses, ruleFields, rulesChangeOf } from './rule-fields.ts';

/* What the operator says of an account. */

/** UDHI counts parts in one octet (3GPP TS 23.040, 9.2.3.24.1). */
const partsMax = 255;
const receiptWaitMax = (30 * 24 * hourMs) / secondMs;
/** Whole units a part, or per cent. */
const marginMax = 1_000_000_000n;
const micros = 1_000_000n;
/** A client with more of either than this wants more accounts. */
const smppBindsMax = 500;
const smppWindowMax = 1_000;
/** Low balances that alerts are raised at. */
const thresholdsMax = 10;
/** As large as an amount can be written: balances grow beyond what is posted at once. */
const thresholdMax = 999_999_999_999;

const timeZone: Field<string> = {
  parse: (text) =>
    isTimeZone(text) ? ok(text) : refused('it has to be the name of a time zone, such as Europe/Zurich'),
};

/** Amounts with commas between them, or none: the highest first. */
const lowBalance: Field<readonly Micros[]> = {
  parse: (text) => {
    if (text === '' || text === 'none') return ok([]);
    const words = text.split(',');
    if (words.length > thresholdsMax) return refused(`it has to be at most ${thresholdsMax} amounts`);
    const amounts: Micros[] = [];
    for (const word of words) {
      const read = amount(-thresholdMax, thresholdMax).parse(word);
      if (!read.ok) return refused(`it has to be amounts with commas between them, such as 50,10: ${read.error}`);
      amounts.push(read.value);
    }
    return ok([...new Set(amounts)].toSorted((a, b) => (a < b ? 1 : -1)));
  },
};

const marginMin: Field<MarginMin> = {
  parse: (text) => {
    const read = parseMarginMin(text);
    if (!read.ok) return read;
    const { leastLeft } = read.value;
    const isWithin = -marginMax * micros <= leastLeft && leastLeft <= marginMax * micros;
    return isWithin ? read : refused(`it has to be from -${marginMax} to ${marginMax}`);
  },
};

const settingFields = {
  creditLimit: amount(0, amountMax),
  partsMax: wholeNumber(1, partsMax),
  receiptWaitSeconds: wholeNumber(1, receiptWaitMax),
  refundPolicy: oneOf(refundPolicies),
  timeZone,
  lowBalance,
  dayCap: orNone(amount(0, amountMax)),
  monthCap: orNone(amount(0, amountMax)),
  from: allowedAddresses,
  marginMin: orNone(marginMin),
  belowMargin: oneOf(marginModes),
  smppBinds: wholeNumber(1, smppBindsMax),
  smppWindow: wholeNumber(1, smppWindowMax),
  smppDataCoding0: oneOf(smppDataCodings0),
  smppLong: oneOf(smppLongs),
};

const newAccountFields = {
  name,
  currency,
  balance: optional(amount(0, amountMax), zeroMicros),
  priceList: optional(name, 'default'),
  actor,
  ...withDefault(settingFields),
  ...ruleFields,
};

interface NewAccount extends AccountSettings {
  readonly name: string;
  readonly currency: string;
  readonly balance: Micros;
  readonly priceList: string;
  readonly actor: string;
}

export function readNewAccount(fields: Fields): Result<NewAccount, Rejection> {
  const read = readFields(newAccountFields, fields);
  if (!read.ok) return read;
  const { name: called, currency: code, balance, priceList, actor: by } = read.value;
  const given = rulesChangeOf(read.value) ?? {};
  const useless = uselessIn(null, given);
  if (useless) return invalid(useless.field, useless.detail);
  const rules = changeRules(null, given);
  const settings = { ...accountDefaults, ...settingsOf(read.value), rules };
  return ok({ name: called, currency: code, balance, priceList, actor: by, ...settings });
}

interface AccountChange {
  readonly account: string;
  readonly priceList: string | undefined;
  readonly settings: Partial<AccountSettings>;
  readonly rules?: RulesChange;
}

/** At least one setting: nothing to change is a slip. */
export function readAccountChange(fields: Fields): Result<AccountChange, Rejection> {
  const table = { account: name, priceList: optional(name, undefined), ...withDefault(settingFields), ...ruleFields };
  const read = readFields(table, fields);
  if (!read.ok) return read;
  const { account, priceList } = read.value;
  const settings = settingsOf(read.value);
  const rules = rulesChangeOf(read.value);
  if (priceList === undefined && Object.keys(settings).length === 0 && rules === undefined) {
    const names = Object.keys({ ...settingFields, ...ruleFields });
    return invalid('account', `name a setting to change: priceList, ${names.join(', ')}`);
  }
  return ok({ account, priceList, settings, ...(rules === undefined ? {} : { rules }) });
}

type Given = { readonly [K in keyof typeof settingFields]: FieldValue<(typeof settingFields)[K]> | undefined };
type FieldValue<F> = F extends Field<infer T> ? T : never;

/** What was given of the settings, and nothing else. */
function settingsOf(read: Given): Partial<AccountSettings> {
  const { receiptWaitSeconds } = read;
  const receiptWaitMs = receiptWaitSeconds === undefined ? undefined : receiptWaitSeconds * secondMs;
  const names: readonly string[] = Object.keys(settingFields).filter((each) => each !== 'receiptWaitSeconds');
  const entries = Object.entries({ ...read, receiptWaitMs }).filter(
    ([each, value]) => value !== undefined && (names.includes(each) || each === 'receiptWaitMs'),
  );
  return Object.fromEntries(entries);
}

function withDefault<T extends { readonly [field: string]: Field<unknown> }>(
  table: T,
): { readonly [K in keyof T]: Field<FieldValue<T[K]> | undefined> } {
  const entries = Object.entries(table).map(([field, reader]) => [field, optional(reader, undefined)]);
  // Each field is the one of its name, optional: this is the maker of the type.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(entries) as { readonly [K in keyof T]: Field<FieldValue<T[K]> | undefined> };
}
