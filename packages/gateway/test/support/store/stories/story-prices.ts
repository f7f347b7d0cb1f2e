/* For tests: the words of stories (story.ts) about price lists. */

import assert from 'node:assert/strict';
import { toMicros } from '@morsel/api/values/money.ts';
import type { Command } from '../../../../src/state/commands.ts';
import type { MadeImport } from '../../../../src/state/decide/money/price-import.ts';
import { operate, viewOf } from '../operate.ts';
import type { TestStore } from '../store.ts';
import type { Said } from './story-accounts.ts';

const units: { readonly [unit: string]: number } = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

export function readMs(text = '0s'): number {
  const [, amount, unit = ''] = /^(-?[\d.]+)(ms|s|m|h)$/.exec(text) ?? assert.fail(`${text} is no time`);
  return Number(amount) * (units[unit] ?? 0);
}

const defaultList = 'default';

/** The prices among the options, such as `p41=5` and `p42=none`. The empty prefix is `p=5`. */
function pricesIn({ options }: Said) {
  const given = [...options].flatMap(([name, amount]) =>
    /^p\d*$/.test(name) ? [[name.slice(1), amount] as const] : [],
  );
  return given.map(([prefix, amount]) => ({ prefix, price: amount === 'none' ? null : toMicros(BigInt(amount)) }));
}

function effectiveIn({ now }: TestStore, { options }: Said): number | undefined {
  return options.has('at') ? now + readMs(options.get('at')) : undefined;
}

/*
 *   prices upper currency=EUR p41=1     sets prices of a list (default: the list `default`)
 *   import from=1 at=1h whole           begins an import for version 1, which takes effect in an hour
 *   stage p41=2 p42=none & publish 2 at=1h
 *   prices-of upper at=1h = 41:1 417:8@default
 */
export const priceMakers: { readonly [word: string]: (store: TestStore, said: Said) => Command } = {
  prices: ({ now: at }, said) => {
    const prices = pricesIn(said).map(({ prefix, price }) => ({ prefix, price: price ?? assert.fail('a price') }));
    const [list = defaultList] = said.words;
    return operate('price.set', { list, currency: said.options.get('currency'), prices, allowFree: true }, { at });
  },
  import: (store, said) => ({
    kind: 'begin-price-import',
    at: store.now,
    id: said.options.get('id') ?? 'import',
    list: said.words.find((word) => word !== 'whole') ?? defaultList,
    currency: said.options.get('currency'),
    base: said.options.get('base'),
    from: Number(said.options.get('from') ?? 0),
    effectiveAt: effectiveIn(store, said),
    isWhole: said.words.includes('whole'),
  }),
  stage: ({ now: at }, said) => {
    const prices = pricesIn(said).map(({ prefix, price }) => ({ prefix, unitPrice: price }));
    return { kind: 'stage-prices', at, id: said.options.get('id') ?? 'import', prices };
  },
  publish: (store, said) => {
    // What is shown to the operator is not looked at.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const shown = {} as MadeImport['shown'];
    const made = { id: said.options.get('id') ?? 'import', changes: Number(said.words[0] ?? 0), shown };
    const effectiveAt = effectiveIn(store, said);
    return operate('price.import', { file: '', list: defaultList, effectiveAt }, { at: store.now, made });
  },
  'sweep-prices': ({ now: at }, { words: [max = 10], options }) => {
    return { kind: 'sweep-prices', at, id: options.get('id') ?? 'import', max: Number(max) };
  },
  withdraw: ({ now: at }, { words: [version = 2] }) =>
    operate('price.withdraw', { list: defaultList, version: Number(version) }, { at, made: { id: 'swept' } }),
  base: ({ now: at }, { words: [list = '', base = ''] }) =>
    operate('price.base', { list, base: base === 'none' ? null : base }, { at }),
  'no-prices': ({ now: at }, { words: [list = ''] }) => operate('price.remove', { list }, { at }),
};

/** The prices of a list at a time, with the base that has them if it is not the list itself. */
export async function lookAtPrices(store: TestStore, said: Said): Promise<string> {
  const [list = defaultList] = said.words;
  const at = effectiveIn(store, said) ?? store.now;
  const { items } = await viewOf(store.queries, 'price.show', { list, at, limit: 100 });
  const prices = items.map(({ prefix, price, list: of }) => `${prefix}:${price}${of === list ? '' : `@${of}`}`);
  return prices.join(' ');
}
