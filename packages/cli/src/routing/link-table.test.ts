import assert from 'node:assert/strict';
import { it } from 'node:test';
import { linkTable } from './link-table.ts';

const now = Date.parse('2026-01-31T12:00:00Z');
const at = (time: string) => Date.parse(time);

const link = {
  link: 1,
  state: 'bound',
  node: null,
  since: now,
  windowUsed: 0,
  windowMax: 10,
  pace: null,
  throughput: 0,
  submitted: 3,
  accepted: 3,
  refused: 0,
  throttles: 2,
  throttledShare: 0,
  chanceShare: 0,
  surplus: 0,
  unreadable: 0,
  inDoubt: 1,
  downSince: null,
  reconnects: 0,
  nextTryAt: null,
  pausedUntil: null,
  lastError: null,
  lastErrorAt: null,
} as const;

for (const [what, state, words] of [
  [
    'waits',
    { state: 'waiting', nextTryAt: at('2026-01-31T12:00:11.200Z'), pausedUntil: null },
    / connects again in 12 s /,
  ],
  [
    'was to try already',
    { state: 'waiting', nextTryAt: at('2026-01-31T11:59:59Z'), pausedUntil: null },
    / connects again in 0 s /,
  ],
  [
    'is paused',
    { state: 'throttled', nextTryAt: null, pausedUntil: at('2026-01-31T12:00:02Z') },
    / sends again in 2 s /,
  ],
] as const) {
  it(`a link that ${what} says until when`, () => {
    assert.match(linkTable([{ ...link, ...state }], { hasColour: false, now }), words);
  });
}

const plain = { hasColour: false, now: 0 };

it('the node of each link is shown if there are several', () => {
  assert.doesNotMatch(linkTable([link], plain), /NODE/);
  assert.match(linkTable([{ ...link, node: 'n1' }, link], plain), /NODE .*\n +1 +bound +n1 /);
});

for (const [throttledShare, chanceShare, words] of [
  [0.023, 0, / 2 +2\.3 % +1/],
  [0.21, 0.2, / 2 +21 %, 20 % by chance +1/],
] as const) {
  it(`a share of ${throttledShare} of throttling answers, ${chanceShare} by chance, stands beside their count`, () => {
    assert.match(linkTable([{ ...link, throttledShare, chanceShare }], plain), words);
  });
}

it('the surplus that links refused has a column if there is any', () => {
  const calm = [link, { ...link, link: 2 }];
  assert.doesNotMatch(linkTable(calm, plain), /SURPLUS/);
  const [titles = '', first = '', second = ''] = linkTable(
    [...calm.slice(1), { ...link, link: 3, surplus: 4_711 }],
    plain,
  ).split('\n');
  assert.match(titles, /THROTTLES +SHARE +SURPLUS +IN DOUBT/);
  assert.match(first, /^ *2 .* 2 +0 % +0 +1/);
  assert.match(second, /^ *3 .* 2 +0 % +4711 +1/);
  assert.equal(linkTable([], plain), 'no link runs');
});
