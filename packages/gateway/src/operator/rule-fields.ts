import { numberModes, ruleModes, rulesWithSettings } from '@morsel/api/values/account.ts';
import type { AccountRules, RulesChange } from '../core/account/rules.ts';
import type { Pace, PrefixPace, RuleMode } from '@morsel/api/values/account.ts';
import { parseRange } from '@morsel/api/values/address-range.ts';
import type { AddressRange } from '@morsel/api/values/address-range.ts';
import type { AllowList } from '@morsel/api/values/allow-list.ts';
import { isRegion } from '../core/number/number-type.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { senderKinds } from '../core/account/rule-checks.ts';
import { oneOf, optional, orNone, wholeNumber } from './fields.ts';
import type { Field } from './fields.ts';
import { sender } from './route-fields.ts';

/* What the operator says of the rules of an account, and of the addresses that it may be used from. */

/** Senders, countries or addresses in one list: each is compared with every message of the account. */
const listMax = 1_000;
const paceMax = 100_000;
const secondsMax = 86_400;
const digitsMax = 14;

/** Items with commas between them, or none. */
function list<T>(item: (text: string) => Result<T, string>): Field<readonly T[]> {
  return {
    parse: (text) => {
      if (text === '' || text === 'none') return ok([]);
      const words = text.split(',').map((word) => word.trim());
      if (words.length > listMax) return refused(`it has to be a list of at most ${listMax}`);
      const items: T[] = [];
      for (const word of words) {
        const read = item(word);
        if (!read.ok) return refused(`each of the list: ${read.error}`);
        items.push(read.value);
      }
      return ok(items);
    },
  };
}

/** An operator who writes none may mean either of the two that the sentence names. */
const noneHint = refused('none is not taken here: any allows everything, an empty list ("") allows nothing');

const anyHint = refused(
  'any allows everything, an empty list ("") allows nothing: neither stands in a list with others',
);

/** What is allowed: `any`, or items with commas between them. */
function allowList<T>(item: (text: string) => Result<T, string>): Field<AllowList<T>> {
  const items = list(item);
  return {
    parse: (text) => {
      if (text === 'any') return ok(text);
      const words = text.split(',').map((word) => word.trim());
      if (words.includes('none')) return noneHint;
      return words.includes('any') ? anyHint : items.parse(text);
    },
  };
}

const senders = allowList((text) => (Object.hasOwn(senderKinds, text) ? ok(text) : sender.parse(text)));

const areaHint = refused('it has to be a country such as CH, or the beginning of a number such as +4179');

const beginningPattern = /^\+[1-9]\d{0,14}$/;

const area = (text: string): Result<string, string> => {
  if (text.startsWith('+')) return beginningPattern.test(text) ? ok(text) : areaHint;
  const region = text.toUpperCase();
  return isRegion(region) ? ok(region) : areaHint;
};

const prefixes = allowList((text): Result<string, string> =>
  beginningPattern.test(text) ? ok(text) : refused('it has to be the beginning of a number such as +41900'),
);

function addressRange(text: string): Result<AddressRange, string> {
  const range = parseRange(text);
  return range
    ? ok(range)
    : refused('it has to be an IP address or a range such as 192.0.2.0/24, with no bits behind its length');
}

/** Addresses and ranges of them. */
export const addresses = list(addressRange);

/** Where somebody may connect from. */
export const allowedAddresses = allowList(addressRange);

const pacePattern = /^(\d{1,6})\/(\d{0,5})s$/;
const paceHint = refused(
  `it has to be how many in how long, such as 50/s or 5/60s: up to ${paceMax}, in up to ${secondsMax} seconds`,
);

function readPace(text: string): Result<Pace, string> {
  const [, count, seconds = ''] = pacePattern.exec(text) ?? [];
  const pace = { count: Number(count ?? 0), seconds: seconds === '' ? 1 : Number(seconds) };
  const isGood = pace.count >= 1 && pace.count <= paceMax && pace.seconds >= 1 && pace.seconds <= secondsMax;
  return isGood ? ok(pace) : paceHint;
}

