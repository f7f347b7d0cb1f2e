/* Views of price lists, their versions and prices. */

import type { price as declared } from '@morsel/api/admin/money/price.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { PricePacker, type PackedPrices } from '../../../core/money/price-table.ts';
import { writePriceLines } from '@morsel/api/values/price.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { invalid } from '../../../core/base/rejection.ts';
import { missing } from '../../../state/decide/decided.ts';
import { integer, micros, nullable, text } from '../../../state/tables/column.ts';
import { priceBaseTable, priceListTable, unitPriceTable, priceVersionTable } from '../../../state/tables/price.ts';
import { pick, shape, type ShapeOf } from '../../../state/tables/table.ts';
import { eachOf, pageOf, type ListInput } from '../page.ts';
import type { Queries } from '../queries.ts';
import type { View } from '../view.ts';

/** The most accounts that are listed for one price list. Further accounts are only counted. */
const accountsNamedMax = 20;

export async function readPriceTable(
  queries: Queries,
  { priceList, version }: { readonly priceList: number; readonly version: number },
): Promise<PackedPrices> {
  const packer = new PricePacker();
  for await (const rows of await allPrices(queries, priceList, version))
    for (const { prefix, price } of rows) packer.add(prefix, price);
  return packer.pack();
}

/** Reads all own prices of a version, or of an import that becomes one, in chunks. */
export async function allPrices(queries: Queries, priceList: number, version: number) {
  const place = await placeOf(queries, priceList, version);
  const unpublished = await unpublishedPlace(queries, priceList);
  return queries.chunks(
    ownPriceShape,
    validPrices,
    priceList,
    place,
    '',
    behindDigits,
    null,
    Number.MAX_SAFE_INTEGER,
    unpublished === place ? nowhere : unpublished,
  );
}

/** The place of a version, or of an import that becomes a version. */
async function placeOf(queries: Queries, priceList: number, version: number): Promise<number> {
  const place = await queries.value(
    integer,
    `select place from price_list_version where price_list = ?1 and version = ?2
      union all select place from price_import where price_list = ?1 and version = ?2`,
    priceList,
    version,
  );
  return place ?? nowhere;
}

async function unpublishedPlace(queries: Queries, priceList: number): Promise<number> {
  return (await queries.value(integer, 'select place from price_import where price_list = ?', priceList)) ?? nowhere;
}

/** A place that no version has. The first place is 1. */
const nowhere = 0;

/** A character above all digits: a prefix followed by it is above all longer prefixes. */
const behindDigits = ':';

const ownPriceShape = shape({ prefix: text, price: micros });
type OwnPrice = ShapeOf<typeof ownPriceShape>;

/**
 * Reads the prices of list ?1 in the version at place ?2: at most ?6 prices, from prefix ?3 on, below ?4, after ?5 if
 * that is set, without prices of place ?7. The query steps from prefix to prefix and reads only the newest row of each,
 * so it does not slow down with the number of versions.
 */
const validPrices = `with recursive named (prefix) as (
    select min(prefix) from price where price_list = ?1 and prefix >= ?3 and prefix < ?4 and (cast(?5 as text) is null or prefix > ?5)
    union all
    select (select min(prefix) from price where price_list = ?1 and prefix > named.prefix and prefix < ?4)
      from named where prefix is not null
  )
  select prefix, price from (
    select prefix, (select unit_price from price
      where price_list = ?1 and price.prefix = named.prefix and place <= ?2 and place <> ?7
      order by place desc limit 1) as price
    from named where prefix is not null
  ) as valid where price is not null limit ?6`;

type PriceRow = AnswerOf<typeof declared.operations.show>['items'][number];

/** A version of a price list. The version's number is null if none is in effect. */
interface Version {
  readonly id: number;
  readonly list: string;
  readonly currency: string;
  readonly version: number | null;
  readonly effectiveAt: Instant | null;
}

/**
 * Lists price lists in the order of names, starting after the name `after`. The handler adds the counts of prices from
 * the snapshot by `id`.
 */
