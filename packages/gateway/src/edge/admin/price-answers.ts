import { versionAt } from '../../core/money/price-list.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Snapshot } from '../../core/message/snapshot.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { instant, invalid, name, optional, prefix, readFields, wholeNumber } from '../../operator/fields.ts';
import type { Fields } from '../../operator/fields.ts';
import type { PricesPublished } from '../../store/commands/price.ts';
import type { Reader } from '../../store/reader.ts';
import type { FoundVersion, PriceListView, PriceOfPage } from '../../store/views/money/prices.ts';
import type { Json } from '@morsel/api/admin/exact-json.ts';
import { time, timeOrNull } from './present.ts';
import type { Answer } from './answer.ts';

/* What the operator asks of price lists. Whole lists are read in a thread of their own. */

export interface PriceQuestionNeeds {
  readonly prices: Pick<Reader, 'ask'>;
  readonly clock: { now(): Instant };
  readonly snapshot: () => Snapshot;
}

/** Prices of one page: what a person looks through. */
const pageMax = 1_000;
const pageDefault = 100;
/** Prices of one page of text: some 100 KiB. */
const textMax = 5_000;

export async function askPriceLists(needs: PriceQuestionNeeds): Answer {
  const now = needs.clock.now();
  const found = await needs.prices.ask('priceLists', now);
  if (!found.ok) return found;
  const { priceLists } = needs.snapshot();
  const countOf = ({ id }: PriceListView) => {
    const list = priceLists.get(id);
    return (list && versionAt(list, now)?.prices.size) ?? 0;
  };
  return ok(
    found.value.map((list) => ({
      list: list.name,
      currency: list.currency,
      base: list.base,
      version: list.version,
      effectiveAt: timeOrNull(list.effectiveAt),
      prices: countOf(list),
      pending: list.pending.map((each) => ({ version: each.version, effectiveAt: time(each.effectiveAt) })),
      accounts: list.accounts,
      accountsCount: list.accountsCount,
      lists: list.lists,
      carriers: list.carriers,
    })),
  );
}

export async function askPriceVersions(needs: PriceQuestionNeeds, fields: Fields): Answer {
  const read = readFields({ list: name }, fields);
  if (!read.ok) return read;
  const { list } = read.value;
  const found = await needs.prices.ask('priceVersions', list);
  if (!found.ok) return found;
  if (!found.value) return refused(noList(list));
  const now = needs.clock.now();
  const { currency, versions, bases } = found.value;
  const holds = versions.findLast((each) => each.effectiveAt <= now)?.version;
  return ok({
    list,
    currency,
    newest: versions.at(-1)?.version ?? 0,
    versions: versions.map((each) => ({
      version: each.version,
      state: each.effectiveAt > now ? 'pending' : each.version === holds ? 'active' : 'past',
      effectiveAt: time(each.effectiveAt),
      createdAt: time(each.createdAt),
      changes: each.changes,
    })),
    bases: bases.map((each) => ({ base: each.base, since: time(each.since) })),
  });
}

const versionFields = {
  list: name,
  version: optional(wholeNumber(1, Number.MAX_SAFE_INTEGER), null),
  at: optional(instant, null),
  after: optional(prefix, null),
};

function isBoth({ version, at }: { readonly version: number | null; readonly at: Instant | null }): boolean {
  return version !== null && at !== null;
}

const either = invalid('at', 'either a version or a time is asked for, not both');

const pageFields = {
  ...versionFields,
  prefix: optional(prefix, ''),
  limit: optional(wholeNumber(1, pageMax), pageDefault),
};

/** What holds for a list, together with what it stands on: a page in the order of the prefixes. */
export async function askPrices(needs: PriceQuestionNeeds, fields: Fields): Answer {
  const read = readFields(pageFields, fields);
  if (!read.ok) return read;
  if (isBoth(read.value)) return either;
  const { at, prefix: beginning, ...wanted } = read.value;
  const found = await needs.prices.ask('pricePage', { ...wanted, at: at ?? needs.clock.now(), beginning });
  if (!found.ok) return found;
  if (!found.value) return refused(noVersion(read.value));
  const { prices, next, otherwise } = found.value;
  return ok({
    ...showVersion(found.value),
    prices: prices.map(showPrice),
    next,
    otherwise: otherwise && showPrice(otherwise),
  });
}

const textFields = { ...versionFields, limit: optional(wholeNumber(1, textMax), textMax) };

/** The own prices of a list as text. */
export async function askPriceText(needs: PriceQuestionNeeds, fields: Fields): Answer {
  const read = readFields(textFields, fields);
  if (!read.ok) return read;
  if (isBoth(read.value)) return either;
  const { at, ...wanted } = read.value;
  const found = await needs.prices.ask('priceText', { ...wanted, at: at ?? needs.clock.now() });
  if (!found.ok) return found;
  if (!found.value) return refused(noVersion(read.value));
  const { prices, next } = found.value;
  return ok({ ...showVersion(found.value), prices, next });
}

export function showPublished({ list, version, effectiveAt }: PricesPublished): Json {
  return { list, version, effectiveAt: time(effectiveAt) };
}

function showVersion({ list, currency, version, effectiveAt }: FoundVersion): { readonly [member: string]: Json } {
  return { list, currency, version, effectiveAt: timeOrNull(effectiveAt) };
}

function showPrice(each: PriceOfPage): Json {
  return { prefix: each.prefix, price: each.price, list: each.list, version: each.version };
}

function noList(list: string): Rejection {
  return { code: 'does_not_exist', detail: `there is no price list named ${list}` };
}

function noVersion({ list, version }: { readonly list: string; readonly version: number | null }): Rejection {
  if (version === null) return noList(list);
  return { code: 'does_not_exist', detail: `there is no version ${version} of a price list named ${list}` };
}
