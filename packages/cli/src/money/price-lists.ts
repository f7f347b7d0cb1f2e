import type { price } from '@morsel/api/admin/money/price.ts';
import type { priceImport } from '@morsel/api/admin/money/price-import.ts';
import type { AnswerOf, GivenOf } from '@morsel/api/admin/resource.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { priceLinesMax, readPriceLines } from '@morsel/api/values/price.ts';
import type { PriceChange, Prices } from '@morsel/api/values/price.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { gatewayCalls } from '../admin-client.ts';
import type { Failure, Shell } from '../command.ts';

/* Reads whole price lists from the gateway, and sends changes to it. */

type Lists = typeof price.operations;
type Imports = typeof priceImport.operations;

/** A price list with all its versions, in the order in which they take effect. */
export type KnownList = AnswerOf<Lists['versions']>;

/** The number of the version in effect at an instant, or 0 if no version was in effect. */
export function versionThen({ versions }: KnownList, at: Instant): number {
  return versions.findLast((each) => each.effectiveAt <= at)?.version ?? 0;
}

export function baseOf({ bases }: KnownList): string | null {
  return bases.at(-1)?.base ?? null;
}

/** The terms of a change: its list, and the currency, base and time for the new version. */
interface Terms {
  readonly list: string;
  readonly currency?: string | undefined;
  readonly base?: string | undefined;
  /** If undefined, the change takes effect at once. */
  readonly effectiveAt?: Instant | undefined;
}

/** Asks for the list, and refuses terms that do not fit it. The value is undefined if the list does not exist yet. */
export async function askFitting(shell: Shell, terms: Terms): Promise<Result<KnownList | undefined, Failure>> {
  const { list, currency, base, effectiveAt } = terms;
  if (effectiveAt !== undefined && effectiveAt <= Date.now()) return refused(past);
  const { price: calls } = gatewayCalls(shell);
  const known = await calls.versions({ list });
  if (known.ok) {
    const reason = reasonAgainst(known.value, terms);
    return reason === undefined ? known : refused({ kind: 'refused', detail: reason });
  }
  if (known.error.code !== 'does_not_exist') return known;
  if (currency === undefined) {
    return refused({ ...known.error, detail: `${known.error.detail}: give --currency to create it` });
  }
  const below = base === undefined ? ok(undefined) : await calls.versions({ list: base });
  return below.ok ? ok(undefined) : below;
}

const past: Failure = {
  kind: 'refused',
  detail: 'effective must be in the future; without --effective the change takes effect at once',
};

function reasonAgainst(known: KnownList, { list, currency, base }: Terms): string | undefined {
  if (currency !== undefined && currency !== known.currency) {
    return `--currency: price list ${list} is in ${known.currency}, not ${currency}`;
  }
  if (base !== undefined && base !== baseOf(known)) {
    return `--base: price list ${list} has another base than ${base}: change the base with price base first`;
  }
  return undefined;
}

export interface ListVersion extends Omit<AnswerOf<Lists['export']>, 'prices' | 'next'> {
  /** The list's own prices, without the prices of its base. */
  readonly prices: Prices;
}

/**
 * Asks for all own prices of one version of a list: the given version, or the version in effect at a given time or now.
 */
export async function askPrices(shell: Shell, wanted: GivenOf<Lists['export']>): Promise<Result<ListVersion, Failure>> {
  const prices = new Map<string, Micros>();
  for (let place = wanted; ;) {
    const page = await gatewayCalls(shell).price.export(place);
    if (!page.ok) return page;
    const { prices: lines, next, ...version } = page.value;
    const read = readPriceLines(lines);
    if (!read.ok) throw new Error('the gateway answered unreadable prices');
    for (const { prefix, unitPrice } of read.value) if (unitPrice !== null) prices.set(prefix, unitPrice);
    if (next === null || version.version === null) return ok({ ...version, prices });
    // All further pages must come from the version of the first page.
    place = { list: wanted.list, version: version.version, after: next };
  }
}

export type Applied = AnswerOf<Imports['publish']>;

/** Makes one version with all the changes, or with none of them. The changes must be in the order of their prefixes. */
export async function applyChanges(
  shell: Shell,
  { changes, ...wanted }: GivenOf<Imports['begin']> & { readonly changes: readonly PriceChange[] },
): Promise<Result<Applied, Failure>> {
  const calls = gatewayCalls(shell).priceImport;
  const begun = await calls.begin(wanted);
  if (!begun.ok) return begun;
  const one = { list: wanted.list, import: begun.value.import };
  let done: Result<unknown, Failure> = begun;
  for (let at = 0; at < changes.length && done.ok; at += priceLinesMax) {
    done = await calls.stage({ ...one, prices: changes.slice(at, at + priceLinesMax) });
  }
  const published = done.ok ? await calls.publish({ ...one, effectiveAt: wanted.effectiveAt }) : done;
  // After some refusals the gateway has already dropped the import. Dropping the import a second time does nothing.
  if (!published.ok) await calls.drop(one);
  return published;
}

/** A time with milliseconds, so that scripts can give exactly the same time to another command. */
export function timeText(at: Instant): string {
  return new Date(at).toISOString();
}
