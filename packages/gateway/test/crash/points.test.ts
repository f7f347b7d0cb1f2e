/* A gateway is killed at a named point of the script. `npm run points` does it at every pass of every point. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { killAt } from './points/steps.ts';
import { Place } from './points/script.ts';

it('a gateway that is killed after a commit, before its answer, loses nothing and doubles nothing', async () => {
  using place = await Place.make();
  const { isReached, lost } = await killAt(place, 'before answer', 1);
  assert.ok(isReached);
  assert.deepEqual(lost, []);
});
