import assert from 'node:assert/strict';
import { it } from 'node:test';
import { linkTable } from './link-table.ts';

const now = Date.parse('2026-01-31T12:00:00Z');

for (const [what, link, words] of [
  ['waits', { state: 'waiting', nextTryAt: '2026-01-31T12:00:11.200Z', pausedUntil: null }, / next try in 12 s /],
  [
    'was to try already',
    { state: 'waiting', nextTryAt: '2026-01-31T11:59:59Z', pausedUntil: null },
    / next try in 0 s /,
  ],
  ['is paused', { state: 'throttled', nextTryAt: null, pausedUntil: '2026-01-31T12:00:02Z' }, / sends again in 2 s /],
] as const) {
  it(`a link that ${what} says until when`, () => {
    assert.match(linkTable([link], { hasColour: false, now }), words);
  });
}

const plain = { hasColour: false, now: 0 };
const link = { state: 'bound', windowUsed: '0', windowMax: '10', throttles: '2', inDoubt: '1', lastError: null };

for (const [throttledShare, chanceShare, words] of [
  ['0.023', '0', / 2 +2\.3 % +1/],
  ['0.21', '0.2', / 2 +21 %, 20 % by chance +1/],
] as const) {
  it(`a share of ${throttledShare} of throttling answers, ${chanceShare} by chance, stands beside their count`, () => {
    assert.match(linkTable([{ ...link, link: '1', throttledShare, chanceShare }], plain), words);
  });
}

it('the surplus that links refused has a column when there is any', () => {
  const calm = [
    { ...link, link: '1', surplus: '0' },
    { ...link, link: '2', surplus: '0' },
  ];
  assert.doesNotMatch(linkTable(calm, plain), /SURPLUS/);
  const [titles = '', first = '', second = ''] = linkTable(
    [...calm.slice(1), { ...link, link: '3', surplus: '4711' }],
    plain,
  ).split('\n');
  assert.match(titles, /THROTTLES +SHARE +SURPLUS +IN DOUBT/);
  assert.match(first, /^ *2 .* 2 +0 % +0 +1/);
  assert.match(second, /^ *3 .* 2 +0 % +4711 +1/);
  assert.equal(linkTable([], plain), 'no link runs');
});
