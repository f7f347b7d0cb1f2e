import { parseMicros } from '@morsel/api/values/money.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { isPrefix } from '@morsel/api/values/syntax.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { PriceChanged, PricesPublished } from '../../store/commands/price.ts';
import { change, priceMax } from '../administer.ts';
import type { AdministerNeeds } from '../administer.ts';
import {
  anyText,
  currency,
  flag,
  instant,
  invalid,
  listName,
  name,
  optional,
  orNone,
  readFields,
  wholeNumber,
} from '../fields.ts';
import type { Fields } from '../fields.ts';
import type { PriceImports } from './price-imports.ts';

/* What the operator changes of price lists, but for a few prices at once. */

export interface PricesNeeds extends AdministerNeeds {
  readonly imports: Pick<PriceImports, 'begin' | 'stage' | 'publish' | 'drop' | 'sweep'>;
}

/** Prices of one call: some tens of KiB, which the event loop reads within a millisecond or two. */
export const callMax = 2_000;
const idBytes = 12;

const versionField = wholeNumber(0, Number.MAX_SAFE_INTEGER);

const beginFields = {
  list: listName,
  currency: optional(currency, null),
  base: optional(name, null),
  from: versionField,
  effective: optional(instant, null),
  allowFree: optional(flag, false),
  replace: optional(flag, false),
};

/** Begins to import prices, which hold all together or not at all. */
export async function beginImport(
  needs: PricesNeeds,
  fields: Fields,
): Promise<Result<{ import: string; version: number }, Rejection>> {
  const read = readFields(beginFields, fields);
  if (!read.ok) return read;
  const { effective: effectiveAt, allowFree: mayBeFree, replace: isWhole, ...wanted } = read.value;
  if (effectiveAt !== null && effectiveAt <= needs.clock.now()) return invalid('effective', isPast);
  return needs.imports.begin({ ...wanted, effectiveAt, isWhole, mayBeFree });
}

const isPast = 'it has to be a time to come; without it the prices hold at once';

/** Keeps some prices of an import: `prefix,price` and a line feed each, without a price where it is removed. */
export async function stageImport(needs: PricesNeeds, fields: Fields): Promise<Result<{ changes: number }, Rejection>> {
  const read = readFields({ list: name, import: anyText, prices: anyText }, fields);
  if (!read.ok) return read;
  const prices = readPrices(read.value.prices);
  return prices.ok ? needs.imports.stage(read.value.import, prices.value) : prices;
}

function readPrices(text: string): Result<PriceChanged[], Rejection> {
  const lines = text.split('\n');
  if (lines.pop() !== '' || lines.length === 0) return invalid('prices', 'each price has to end with a line feed');
  if (lines.length > callMax) return invalid('prices', `it has to have 1 to ${callMax} prices`);
  const prices: PriceChanged[] = [];
  for (const [index, line] of lines.entries()) {
    const comma = line.indexOf(',');
    const prefix = line.slice(0, comma);
    const price = line.slice(comma + 1);
    const unitPrice = price === '' ? ok(null) : readUnitPrice(price);
    if (comma === -1 || !isPrefix(prefix) || !unitPrice.ok) {
      return invalid('prices', `its line ${index + 1} is no prefix and price`);
    }
    prices.push({ prefix, unitPrice: unitPrice.value });
  }
  return ok(prices);
}

/** A price a part, exactly; or what is wrong with it. */
export function readUnitPrice(text: string): Result<Micros, string> {
  const price = parseMicros(text);
  if (!price.ok) return price;
  if (price.value < 0n) return refused('a price is not negative');
  return price.value > BigInt(priceMax) * 1_000_000n ? refused(`a price is at most ${priceMax}`) : price;
}

/** Makes what was imported valid, now or from an instant on. */
export async function publishImport(needs: PricesNeeds, fields: Fields): Promise<Result<PricesPublished, Rejection>> {
  const read = readFields({ list: name, import: anyText, effective: optional(instant, null) }, fields);
  if (!read.ok) return read;
  return needs.imports.publish(read.value.import, read.value.effective);
}

/** Gives an import up: nothing of it is left. */
export async function dropImport(needs: PricesNeeds, fields: Fields): Promise<Result<{ list: string }, Rejection>> {
  const read = readFields({ list: name, import: anyText }, fields);
  if (!read.ok) return read;
  if (needs.imports.drop(read.value.import)) return ok({ list: read.value.list });
  return refused({ code: 'does_not_exist', detail: 'there is no such import any more' });
}

/** Takes back a version before it takes effect. */
export async function withdrawPrices(
  needs: PricesNeeds,
  fields: Fields,
): Promise<Result<{ list: string; version: number }, Rejection>> {
  const read = readFields({ list: name, version: versionField }, fields);
  if (!read.ok) return read;
  const at = needs.clock.now();
  const id = Buffer.from(needs.random(idBytes)).toString('hex');
  const done = await change<'withdraw-prices'>(needs, { kind: 'withdraw-prices', at, id, ...read.value });
  if (!done.ok) return done;
  needs.imports.sweep(id);
  return ok(read.value);
}

/** Removes a list that nothing uses. */
export async function removePriceList(
  needs: PricesNeeds,
  fields: Fields,
): Promise<Result<{ list: string }, Rejection>> {
  const read = readFields({ list: name }, fields);
  if (!read.ok) return read;
  const at = needs.clock.now();
  const removed = await change<'remove-price-list'>(needs, { kind: 'remove-price-list', at, ...read.value });
  return removed.ok ? read : removed;
}

/** Has a list stand on another: what it says nothing of costs what the other says. */
export async function setPriceBase(
  needs: PricesNeeds,
  fields: Fields,
): Promise<Result<{ list: string; base: string | null }, Rejection>> {
  const read = readFields({ list: name, base: orNone(name) }, fields);
  if (!read.ok) return read;
  const set = await change<'set-price-base'>(needs, { kind: 'set-price-base', at: needs.clock.now(), ...read.value });
  return set.ok ? ok(read.value) : set;
}