export async function readPriceLists(
  queries: Queries,
  { now, after = '', limit }: ListInput & { readonly now: Instant },
) {
  const lists = await queries.find(priceListTable, 'where removed_at is null order by name');
  const names = new Map(lists.map(({ id, name }) => [id, name]));
  const asked = lists.filter(({ name }) => name > after);
  const page = pageOf(asked, limit, ({ name }) => name);
  const items = await eachOf(page.items, async ({ id, name, currency, base }) => {
    const versions = await priceVersionsOf(queries, id);
    const inEffect = versions.findLast((each) => each.effectiveAt <= now);
    const payers = "from account where price_list = ? and status <> 'removed'";
    return {
      id,
      list: name,
      currency,
      base: base === null ? null : (names.get(base) ?? null),
      version: inEffect?.version ?? null,
      effectiveAt: inEffect?.effectiveAt ?? null,
      pending: versions.filter((each) => each.effectiveAt > now),
      accounts: await queries.values(text, `select name ${payers} order by name limit ${accountsNamedMax}`, id),
      accountsCount: (await queries.value(integer, `select count(*) ${payers}`, id)) ?? 0,
      lists: lists.filter((each) => each.base === id).map((each) => each.name),
      carriers: await queries.values(
        text,
        "select name from carrier where cost_list = ? and status <> 'removed' order by name",
        id,
      ),
    };
  });
  return { items, next: page.next };
}

/** Lists versions in the order in which they take effect. */
const versionList: View<'price.versions'> = async (queries, { list: name, now }) => {
  const list = await queries.first(priceListTable, 'where name = ?', name);
  if (!list) return noVersion({ list: name });
  const found = await priceVersionsOf(queries, list.id);
  const active = found.findLast((each) => each.effectiveAt <= now);
  const stateOf = (each: typeof active) => (each === active ? ('active' as const) : ('past' as const));
  return ok({
    list: name,
    currency: list.currency,
    newest: found.at(-1)?.version ?? 0,
    versions: found.map((each) => ({ ...each, state: each.effectiveAt > now ? 'pending' : stateOf(each) })),
    bases: await basesOf(queries, list.id),
  });
};

const baseShape = shape({ ...pick(priceBaseTable, 'since'), base: nullable(text) });

async function basesOf(queries: Queries, priceList: number) {
  return queries.rows(
    baseShape,
    `select since, below.name as base from price_list_base left join price_list as below on below.id = price_list_base.base
      where price_list = ? order by since`,
    priceList,
  );
}

const versionShape = shape(pick(priceVersionTable, 'version', 'effectiveAt', 'createdAt', 'changes'));

/** Reads versions in the order in which they take effect. */
export async function priceVersionsOf(queries: Queries, priceList: number) {
  return queries.rows(versionShape, 'select * from price_list_version where price_list = ? order by place', priceList);
}

/** The most prices on one page of an export, about 100 KiB. */
const exportMax = 5_000;

/** A page of the prices of one version, without those of its base lists. */
const exported: View<'price.export'> = async (queries, { now, ...wanted }) => {
  if (wanted.version !== undefined && wanted.at !== undefined) return eitherOf;
  const found = await findVersion(queries, { ...wanted, at: wanted.at ?? now });
  if (!found) return noVersion(wanted);
  const rows = await ownPrices(queries, found, { after: wanted.after, limit: exportMax, beginning: '' });
  return ok({
    ...found,
    prices: writePriceLines(rows.map(({ prefix, price }) => ({ prefix, unitPrice: price }))),
    next: rows.length < exportMax ? null : (rows.at(-1)?.prefix ?? null),
  });
};

const eitherOf = invalid('at', 'must not be given together with version: give only one of them');

function noVersion({ list, version }: { readonly list: string; readonly version?: number | undefined }) {
  const which = version === undefined ? 'price list named' : `version ${version} of a price list named`;
  return missing(`there is no ${which} ${list}`);
}

/**
 * A page of prices, with those of base lists. The first page also has the price of the next shorter prefix, which
 * applies where no longer prefix has a price.
 */
