import type { price } from '@morsel/api/admin/money/price.ts';
import type { priceImport } from '@morsel/api/admin/money/price-import.ts';
import type { AnswerOf, InputOf } from '@morsel/api/admin/resource.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { change, type ChangeNeeds } from '../../flow/change.ts';
import { invalid } from '../../state/decide/decided.ts';
import type { PriceImports } from './price-imports.ts';

/* The operator's changes of price lists. `price-imports.ts` has the imports that are in progress. */

export interface PricesNeeds extends ChangeNeeds {
  readonly imports: Pick<PriceImports, 'begin' | 'stage' | 'publish' | 'drop' | 'sweep'>;
}

type Lists = typeof price.operations;
type Imports = typeof priceImport.operations;
type Done<O> = Promise<Result<AnswerOf<O>, Rejection>>;

const idBytes = 12;

/** Makes a new version of a list. The given prefixes get new prices, and all other prefixes keep their prices. */
export async function setPrices(needs: ChangeNeeds, input: InputOf<Lists['set']>): Done<Lists['set']> {
  const { list, currency = null } = input;
  const prices = input.prices.map(({ prefix, price: unitPrice }) => ({ prefix, unitPrice }));
  if (new Set(prices.map(({ prefix }) => prefix)).size < prices.length) {
    return invalid('prices', 'must have each prefix only once');
  }
  const free = input.allowFree ? undefined : prices.find(({ unitPrice }) => unitPrice === 0n);
  if (free) return invalid('prices', `must not be 0 without --allow-free; prefix "${free.prefix}" has a price of 0`);
  const at = needs.clock.now();
  const set = await change<'set-prices'>(needs, { kind: 'set-prices', at, list, currency, prices });
  return set.ok ? ok({ list, ...set.value }) : set;
}

/** Begins an import of prices. All prices of the import take effect together, or none of them. */
export async function beginImport(needs: PricesNeeds, input: InputOf<Imports['begin']>): Done<Imports['begin']> {
  const { currency = null, base = null, effectiveAt = null, allowFree, replace, ...wanted } = input;
  if (effectiveAt !== null && effectiveAt <= needs.clock.now()) return invalid('effectiveAt', 'must be in the future');
  const asked = { ...wanted, currency, base, effectiveAt, isWhole: replace, mayBeFree: allowFree };
  return needs.imports.begin(asked, needs.journal);
}

/** Drops an import and all its prices. */
export async function dropImport(needs: PricesNeeds, input: InputOf<Imports['drop']>): Done<Imports['drop']> {
  if (needs.imports.drop(input.import)) return ok({ list: input.list });
  return refused({ code: 'does_not_exist', detail: 'the import does not exist any more' });
}

/** Withdraws a version that has not taken effect yet. */
export async function withdrawPrices(needs: PricesNeeds, one: InputOf<Lists['withdraw']>): Done<Lists['withdraw']> {
  const at = needs.clock.now();
  const id = Buffer.from(needs.random(idBytes)).toString('hex');
  const withdrawn = await change<'withdraw-prices'>(needs, { kind: 'withdraw-prices', at, id, ...one });
  if (!withdrawn.ok) return withdrawn;
  needs.imports.sweep(id);
  return ok(one);
}

/** Removes a list that nothing uses. */
export async function removePriceList(needs: ChangeNeeds, one: InputOf<Lists['remove']>): Done<Lists['remove']> {
  const at = needs.clock.now();
  const removed = await change<'remove-price-list'>(needs, { kind: 'remove-price-list', at, ...one });
  return removed.ok ? ok(one) : removed;
}

/** Sets or removes the base of a price list. */
export async function setPriceBase(needs: ChangeNeeds, input: InputOf<Lists['base']>): Done<Lists['base']> {
  const set = await change<'set-price-base'>(needs, { kind: 'set-price-base', at: needs.clock.now(), ...input });
  return set.ok ? ok(input) : set;
}
