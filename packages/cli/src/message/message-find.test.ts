import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ok } from '@morsel/api/values/result.ts';
import { collect } from './message-find.ts';

interface Page {
  readonly found: number;
  readonly next: string | null;
}

/** A gateway that answers with these pages, the last one again and again; and what it was asked. */
function pagesOf(pages: readonly Page[]) {
  const asked: string[] = [];
  const ask = (next: string, count: number) => {
    const { found, next: after } = pages[Math.min(asked.length, pages.length - 1)] ?? { found: 0, next: null };
    asked.push(`${next || 'newest'} ${count}`);
    const value = { messages: Array.from({ length: Math.min(found, count) }, () => ({})), next: after };
    return Promise.resolve(ok({ value, text: JSON.stringify(value) }));
  };
  return { asked, ask };
}

const many = Array.from({ length: 30 }, (_, index) => String(900 - index));

const rows: readonly {
  readonly about: string;
  readonly pages: readonly Page[];
  readonly limit: number;
  readonly looks: number;
  readonly asked: readonly string[];
  readonly found: number;
  readonly next: string;
  readonly isStopped: boolean;
}[] = [
  {
    about: 'everything was looked at',
    pages: [{ found: 3, next: null }],
    limit: 50,
    looks: 10,
    asked: ['newest 50'],
    found: 3,
    next: '',
    isStopped: false,
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
    isStopped: false,
  },
  {
    about: 'it stops where it looked so often, and says where',
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
    isStopped: true,
  },
  {
    about: 'it goes on without a bound where it was told how far',
    pages: [...many.map((next) => ({ found: 0, next })), { found: 1, next: null }],
    limit: 50,
    looks: Infinity,
    asked: ['newest 50', ...many.map((next) => `${next} 50`)],
    found: 1,
    next: '',
    isStopped: false,
  },
];

for (const { about, pages, limit, looks, asked, ...wanted } of rows) {
  it(`message find: ${about}`, async () => {
    const gateway = pagesOf(pages);
    const collected = await collect({ limit, looks }, gateway.ask);
    assert.ok(collected.ok);
    const { rows: messages, next, isStopped } = collected.value;
    assert.deepEqual({ found: messages.length, next, isStopped }, wanted);
    assert.deepEqual(gateway.asked, asked);
  });
}
