import type { Micros } from '@morsel/api/values/money.ts';
import type { Rejection } from '../core/base/rejection.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { CommandOf, OperatorCommand, ResultOf } from '../store/commands/commands.ts';
import type { Journal } from '../store/journal.ts';
import { amount, currency, flag, invalid, listName, optional, prefix, readFields } from './fields.ts';
import type { Fields } from './fields.ts';
import type { OnLowBalance } from './money/posting.ts';

/*
 * What the operator changes. Each function reads its fields, appends one command, and answers only after everybody goes
 * by the change.
 */

export interface AdministerNeeds {
  readonly journal: Pick<Journal, 'append'>;
  readonly clock: { now(): Instant };
  /** So many bytes of chance. */
  readonly random: (bytes: number) => Uint8Array;
  /** Ends when admission and carriers go by what the store holds now. */
  readonly reloadSnapshot: () => Promise<void>;
  readonly lowBalance?: OnLowBalance;
}

/** Whole units a part: with 255 parts a message still costs a fraction of what a ledger holds. */
export const priceMax = 1_000_000_000;
/** Prices of one request: they are one commit, and other commits wait for it. */
const pricesMax = 10_000;

const listFields = {
  list: optional(listName, 'default'),
  currency: optional(currency, null),
  allowFree: optional(flag, false),
};
const priceFields = { prefix, price: amount(0, priceMax) };

/** A new version of a price list, in which the given prefixes have these prices and all others keep theirs. */
export async function setPrices(
  needs: AdministerNeeds,
  fields: Fields,
): Promise<Result<{ list: string; version: number }, Rejection>> {
  const { prices: given, ...rest } = fields;
  const read = readFields(listFields, rest);
  if (!read.ok) return read;
  const { allowFree, ...list } = read.value;
  const prices = readPrices(given);
  if (!prices.ok) return prices;
  const free = allowFree ? undefined : prices.value.find(({ unitPrice }) => unitPrice === 0n);
  if (free) return invalid('price', `${numbersOf(free.prefix)} would be free: say so with --allow-free if it shall be`);
  const set = await change<'set-prices'>(needs, {
    kind: 'set-prices',
    at: needs.clock.now(),
    ...list,
    prices: prices.value,
  });
  return set.ok ? ok({ list: list.list, version: set.value.version }) : set;
}

function numbersOf(digits: string): string {
  return digits === '' ? 'every number' : `prefix ${digits}`;
}

function readPrices(given: unknown): Result<{ prefix: string; unitPrice: Micros }[], Rejection> {
  if (!Array.isArray(given)) return invalid('prices', 'it has to be a list of prefixes with their prices');
  if (given.length < 1 || given.length > pricesMax) return invalid('prices', `it has to have 1 to ${pricesMax} prices`);
  const prices = new Map<string, { prefix: string; unitPrice: Micros }>();
  for (const each of given as readonly unknown[]) {
    if (typeof each !== 'object' || each === null) return invalid('prices', 'each has to have a prefix and a price');
    const read = readFields(priceFields, { ...each });
    if (!read.ok) return read;
    if (prices.has(read.value.prefix)) return invalid('prices', `the prefix ${read.value.prefix} is there twice`);
    prices.set(read.value.prefix, { prefix: read.value.prefix, unitPrice: read.value.price });
  }
  return ok([...prices.values()]);
}

/** Commits a change, and waits until everybody goes by it. */
export async function change<K extends OperatorCommand['kind']>(
  needs: AdministerNeeds,
  command: CommandOf<K>,
): Promise<ResultOf<K>> {
  const written = await needs.journal.append<K>(command);
  if (written.ok) await needs.reloadSnapshot();
  return written;
}
