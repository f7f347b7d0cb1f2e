import assert from 'node:assert/strict';
import { it } from 'node:test';
import { TestClock } from '../../../test/support/test-clock.ts';
import { Proof, provenMs } from './proof.ts';

function opened() {
  const clock = TestClock.still();
  const needed: boolean[] = [];
  const proof = new Proof(clock, (isPause) => void needed.push(isPause));
  assert.ok(proof.whenProven(), 'nothing is proven yet');
  proof.renewed(proof.read());
  return { clock, needed, proof };
}

const ends = {
  'a suspended machine': { isPause: true, end: (clock: TestClock) => (clock.suspendedMs += 1_500) },
  'a wall clock that went on or was set': { isPause: true, end: (clock: TestClock) => (clock.wallAheadMs += 1_500) },
  'a late renewal': { isPause: false, end: (clock: TestClock) => clock.advance(provenMs) },
};

for (const [way, { isPause, end }] of Object.entries(ends)) {
  it(`${way}: a node may send again once a renewal that it sent after it is answered`, async () => {
    const { clock, needed, proof } = opened();
    clock.wallAheadMs += 900;
    assert.equal(proof.whenProven(), undefined, 'a usual correction');
    clock.advance(1_000);
    const before = proof.read();
    clock.advance(200);
    end(clock);
    const proven = proof.whenProven();
    assert.ok(proven);
    proof.renewed(before);
    assert.equal(proof.whenProven(), proven, 'that was sent before it');
    clock.advance(1_000);
    proof.renewed(proof.read());
    await proven;
    assert.deepEqual([proof.whenProven(), needed], [undefined, [isPause]]);
  });
}

it('a renewal proves nothing more if its answer comes late', () => {
  const { clock, proof } = opened();
  const sent = proof.read();
  clock.advance(provenMs - 1);
  proof.renewed(sent);
  assert.equal(proof.whenProven(), undefined);
  clock.advance(1);
  assert.ok(proof.whenProven());
  proof.renewed(sent);
  assert.ok(proof.whenProven());
});
