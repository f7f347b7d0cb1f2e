import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ok } from '@morsel/api/values/result.ts';
import { pagesOf } from './list.ts';

interface Answered {
  readonly found: number;
  readonly next: string | null;
}

/** A gateway that answers with these pages and repeats the last one; and its requests. */
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

const rows: readonly {
  readonly about: string;
  readonly pages: readonly Answered[];
  readonly limit: number;
  readonly looks: number;
  readonly asked: readonly string[];
  readonly found: number;
  readonly next: string | null;
}[] = [
  {
    about: 'everything was looked at',
    pages: [{ found: 3, next: null }],
    limit: 50,
    looks: 10,
    asked: ['newest 50'],
    found: 3,
    next: null,
  },
  {
    about: 'there are enough, and more to come',
    pages: [
      { found: 1_000, next: '900' },
      { found: 1_000, next: '800' },
    ],
    limit: 1_500,
    looks: 1,
    asked: ['newest 1000', '900 500'],
    found: 1_500,
    next: '800',
  },
  {
    about: 'a search stops where it looked so often',
    pages: [
      { found: 0, next: '900' },
      { found: 2, next: '800' },
      { found: 0, next: '700' },
    ],
    limit: 50,
    looks: 3,
    asked: ['newest 50', '900 50', '800 48'],
    found: 2,
    next: '700',
  },
  {
    about: 'it goes on without a bound where the request says how far',
    pages: [...many.map((next) => ({ found: 0, next })), { found: 1, next: null }],
    limit: 50,
    looks: Infinity,
    asked: ['newest 50', ...many.map((next) => `${next} 50`)],
    found: 1,
    next: null,
  },
  {
    about: 'without a limit all pages are asked for',
    pages: [
      { found: 1_000, next: '900' },
      { found: 7, next: null },
    ],
    limit: Infinity,
    looks: Infinity,
    asked: ['newest 1000', '900 1000'],
    found: 1_007,
    next: null,
  },
];

for (const { about, pages, limit, looks, asked, ...wanted } of rows) {
  it(`a list: ${about}`, async () => {
    const gateway = gatewayOf(pages);
    let found = 0;
    let next: string | null = null;
    for await (const page of pagesOf(gateway.ask, { limit, looks })) {
      assert.ok(page.ok);
      found += page.value.items.length;
      ({ next } = page.value);
    }
    assert.deepEqual({ found, next }, wanted);
    assert.deepEqual(gateway.asked, asked);
  });
}
