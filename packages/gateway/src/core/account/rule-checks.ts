import type { AccountRules } from './rules.ts';
import { senderForm, type Receiver, type Sender, type SenderForm } from '../number/address.ts';
import type { NumberType } from '../number/number-type.ts';
import { PrefixTable } from '../base/prefix-table.ts';

/*
 * Checks of those account rules that depend only on the message. Each check is prepared once and used for every
 * message.
 */

export const senderKinds = {
  'kind:numeric': 'international',
  'kind:alphanumeric': 'alphanumeric',
  'kind:short-code': 'short_code',
} as const satisfies { readonly [kind: string]: SenderForm };

/** Returns the `numberType` of a receiver, computed once for all rules of one message. */
export type TypeOf = (receiver: Receiver) => NumberType;

type Check = (message: { readonly sender: Sender; readonly receiver: Receiver }) => boolean;

/** Whether the account may use a sender. Upper and lower case differ in exact senders. */
export function senderCheck({ senders }: AccountRules): Check {
  if (senders === 'any') return () => true;
  const exact = new Set<string>(senders);
  const beginnings = senders.filter((sender) => sender.endsWith('*')).map((sender) => sender.slice(0, -1));
  const kinds = Object.entries(senderKinds).flatMap(([kind, form]) => (exact.has(kind) ? [form] : []));
  return ({ sender }) =>
    exact.has(sender) ||
    beginnings.some((beginning) => sender.startsWith(beginning)) ||
    (kinds.length > 0 && kinds.includes(senderForm(sender)));
}

/**
 * Whether a receiver is in an allowed country or prefix, and in no denied country or prefix. Several regions may share
 * a country code. If a number fits none of these regions, it counts as outside an allowed region and as inside a denied
 * region.
 */
export function countryCheck({ allowCountries, denyCountries }: AccountRules, typeOf: TypeOf): Check {
  const isAllowed =
    allowCountries === 'any'
      ? () => true
      : areaCheck(allowCountries, ({ region }, regions) => regions.has(region), typeOf);
  const isDenied = areaCheck(denyCountries, isOrMayBeIn, typeOf);
  return ({ receiver }) => isAllowed(receiver) && !isDenied(receiver);
}

export function exceptionCheck({ allowPrefixes }: AccountRules): (receiver: Receiver) => boolean {
  if (allowPrefixes === 'any') return () => true;
  const prefixes = prefixesOf(allowPrefixes);
  return (receiver) => prefixes.longest(receiver) === true;
}

function prefixesOf(areas: readonly string[]): PrefixTable<true> {
  const prefixes = new PrefixTable<true>();
  for (const area of areas) if (area.startsWith('+')) prefixes.set(area.slice(1), true);
  return prefixes;
}

type Regions = ReadonlySet<string | undefined>;

function isOrMayBeIn({ region, mayBeOf }: NumberType, regions: Regions): boolean {
  return regions.has(region) || mayBeOf.some((each) => regions.has(each));
}

function areaCheck(
  areas: readonly string[],
  isIn: (type: NumberType, regions: Regions) => boolean,
  typeOf: TypeOf,
): (receiver: Receiver) => boolean {
  const prefixes = prefixesOf(areas);
  const regions = new Set<string | undefined>(areas.filter((area) => !area.startsWith('+')));
  return (receiver) => prefixes.longest(receiver) === true || (regions.size > 0 && isIn(typeOf(receiver), regions));
}
