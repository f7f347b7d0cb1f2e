/*
 * Imports of prices. An import stages the prices of a new version under a number that no reader uses yet. A command
 * that writes one row then publishes the version, so no other command waits for long.
 */

import type { OperationNamed } from '@morsel/api/admin/resources.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import type { PriceChange } from '@morsel/api/values/price.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { secondMs, type Instant } from '@morsel/api/values/time.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { query } from '../../tables/lookup.ts';
import { text } from '../../tables/column.ts';
import {
  importById,
  priceImportTable,
  priceListByName,
  priceListTable,
  unitPriceTable,
  type PriceImportRow,
  type PriceListRow,
} from '../../tables/price.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import { shape } from '../../tables/table.ts';
import { conflict, missing, type Decided } from '../decided.ts';
import type { Decision } from '../decision.ts';
import { rehearsed } from '../rehearsal.ts';
import { baseNamed, setBase } from './price-list.ts';
import { isTaken, newPriceList, priceListNamed, underWay } from './price-list-named.ts';
import { addPrices, addVersion, around, otherThan, placeFor, versionsOf } from './prices.ts';

/** Begins an import. Nothing else changes the prices of this list until the import is published or swept. */
export interface BeginPriceImport {
  readonly at: Instant;
  readonly id: string;
  readonly list: string;
  /** Creates the list with this currency if it does not exist; undefined if the list must exist. */
  readonly currency: string | undefined;
  /** The base of a new list; undefined for no base, or for the present one. */
  readonly base: string | undefined;
  /**
   * The version in effect when the import takes effect; 0 for none. The changes of the import were made with it, so an
   * import for another version is refused.
   */
  readonly from: number;
  readonly effectiveAt: Instant | undefined;
  /** The import has all prices of the list. Changes of the list that take effect before it change none of them. */
  readonly isWhole: boolean;
}

export const beginPriceImportCommand = { isSetting: true, ...rehearsed(decideBeginPriceImport) };

function decideBeginPriceImport(rows: Rows, command: BeginPriceImport) {
  if (isTaken(rows, command.list)) return refused(underWay(command.list));
  const known = rows.one(priceListByName, command.list);
  const list = known ? priceListNamed(rows, { ...command, name: command.list }) : makeList(rows, command);
  if (!list.ok) return list;
  const base = command.base === undefined ? ok(list.value.base) : baseNamed(rows, list.value, command.base);
  if (!base.ok) return base;
  if (known && base.value !== known.base) {
    return conflict(
      `the base of price list ${known.name} is not ${command.base}: change the base with price base first`,
    );
  }
  const effectiveAt = command.effectiveAt ?? command.at;
  const other = otherThan(command.from, versionsOf(rows, list.value, command.at), { list: command.list, effectiveAt });
  if (other) return other;
  const found = placeFor(rows, list.value, { effectiveAt, at: command.at });
  if (!found.ok) return found;
  list.value.lastVersion += 1;
  touch(list.value);
  const row = rows.add(priceImportTable, {
    id: command.id,
    name: command.list,
    priceList: list.value.id,
    version: list.value.lastVersion,
    ...found.value,
    isWhole: command.isWhole,
    currency: list.value.currency,
    base: base.value,
    isNew: !known,
    isOver: false,
    createdAt: command.at,
  });
  return ok({ priceList: row.priceList, version: row.version });
}

/** Creates a price list. The list is visible once it has a version. */
function makeList(rows: Rows, { list: name, currency, at }: BeginPriceImport): Result<PriceListRow, Rejection> {
  if (currency === undefined) return missing(`there is no price list named ${name}: give a currency to create it`);
  return ok(newPriceList({ id: rows.nextId(priceListTable), name, currency, createdAt: at }));
}

/** Adds prices to the version that an import makes. The caller passes each prefix only once. */
interface StagePrices {
  readonly at: Instant;
  readonly id: string;
  readonly prices: readonly PriceChange[];
}

export const stagePricesCommand = rehearsed((rows: Rows, { id, prices }: StagePrices): Decided<null> => {
  const row = importWithId(rows, id);
  return row.ok ? addPrices(rows, { ...row.value, list: row.value.name }, prices) : row;
});

/** A staged import, with the input of the operation that publishes it. */
interface StagedImport {
  readonly id: string;
  /** Number of staged prices. */
  readonly changes: number;
}

