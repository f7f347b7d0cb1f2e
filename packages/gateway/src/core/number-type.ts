import metadata from 'libphonenumber-js/metadata.max';

/*
 * Where a number is and what it costs to call, by libphonenumber's patterns. Those of a country are compiled when the first
 * number of it is asked for, and kept: there are some 250 countries, and a number is asked a few patterns of one.
 */

/** What the metadata say of a number. */
export interface NumberType {
  /** Its region as ISO 3166-1 has it, or undefined: a code of no region, such as +882 of satellite and other networks. */
  readonly region: string | undefined;
  /** Of premium rate or shared cost: whoever sends there may be paid for it. */
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
}

const countryCodeMax = 3;
/** By country code, the plans that share it, the main one first. */
const plansByCode = new Map<string, readonly Plan[]>();

/** `digits` is the international form without its plus, of a number that can exist (`number-plan.ts`). */
export function numberType(digits: string): NumberType {
  const code = countryCodeOf(digits);
  const plans = plansOf(code);
  const national = digits.slice(code.length);
  const plan = plans.length === 1 ? plans[0] : (planOf(plans, national) ?? plans[0]);
  if (!plan) return unheardOf;
  return {
    region: plan.region,
    isPremium: plan.premium.test(national),
    isKnown: plan.known.test(national),
  };
}

/** Whether there are numbers of a region, which is written as in ISO 3166-1: `CH`. */
export function isRegion(region: string): boolean {
  return Object.hasOwn(metadata.countries, region);
}

const unheardOf: NumberType = { region: undefined, isPremium: false, isKnown: false };

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
    if (plansByCode.has(code) || Object.hasOwn(codes, code)) return code;
  }
  return digits.slice(0, countryCodeMax);
}

function plansOf(code: string): readonly Plan[] {
  const compiled = plansByCode.get(code);
  if (compiled) return compiled;
  const plans = compilePlans(code);
  // What is no country code is not kept: there is no end of those.
  if (plans.length > 0) plansByCode.set(code, plans);
  return plans;
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
  return {
    region,
    leading: typeof leading === 'string' ? new RegExp(`^(?:${leading})`) : undefined,
    premium: anyOf([types[premiumAt], types[sharedCostAt]]),
    known: anyOf(types),
  };
}

const nothing = /(?!)/;

/** All of a national number, by one of these types. A pattern that is empty is that of another type once more. */
function anyOf(types: readonly unknown[]): RegExp {
  const patterns = types.flatMap((type) => {
    const pattern: unknown = Array.isArray(type) ? type[0] : undefined;
    return typeof pattern === 'string' && pattern !== '' ? [`(?:${pattern})`] : [];
  });
  return patterns.length === 0 ? nothing : new RegExp(`^(?:${patterns.join('|')})$`);
}