const pace: Field<Pace> = { parse: readPace };

const prefixPace: Field<PrefixPace> = {
  parse: (text) => {
    const [, before = '', digits = ''] = /^(.+)\/(\d{1,2})$/.exec(text) ?? [];
    const read = readPace(before);
    const isGood = Number(digits) >= 1 && Number(digits) <= digitsMax;
    if (!read.ok || !isGood) {
      return refused(
        `it has to be how many in how long to how many digits alike, such as 100/60s/8: up to ${digitsMax} digits`,
      );
    }
    return ok({ ...read.value, digits: Number(digits) });
  },
};

type Modes = AccountRules['modes'];

const modes: Field<Partial<Modes>> = {
  parse: (text) => {
    const given: { [rule: string]: RuleMode } = {};
    if (text === '' || text === 'none') return ok(given);
    for (const word of text.split(',')) {
      const [rule = '', mode] = word.trim().split('=');
      const known = ruleModes.find((each) => each === mode);
      if (!rulesWithSettings.some((each) => each === rule) || known === undefined) {
        return refused(
          `it has to be rules with their modes, such as rate=watch,countries=refuse; rules are ${rulesWithSettings.join(', ')}, modes ${ruleModes.join(', ')}`,
        );
      }
      given[rule] = known;
    }
    return ok(given);
  },
};

const given = <T>(field: Field<T>) => optional(field, undefined);

/** Each of these is left as it is when it is not given. */
export const ruleFields = {
  senders: given(senders),
  allowCountries: given(allowList(area)),
  denyCountries: given(list(area)),
  premium: given(oneOf(numberModes)),
  unknown: given(oneOf(numberModes)),
  fixedLine: given(oneOf(numberModes)),
  allowPrefixes: given(prefixes),
  rate: given(orNone(pace)),
  burst: given(orNone(wholeNumber(1, paceMax))),
  receiverVelocity: given(orNone(pace)),
  prefixVelocity: given(orNone(prefixPace)),
  repeatSeconds: given(orNone(wholeNumber(1, secondsMax))),
  ruleModes: given(modes),
};

type GivenRules = {
  readonly [K in keyof typeof ruleFields]: (typeof ruleFields)[K] extends Field<infer T> ? T : never;
};

/** What of the fields is of the rules, or undefined when nothing of them was given. */
export function rulesChangeOf(read: GivenRules): RulesChange | undefined {
  const { premium, unknown, fixedLine, ruleModes: otherModes } = read;
  const numberMode = (mode: NonNullable<typeof premium>): RuleMode => (mode === 'allow' ? 'off' : mode);
  const changedModes = {
    ...otherModes,
    ...(premium === undefined ? {} : { premium: numberMode(premium) }),
    ...(unknown === undefined ? {} : { unknown: numberMode(unknown) }),
    ...(fixedLine === undefined ? {} : { 'fixed-line': numberMode(fixedLine) }),
  };
  const change = {
    ...whenGiven('senders', read.senders),
    ...whenGiven('allowCountries', read.allowCountries),
    ...whenGiven('denyCountries', read.denyCountries),
    ...whenGiven('allowPrefixes', read.allowPrefixes),
    ...whenGiven('rate', read.rate),
    ...whenGiven('burst', read.burst),
    ...whenGiven('receiverVelocity', read.receiverVelocity),
    ...whenGiven('prefixVelocity', read.prefixVelocity),
    ...whenGiven('repeatSeconds', read.repeatSeconds),
    ...(Object.keys(changedModes).length === 0 ? {} : { modes: changedModes }),
  };
  return Object.keys(change).length === 0 ? undefined : change;
}

function whenGiven<K extends string, T>(name: K, value: T | undefined): { readonly [P in K]?: T } {
  // The one member it may have is the one that the type names.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (value === undefined ? {} : { [name]: value }) as { readonly [P in K]?: T };
}
