import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toMessageId } from '../../../core/base/message-id.ts';
import { retryDelayMs } from '../../../core/message/retry.ts';
import { opened, stories, tell } from '../../../../test/support/store/stories/story.ts';

describe('a part refused for the moment', () => {
  it('is tried again after growing waits, until the validity ends; then it is expired and refunded, once', async () => {
    await using store = await opened('accept alpha expires=600s');
    const begin = store.now;
    const tries: number[] = [];
    for (let attempt = 1; (await store.part(1001)) !== 'expired'; attempt++) {
      assert.ok(attempt < 20, 'it ends');
      tries.push(store.now - begin);
      const { lease } = store;
      const recorded = await store.one<'outcome'>(store.outcome(1001, { attempt, lease, outcome: 'temporary' }));
      const due = recorded.ok ? recorded.value.due : null;
      assert.ok(due !== null && due <= begin + 600_000);
      store.now = due;
      await tell(store, `expire; claim 1 -> ${due < begin + 600_000 ? '1.1' : ''}`);
    }
    const after = [0];
    for (let count = 1; count <= 6; count++)
      after.push((after.at(-1) ?? 0) + retryDelayMs({ message: toMessageId(1001), tries: count }));
    // The last one, ten seconds before the end, replaces one that would come too late.
    assert.deepEqual(tries, [...after, 590_000]);
    await tell(store, 'balance = 100; rows entry kind=refund = 1');
  });

  const expired = 'events = expired; balance = 100';
  stories(
    Object.fromEntries(
      ['accepted', 'temporary', 'busy', 'refused', 'in_doubt'].map((late) => [
        `has expired, and a second ${late} of its last attempt changes nothing (S3)`,
        `accept alpha expires=10s; 1 temporary; expire 10s; ${expired}; 1 ${late} id=a; ${expired}`,
      ]),
    ),
  );

  stories({
    'is not sent after its validity, even before `expire` has run: its claim ends it': `
      accept & accept expires=120s; wait 60s; claim 2 -> 2.1; events = expired queued; balance = 90; expire; balance = 90`,
    'does not wait again if another part of its message was canceled': `
      accept 2; claim 1; cancel 1 account=1; states = claimed canceled; 1 temporary -> never
      events = canceled; balance = 100`,
  });
});

describe('a part in doubt', () => {
  stories({
    'is not sent again after the validity of its message: it waits for its receipt': `
      accept alpha expires=20s; 1 in_doubt; wait 30s; expire; states = in_doubt; claim ->; receipt 77; events = delivered`,
    'that a late answer settled for the moment expires, and is refunded: it certainly never reached a phone': `
      accept alpha; 1 in_doubt; 1 temporary; expire 60s; events = expired; balance = 100`,
  });

  for (const [what, before] of [
    ['', 'states = in_doubt claimed'],
    ['that waits to be sent again ', 'wait 30s; expire; states = queued claimed'],
  ]) {
    stories({
      [`${what}is sent no more when another part is refused, and is no canceled one`]: `
        accept 2 expires=600s; claim 1; 1 in_doubt; claim 1; ${before}; 1.2 refused; states = in_doubt rejected
        wait 120s; expire; states = in_doubt rejected; claim 2 ->; balance = 90
        receipt first; states = delivered rejected; events = rejected`,
    });
  }

  for (const [outcome, state] of [
    ['refused', 'rejected'],
    ['temporary', 'queued'],
    ['busy', 'queued'],
  ]) {
    stories({
      [`that a late ${outcome} settles is in doubt no more: ${state}, and no receipt is guessed to be its own`]: `
        carrier beta inDoubt=hold; accept beta; 1 in_doubt; rows doubt = 1; 1 ${outcome}; states = ${state}
        rows doubt = 0; receipt other by=beta -> unmatched`,
    });
  }
});