/** Publishes the version of an import. It takes effect at `effectiveAt`, or now. */
function publish(
  rows: Rows,
  { id, changes }: StagedImport,
  { at, effectiveAt: wanted = at }: { readonly at: Instant; readonly effectiveAt?: Instant | undefined },
): Decided<{ readonly version: number; readonly effectiveAt: Instant }> {
  const found = importWithId(rows, id);
  if (!found.ok) return found;
  const row = found.value;
  const { name, currency } = row;
  const list = row.isNew
    ? newPriceList({ id: row.priceList, name, currency, createdAt: at })
    : rows.one(priceListByName, name);
  if (!list) return missing(`there is no price list named ${name}`);
  // A version cannot take effect in the past.
  const effectiveAt = Math.max(wanted, at);
  const { before, after } = around(versionsOf(rows, list, at), effectiveAt);
  if ((before?.place ?? 0) >= row.place || (after !== undefined && after.place <= row.place)) {
    return conflict(
      `another version of price list ${name} took effect while prices were imported: start the import again`,
    );
  }
  if (row.isNew) {
    rows.add(priceListTable, list);
    if (row.base !== null) setBase(rows, list, { base: row.base, at });
  }
  const { version, place, isWhole } = row;
  addVersion(rows, list, { version, effectiveAt, place, isWhole, createdAt: at, changes });
  row.change = 'gone';
  return ok({ version, effectiveAt });
}

/** The result of a published import, as the operator sees it, and the import itself. */
export interface MadeImport extends StagedImport {
  readonly shown: AnswerOf<OperationNamed<'price.import'>>;
}

const publishFile: Decision<'price.import', MadeImport> = (rows, { effectiveAt }, { at, made }) => {
  const published = publish(rows, made, { at, effectiveAt });
  return published.ok ? ok({ ...made.shown, applied: published.value }) : published;
};

/**
 * A version cannot be withdrawn within this time before it takes effect, because a message may already be priced with
 * it.
 */
const withdrawMarginMs = 10 * secondMs;

/** Withdraws the newest version of a list before it takes effect. `sweep-prices` with `id` deletes its prices. */
const withdrawPending: Decision<'price.withdraw', MadeWithdrawal> = (
  rows,
  { list: name, version },
  { at, made: { id } },
) => {
  const list = rows.one(priceListByName, name);
  if (!list) return missing(`there is no price list named ${name}`);
  if (isTaken(rows, name)) return refused(underWay(name));
  const last = versionsOf(rows, list, at).at(-1);
  if (version !== last?.version) {
    return missing(
      `only the last version of a price list can be withdrawn: for ${name}, this is version ${last?.version ?? 0}`,
    );
  }
  if (last.effectiveAt <= at + withdrawMarginMs) {
    return conflict(`version ${version} of price list ${name} takes effect within 10 s: withdraw it then`);
  }
  last.change = 'gone';
  // The loaded rows no longer show the version after this one. No command needs it until the withdrawn prices are
  // deleted.
  const { id: priceList, currency, base } = list;
  const { place, isWhole } = last;
  rows.add(priceImportTable, {
    id,
    name,
    priceList,
    version,
    place,
    isWhole,
    pinned: null,
    currency,
    base,
    createdAt: at,
    isNew: false,
    isOver: true,
  });
  return ok({ list: name, version, published: null });
};

/** The id for `sweep-prices`; or the import of the former version's prices, and the number of these prices. */
export interface MadeWithdrawal {
  readonly id: string;
  /** Undefined if the version is not in effect yet. */
  readonly changes?: number;
}

/** Withdraws a version. If it is in effect, the former prices were imported, and are now published as a new version. */
const withdraw: Decision<'price.withdraw', MadeWithdrawal> = (rows, input, given) => {
  const { id, changes } = given.made;
  if (changes === undefined) return withdrawPending(rows, input, given);
  const published = publish(rows, { id, changes }, given);
  return published.ok ? ok({ ...input, published: published.value.version }) : published;
};

export const priceImportDecisions = { 'price.import': publishFile, 'price.withdraw': withdraw };

/** Deletes at most `max` prices of a failed import, or of a withdrawn version. A swept import takes no more prices. */
interface SweepPrices {
  readonly at: Instant;
  readonly id: string;
  readonly max: number;
}

const prefixesAt = query<[priceList: number, place: number, max: number]>()('price.prefixes', shape({ prefix: text }));

export const sweepPricesCommand = rehearsed((rows: Rows, { id, max }: SweepPrices): Decided<SweptPrices> => {
  const row = rows.one(importById, id);
  if (!row) return ok({ isDone: true });
  const { priceList, place } = row;
  const swept = row.change === 'new' ? [] : rows.values(prefixesAt, priceList, place, max);
  for (const { prefix } of swept)
    rows.add(unitPriceTable, { change: 'gone', priceList, place, prefix, unitPrice: null });
  // An earlier command of the group may have staged prices or withdrawn a version. Those prices are not loaded.
  const isDone = row.isOver && row.change === 'none' && swept.length < max;
  if (isDone) row.change = 'gone';
  row.isOver = true;
  touch(row);
  return ok({ isDone });
});

interface SweptPrices {
  readonly isDone: boolean;
}

function importWithId(rows: Rows, id: string): Result<PriceImportRow, Rejection> {
  const row = rows.one(importById, id);
  if (row && !row.isOver) return ok(row);
  return missing(
    'this import no longer exists, because it was given up without changing a price: start the import again',
  );
}
