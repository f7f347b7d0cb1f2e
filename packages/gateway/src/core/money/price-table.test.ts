import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { toMicros, type Micros } from '@morsel/api/values/money.ts';
import type { PriceList } from './price-list.ts';
import { priceTable, type PriceTable } from './price-table.ts';
import { rate } from './rating.ts';

/** Few digits, so that prefixes and receivers meet. */
const digits = (max: number) => fc.stringMatching(new RegExp(`^[1-3][1-3]{0,${max - 1}}$`));
const prefix = fc.oneof(fc.constant(''), digits(6), digits(15));
const prices = fc
  .uniqueArray(fc.tuple(prefix, fc.bigInt({ min: 0n, max: 10n ** 15n })), { selector: ([each]) => each, maxLength: 40 })
  .map((rows) => new Map(rows.map(([each, price]) => [each, toMicros(price)])));

function tableOf(map: ReadonlyMap<string, Micros>): PriceTable {
  return priceTable([...map].map(([each, unitPrice]) => ({ prefix: each, unitPrice })));
}

function listOf(id: number, map: ReadonlyMap<string, Micros>, base?: PriceList): PriceList {
  const versions = [{ version: id * 10, effectiveAt: 0, prices: tableOf(map) }];
  return { id, name: `list-${id}`, currency: 'EUR', base, versions };
}

describe('a price', () => {
  it("is that of the longest prefix in the chain of lists; of two equal prefixes the upper list's counts", () => {
    fc.assert(
      fc.property(
        fc.array(prices, { minLength: 1, maxLength: 4 }),
        digits(15),
        fc.boolean(),
        (maps, receiver, plus) => {
          const [top] = maps
            .toReversed()
            .reduce<PriceList[]>((above, map, index) => [listOf(maps.length - index, map, above[0])], []);
          let wanted: { readonly list: number; readonly price: Micros } | undefined;
          for (let length = receiver.length; length >= 0 && !wanted; length--) {
            const at = maps.findIndex((map) => map.has(receiver.slice(0, length)));
            const price = maps[at]?.get(receiver.slice(0, length));
            if (price !== undefined) wanted = { list: at + 1, price };
          }
          const rated = rate(top, plus ? `+${receiver}` : receiver, { numParts: 3, at: 1 });
          assert.deepEqual(
            rated,
            wanted && {
              priceList: wanted.list,
              priceVersion: wanted.list * 10,
              unitPrice: wanted.price,
              totalCost: wanted.price * 3n,
            },
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it('changes at the instant at which a version takes effect', () => {
    const versions = [1, 2, 3].map((version) => ({
      version,
      effectiveAt: version * 1_000,
      prices: priceTable([{ prefix: '41', unitPrice: toMicros(BigInt(version)) }]),
    }));
    const list: PriceList = { id: 1, name: 'default', currency: 'EUR', base: undefined, versions };
    const at = (instant: number) => rate(list, '+41791234567', { numParts: 1, at: instant })?.priceVersion;
    assert.deepEqual([999, 1_000, 1_999, 2_000, 2_999, 3_000, 9_000].map(at), [undefined, 1, 1, 2, 2, 3, 3]);
  });
});
