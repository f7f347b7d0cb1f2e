import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Sightings } from './sightings.ts';

const row = { node: 4, name: 'n1', isStopped: false, isDraining: false, settings: 1, release: '', duties: 0 };
const member = { ...row, boundLinks: [], sessions: 0, lease: 4, hasLease: true, clockOffMs: 0 };

it('this node measures the silence of other nodes on its own clock, whatever the database’s clock shows', () => {
  const sightings = new Sightings();
  const agoOf = (renewedAt: string, storedAgoMs: number, now: number) =>
    sightings.see([{ ...member, renewedAt, storedAgoMs }], now)[0]?.agoMs;
  assert.equal(agoOf('10:00:00', 300, 1_000), 300, 'at the first sight its row counts');
  assert.equal(agoOf('10:00:01', 3_600_000, 2_000), 0, 'the clock of the database was set ahead');
  assert.equal(agoOf('09:00:02', -3_600_000, 3_000), 0, 'and back');
  assert.equal(agoOf('09:00:02', -3_600_000, 48_000), 45_000);
});
