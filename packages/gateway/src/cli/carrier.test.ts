import assert from 'node:assert/strict';
import { it } from 'node:test';
import { linkTable } from './carrier.ts';

const link = { state: 'bound', windowUsed: '0', windowMax: '10', throttles: '2', inDoubt: '1', lastError: null };

it('the surplus that links refused has a column when there is any', () => {
  const calm = [
    { ...link, link: '1', surplus: '0' },
    { ...link, link: '2', surplus: '0' },
  ];
  assert.doesNotMatch(linkTable(calm, false), /SURPLUS/);
  const [titles = '', first = '', second = ''] = linkTable(
    [...calm.slice(1), { ...link, link: '3', surplus: '4711' }],
    false,
  ).split('\n');
  assert.match(titles, /THROTTLES +SURPLUS +IN DOUBT/);
  assert.match(first, /^ *2 .* 2 +0 +1/);
  assert.match(second, /^ *3 .* 2 +4711 +1/);
  assert.equal(linkTable([], false), 'no link runs');
});
