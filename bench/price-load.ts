/* Measures how long it takes to load a price list, and to look up the price of a receiver. */

import { join } from 'node:path';
import { toMicros } from '@morsel/api/values/money.ts';
import { PriceTable } from '@morsel/gateway/core/money/price-table.ts';
import { rate } from '@morsel/gateway/core/money/rating.ts';
import type { Rated } from '@morsel/gateway/core/money/rating.ts';
import { Journal } from '@morsel/gateway/store/journal.ts';
import { Reader } from '@morsel/gateway/store/reader.ts';
import { makeFolder } from './folder.ts';
import { cpuOf } from './path-clock.ts';
import { makeDeck } from './price-deck.ts';
import { masterKeyName } from '@morsel/gateway/store/sealing/master-key.ts';

const chunk = 2_000;
const receivers = 4_096;
const lookups = 1_000_000;

export interface Loaded {
  /** The time from the request to the finished table. */
  readonly loadMs: number;
  /** The longest time that the event loop was blocked meanwhile. */
  readonly blockedMs: number;
  /** CPU time, because other programs share the machine. */
  readonly lookupNs: number;
}

/** The cost of loading a list of `size` prefixes, and of a look-up. */
export async function measureLoad(size: number): Promise<Loaded> {
  await using folder = makeFolder();
  const file = join(folder.path, 'morsel.db');
  const place = { kind: 'sqlite', file, isExpected: false, masterKey: join(folder.path, masterKeyName) } as const;
  await using journal = await Journal.open({ place, onFatal: fail, onFault: fail });
  await using reader = new Reader({ place, onFault: fail, onFatal: fail });
  const deck = makeDeck(size);
  await fill(journal, deck.toSorted());
  // The first load compiles the code and loads the pages, as in a running gateway.
  await reader.ask('priceTable', { priceList: 1, version: 1 });
  const pauses = watchPauses();
  const begin = performance.now();
  const packed = await reader.ask('priceTable', { priceList: 1, version: 1 });
  if (!packed.ok) throw new Error('the prices cannot be read');
  const table = new PriceTable(packed.value);
  const loadMs = performance.now() - begin;
  const blockedMs = pauses.stop();
  if (table.size !== size) throw new Error(`the table has ${table.size} prices`);
  const list = { id: 1, name: 'deck', currency: 'EUR', base: undefined };
  const held = { ...list, versions: [{ version: 1, effectiveAt: 0, prices: table }] };
  const numbers = Array.from({ length: receivers }, (_none, index) => receiverOf(deck, index));
  let at = 0;
  let rated: Rated | undefined;
  const options = { numParts: 1, at: 1 };
  const look = async () => {
    for (let count = 0; count < lookups; count++) rated = rate(held, numbers[at++ % receivers] ?? '', options);
  };
  await look();
  const microseconds = await cpuOf(look);
  if (rated === undefined) throw new Error('a receiver has no price');
  return { loadMs, blockedMs, lookupNs: (microseconds * 1_000) / lookups };
}

/** A number in a random range, with random digits after the prefix. */
function receiverOf(deck: readonly string[], index: number): string {
  const prefix = deck[(index * 7_919) % deck.length] ?? '41';
  return `+${`${prefix}${String(index * 104_729).padStart(12, '7')}`.slice(0, 12)}`;
}

async function fill(journal: Journal, deck: readonly string[]): Promise<void> {
  const id = 'bench';
  const list = { list: 'deck', currency: 'EUR', base: null, from: 0, effectiveAt: null, isWhole: false };
  const begun = await journal.append<'begin-price-import'>({ kind: 'begin-price-import', at: 0, id, ...list });
  if (!begun.ok) throw new Error('the store took no import');
  for (let from = 0; from < deck.length; from += chunk) {
    const prices = deck.slice(from, from + chunk).map((prefix) => ({ prefix, unitPrice: toMicros(7_500n) }));
    await journal.append<'stage-prices'>({ kind: 'stage-prices', at: 0, id, prices });
  }
  const changes = deck.length;
  await journal.append<'publish-prices'>({
    kind: 'publish-prices',
    at: 0,
    id,
    effectiveAt: null,
    changes,
  });
}

/** The longest time that the event loop is blocked. */
function watchPauses(): { stop(): number } {
  let last = performance.now();
  let longest = 0;
  const look = () => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  const timer = setInterval(look, 1);
  return {
    stop: () => {
      look();
      clearInterval(timer);
      return longest;
    },
  };
}

function fail(reason: string): never {
  throw new Error(reason);
}