const show: View<'price.show'> = async (queries, wanted) => {
  if (wanted.version !== undefined && wanted.at !== undefined) return eitherOf;
  const { limit, prefix: beginning = '' } = wanted;
  // All pages show the prices at the time of the first page.
  const [pinned, after] = wanted.after?.split('/') ?? [];
  const asked = pinned === undefined ? (wanted.at ?? wanted.now) : Number(pinned);
  const top = await findVersion(queries, { ...wanted, at: asked });
  if (!top) return noVersion(wanted);
  const at = wanted.version === undefined ? asked : (top.effectiveAt ?? asked);
  const chain: Version[] = [];
  for (let each: Version | undefined = top; each; each = await belowOf(queries, each, at)) chain.push(each);
  const merged = new Map<string, PriceRow>();
  const shorter: PriceRow[] = [];
  for (const { id, list, currency, version } of chain) {
    if (version === null) continue;
    const shown = (row: OwnPrice): PriceRow => ({ ...row, currency, list, version });
    for (const row of await ownPrices(queries, { id, version }, { after, limit: limit + 1, beginning })) {
      if (!merged.has(row.prefix)) merged.set(row.prefix, shown(row));
    }
    const above = after === undefined ? await aboveOf(queries, { id, version }, beginning) : undefined;
    if (above) shorter.push(shown(above));
  }
  const rows = [...merged.values()].toSorted((a, b) => (a.prefix < b.prefix ? -1 : 1));
  const longest = shorter.toSorted((a, b) => b.prefix.length - a.prefix.length).slice(0, 1);
  return ok(pageOf([...longest, ...rows], limit, ({ prefix }) => `${asked}/${prefix}`));
};

export const priceViews = { 'price.show': show, 'price.versions': versionList, 'price.export': exported };

export async function readPriceImports(queries: Queries): Promise<string[]> {
  return queries.values(text, 'select id from price_import order by id');
}

async function findVersion(
  queries: Queries,
  { list: name, version, at }: { readonly list: string; readonly version?: number | undefined; readonly at: Instant },
): Promise<Version | undefined> {
  const list = await queries.first(priceListTable, 'where name = ?', name);
  if (!list) return undefined;
  const { id, currency } = list;
  const versions = await priceVersionsOf(queries, id);
  const found =
    version === undefined
      ? versions.findLast((each) => each.effectiveAt <= at)
      : versions.find((each) => each.version === version);
  if (!found && version !== undefined) return undefined;
  return { id, currency, list: name, version: found?.version ?? null, effectiveAt: found?.effectiveAt ?? null };
}

/** The base of a list at an instant, and the version of the base in effect then. */
async function belowOf(queries: Queries, { id }: Version, at: Instant): Promise<Version | undefined> {
  const name = await queries.value(
    text,
    `select name from price_list where id =
      (select base from price_list_base where price_list = ? and since <= ? order by since desc limit 1)`,
    id,
    at,
  );
  return name === undefined ? undefined : await findVersion(queries, { list: name, at });
}

async function ownPrices(
  queries: Queries,
  { id, version }: Pick<Version, 'id' | 'version'>,
  {
    after,
    limit,
    beginning,
  }: { readonly after: string | undefined; readonly limit: number; readonly beginning: string },
): Promise<OwnPrice[]> {
  if (version === null) return [];
  const from = after !== undefined && after > beginning ? after : beginning;
  const place = await placeOf(queries, id, version);
  const unpublished = await unpublishedPlace(queries, id);
  const below = `${beginning}${behindDigits}`;
  return queries.rows(ownPriceShape, validPrices, id, place, from, below, after ?? null, limit, unpublished);
}

/** The price of the longest prefix that is shorter than `digits` and has the same first digits. */
async function aboveOf(
  queries: Queries,
  { id, version }: { readonly id: number; readonly version: number },
  digits: string,
): Promise<OwnPrice | undefined> {
  const place = await placeOf(queries, id, version);
  const unpublished = await unpublishedPlace(queries, id);
  for (let length = digits.length - 1; length >= 0; length--) {
    const prefix = digits.slice(0, length);
    const price = await queries.value(
      unitPriceTable.members.unitPrice,
      `select unit_price from price where price_list = ? and prefix = ? and place <= ? and place <> ?
        order by place desc limit 1`,
      id,
      prefix,
      place,
      unpublished,
    );
    if (price !== undefined && price !== null) return { prefix, price };
  }
  return undefined;
}
