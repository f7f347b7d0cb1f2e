import assert from 'node:assert/strict';
import { it } from 'node:test';
import { statusName } from '@morsel/smpp';
import type { CarrierProfile } from '../routing/carrier-profile.ts';
import { mayFailOver, outcomeOf, type Outcome } from './outcome.ts';

type Classes = CarrierProfile['statusClasses'];
const none: Classes = {};
/** Settings of a carrier's profile for its own codes, and for the standard's. */
const own: Classes = {
  0x400: 'temporary',
  0x401: 'throttled',
  0x08: 'permanent',
  0: 'permanent',
};

const table: readonly (readonly [number, Classes, Outcome])[] = [
  [0x00, none, 'accepted'],
  [0x14, none, 'busy'],
  [0x58, none, 'busy'],
  [0x04, none, 'temporary'],
  [0x08, none, 'temporary'],
  [0x64, none, 'temporary'],
  [0x01, none, 'refused'],
  [0x0b, none, 'refused'],
  [0x45, none, 'refused'],
  [0x65, none, 'refused'],
  [0x66, none, 'refused'],
  [0xff, none, 'refused'],
  [0x400, none, 'refused'],
  [0x4ff, none, 'refused'],
  [0xffffffff, none, 'refused'],
  [0x400, own, 'temporary'],
  [0x401, own, 'busy'],
  [0x402, own, 'refused'],
  [0x403, own, 'refused'],
  [0x08, own, 'refused'],
  [0x58, own, 'busy'],
  [0x00, own, 'accepted'],
];
for (const [status, classes, outcome] of table) {
  const whose = classes === own ? 'with classes of the carrier' : 'by the standard';
  it(`${statusName(status)} is ${outcome} ${whose}`, () => {
    assert.equal(outcomeOf(status, classes), outcome);
  });
}

it('after a refusal that concerns the carrier another carrier is tried, not after one that concerns the message', () => {
  assert.deepEqual(
    [0x45, 0x0a, 0xff, 0x101].map((commandStatus) => mayFailOver(commandStatus)),
    [true, true, true, true],
  );
  assert.deepEqual(
    [0x0b, 0x01, 0x66, 0x410].map((commandStatus) => mayFailOver(commandStatus)),
    [false, false, false, false],
  );
});
