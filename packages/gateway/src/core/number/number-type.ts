import metadata from 'libphonenumber-js/metadata.max';
import { beginningOf } from './pattern-beginning.ts';

/*
 * Where a number is and what it costs to call, by libphonenumber's patterns. Those of a country are compiled when the first
 * number of it is asked for, and kept: there are some 250 countries, and a number is asked a few patterns of one.
 */

/** What the metadata say of a number. */
export interface NumberType {
  /**
   * Its region as ISO 3166-1 has it, or undefined: a code of no region, such as +882 of satellite and other networks, or a
   * number that fits none of the regions that share its code.
   */
  readonly region: string | undefined;
  /** Where it fits none: the regions that it may be of all the same. */
  readonly mayBeOf: readonly string[];
  /**
   * Of premium rate or shared cost: whoever sends there may be paid for it. A number that was not given out is, too, if it
   * begins as such numbers do.
   */
  readonly isPremium: boolean;
  /** In a range that was given out, of whatever type. */
  readonly isKnown: boolean;
}

/** Places in a plan of the metadata, and in its list of types; each of those is its pattern with its lengths, or 0. */
const leadingDigitsAt = 10;
const typesAt = 11;
const premiumAt = 3;
const sharedCostAt = 9;

interface Plan {
  readonly region: string | undefined;
  /** How all of its numbers begin, where it shares its country code; undefined where only the patterns tell. */
  readonly leading: RegExp | undefined;
  readonly premium: RegExp;
  readonly known: RegExp;
  /** The patterns of premium numbers, as they stand in the metadata. */
  readonly premiumPatterns: readonly string[];
}

/** What there is under a country code. */
interface Code {
  /** The plans that share it, the main one first. */
  readonly plans: readonly Plan[];
  /** How premium numbers of any of them begin. */
  readonly premiumBeginning: RegExp;
  /** Regions that a number which fits no plan may be of. */
  readonly unsure: readonly string[];
  /** The plan of such a number, where only one is left. */
  readonly rest: Plan | undefined;
}

const countryCodeMax = 3;
const codesByDigits = new Map<string, Code>();

/** `digits` is the international form without its plus, of a number that can exist (`number-plan.ts`). */
export function numberType(digits: string): NumberType {
  const countryCode = countryCodeOf(digits);
  const code = codeOf(countryCode);
  if (!code) return unheardOf;
  const { plans } = code;
  const national = digits.slice(countryCode.length);
  const plan = plans.length === 1 ? plans[0] : (planOf(plans, national) ?? code.rest);
  if (plan?.known.test(national) === true) {
    return { region: plan.region, mayBeOf: nowhere, isPremium: plan.premium.test(national), isKnown: true };
  }
  return {
    region: plan?.region,
    mayBeOf: plan ? nowhere : code.unsure,
    isPremium: code.premiumBeginning.test(national),
    isKnown: false,
  };
}

/** Whether there are numbers of a region, which is written as in ISO 3166-1: `CH`. */
export function isRegion(region: string): boolean {
  return Object.hasOwn(metadata.countries, region);
}

const nowhere: readonly string[] = [];
const unheardOf: NumberType = { region: undefined, mayBeOf: nowhere, isPremium: false, isKnown: false };

/** Of several regions with one country code: the one whose leading digits it has, or of which it is a number of some type. */
function planOf(plans: readonly Plan[], national: string): Plan | undefined {
  return plans.find((plan) => (plan.leading ?? plan.known).test(national));
}

const codes: { readonly [code: string]: readonly string[] } = metadata.country_calling_codes;
const nonGeographic: { readonly [code: string]: unknown } = metadata.nonGeographic;

/** No country code is the start of another (E.164 section 6.1), so the first that is known is the only one. */
function countryCodeOf(digits: string): string {
  for (let length = 1; length < countryCodeMax; length++) {
    const code = digits.slice(0, length);
    if (codesByDigits.has(code) || Object.hasOwn(codes, code)) return code;
  }
  return digits.slice(0, countryCodeMax);
}

function codeOf(digits: string): Code | undefined {
  const compiled = codesByDigits.get(digits);
  if (compiled) return compiled;
  const plans = compilePlans(digits);
  // What is no country code is not kept: there is no end of those.
  if (plans.length === 0) return undefined;
  const code = compileCode(plans);
  codesByDigits.set(digits, code);
  return code;
}

function compileCode(plans: readonly Plan[]): Code {
  // Those whose leading digits are known are tried by these; a number without them is of none of them.
  const open = plans.filter((plan) => plan.leading === undefined);
  const [main] = plans;
  const beginnings = new Set(plans.flatMap((plan) => plan.premiumPatterns).map((each) => beginningOf(each)));
  return {
    plans,
    premiumBeginning: beginnings.size === 0 ? nothing : new RegExp(`^(?:${[...beginnings].join('|')})`),
    unsure: (open.length > 0 ? open : plans).flatMap(({ region }) => region ?? []),
    rest: open.length === 1 && open[0] === main ? main : undefined,
  };
}

function compilePlans(code: string): Plan[] {
  const regions = Object.hasOwn(codes, code) ? (codes[code] ?? []) : [];
  const countries: { readonly [region: string]: unknown } = metadata.countries;
  const plans = regions.map((region) => compilePlan(region, countries[region]));
  return Object.hasOwn(nonGeographic, code) ? [...plans, compilePlan(undefined, nonGeographic[code])] : plans;
}

function compilePlan(region: string | undefined, plan: unknown): Plan {
  const fields: readonly unknown[] = Array.isArray(plan) ? plan : [];
  const types: readonly unknown[] = Array.isArray(fields[typesAt]) ? fields[typesAt] : [];
  const leading = fields[leadingDigitsAt];
  const premiumTypes = [types[premiumAt], types[sharedCostAt]];
  return {
    region,
    leading: typeof leading === 'string' ? new RegExp(`^(?:${leading})`) : undefined,
    premium: anyOf(premiumTypes),
    known: anyOf(types),
    premiumPatterns: patternsOf(premiumTypes),
  };
}

const nothing = /(?!)/;

/** All of a national number, by one of these types. */
function anyOf(types: readonly unknown[]): RegExp {
  const patterns = patternsOf(types).map((pattern) => `(?:${pattern})`);
  return patterns.length === 0 ? nothing : new RegExp(`^(?:${patterns.join('|')})$`);
}

/** A pattern that is empty is that of another type once more. */
function patternsOf(types: readonly unknown[]): string[] {
  return types.flatMap((type) => {
    const pattern: unknown = Array.isArray(type) ? type[0] : undefined;
    return typeof pattern === 'string' && pattern !== '' ? [pattern] : [];
  });
}
