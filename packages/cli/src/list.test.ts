import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ok } from '@morsel/api/values/result.ts';
import { pagesOf } from './list.ts';

interface Answered {
  readonly found: number;
  readonly next: string | null;
}

/** A gateway that answers with these pages and then repeats the last page. It also keeps the requests. */
function gatewayOf(pages: readonly Answered[]) {
  const asked: string[] = [];
  const ask = ({ after = 'newest', limit }: { readonly after?: string; readonly limit: string }) => {
    const { found, next } = pages[Math.min(asked.length, pages.length - 1)] ?? { found: 0, next: null };
    asked.push(`${after} ${limit}`);
    return Promise.resolve(ok({ items: Array.from({ length: Math.min(found, Number(limit)) }, () => ({})), next }));
  };
  return { asked, ask };
}

const many = Array.from({ length: 30 }, (_, index) => String(900 - index));

type Row = readonly [
  about: string,
  pages: readonly (readonly [found: number, next: string | null])[],
  bounds: { readonly limit: number; readonly looks: number },
  asked: readonly string[],
  wanted: Answered,
];

const rows: readonly Row[] = [
  ['everything was looked at', [[3, null]], { limit: 50, looks: 10 }, ['newest 50'], { found: 3, next: null }],
  [
    'there are enough, and more to come',
    [
      [1_000, '900'],
      [1_000, '800'],
    ],
    { limit: 1_500, looks: 1 },
    ['newest 1000', '900 500'],
    { found: 1_500, next: '800' },
  ],
  [
    'a search stops where it looked so often',
    [
      [0, '900'],
      [2, '800'],
      [0, '700'],
    ],
    { limit: 50, looks: 3 },
    ['newest 50', '900 50', '800 48'],
    { found: 2, next: '700' },
  ],
  [
    'it goes on without a bound where the request says how far',
    [...many.map((next) => [0, next] as const), [1, null]],
    { limit: 50, looks: Infinity },
    ['newest 50', ...many.map((next) => `${next} 50`)],
    { found: 1, next: null },
  ],
  [
    'without a limit all pages are asked for',
    [
      [1_000, '900'],
      [7, null],
    ],
    { limit: Infinity, looks: Infinity },
    ['newest 1000', '900 1000'],
    { found: 1_007, next: null },
  ],
];

for (const [about, pages, bounds, asked, wanted] of rows) {
  it(`a list: ${about}`, async () => {
    const gateway = gatewayOf(pages.map(([found, next]) => ({ found, next })));
    let found = 0;
    let next: string | null = null;
    for await (const page of pagesOf(gateway.ask, bounds)) {
      assert.ok(page.ok);
      found += page.value.items.length;
      ({ next } = page.value);
    }
    assert.deepEqual([{ found, next }, gateway.asked], [wanted, asked]);
  });
}
