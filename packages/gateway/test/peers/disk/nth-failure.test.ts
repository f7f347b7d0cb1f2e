/*
 * Some of the failures of `npm run points`: the n-th call of a kind for the database's files fails once. The gateway
 * goes on, or ends, as P3 and P4 say. After a restart nothing is lost, and nothing is double.
 */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Place } from '../../crash/points/script.ts';
import { compileShim, failAt, failures } from '../../crash/points/steps.ts';
import { missing } from '../needs.ts';

/** Calls while the gateway starts, and while it works. */
const chosen: { readonly [kind: string]: readonly number[] } = {
  write: [12, 60],
  sync: [2, 9],
  read: [20, 320],
  cut: [8],
  map: [2],
};

it(
  'a failing call for the files of the database loses nothing and doubles nothing',
  { skip: missing('cc') },
  async (t) => {
    using place = await Place.make();
    compileShim(place);
    for (const failure of failures) {
      for (const nth of chosen[failure.split(' ')[0] ?? ''] ?? []) {
        const { isReached, lost, end = 'went on' } = await failAt(place, failure, nth);
        assert.ok(isReached, `${failure} ${nth} was reached`);
        assert.deepEqual(lost, [], `${failure} ${nth}`);
        t.diagnostic(`${failure} ${nth}: ${end}`);
      }
    }
  },
);
