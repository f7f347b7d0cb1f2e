import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sendingsOf } from './notice.ts';

const warnings = (count: number) => Array.from({ length: count }, () => ({ severity: 'warning' }) as const);
const now = 100_000;

it('a receiver gets at most six notifications in a minute, and the last one sums up all other alarms', () => {
  const rows: readonly (readonly [due: number, tries: readonly number[], sizes: readonly number[]])[] = [
    [0, [], []],
    [1, [], [1]],
    [6, [], [1, 1, 1, 1, 1, 1]],
    [7, [], [1, 1, 1, 1, 1, 2]],
    [1_000, [], [1, 1, 1, 1, 1, 995]],
    [200, [now - 1, now - 59_999], [1, 1, 1, 197]],
    [200, [now, now, now, now, now], [200]],
    [1, [now, now, now, now, now, now], []],
    [3, [now, now, now, now, now, now - 60_000], [3]],
  ];
  for (const [due, tries, sizes] of rows) {
    const sendings = sendingsOf(warnings(due), { tries, now });
    assert.deepEqual(
      sendings.map(({ length }) => length),
      sizes,
      `${due} due`,
    );
  }
});

it('critical alarms come before warnings', () => {
  const [first] = sendingsOf([...warnings(9), { severity: 'critical' }], { tries: [], now });
  assert.deepEqual(first, [{ severity: 'critical' }]);
});
