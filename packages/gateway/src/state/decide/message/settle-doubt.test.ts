import { describe } from 'node:test';
import { opened, stories } from '../../../../test/support/store/stories/story.ts';

const doubtful = 'doubts alpha hold; accept alpha; 1 in_doubt';

describe('a part in doubt that the operator settles', () => {
  stories({
    'as resend: waits again, at once, and is sent once more': `
      ${doubtful}; settle 1 resend -> ok; claim 1 -> 1.1; part attempts = 2`,
    'as sent: waits for its receipt, which its numbers find': `
      ${doubtful}; settle 1 sent; events = sent; receipt 77; events = delivered`,
    'as unknown: ends without a refund, and a later receipt corrects it': `
      ${doubtful}; settle 1 unknown; events = unknown; balance = 90; 1 accepted id=77; receipt 77; events = delivered`,
    'is one part of several, if a part is named': `
      doubts alpha hold; accept 2 alpha; 1.1 in_doubt; 1.2 in_doubt; settle 1 unknown part=2 -> ok
      states = in_doubt unknown`,
    'is refused where nothing is in doubt, and a resend after the end of the validity': `
      doubts alpha hold; accept; settle 1 resend -> does_not_exist; accept alpha; 2 in_doubt; wait 60s
      settle 2 resend -> invalid_parameter; states = queued in_doubt`,
  });
});

/** A message of so many parts, of which the first are in doubt, and are sent again. */
function inDoubt(message: number, doubts: number, parts = doubts): string {
  const all = Array.from({ length: doubts }, (_, at) => `${message}.${at + 1} in_doubt`);
  return [`accept ${parts} alpha`, ...all].join('; ');
}

const goAgain = 'wait 31s; expire; claim';

describe('receipts with unknown ids for a long message in doubt', () => {
  const isDone = `events = delivered; ${goAgain} ->; receipt r1 -> duplicate; rows doubt = 0`;
  const [matched, delivered] = ['matched & matched & matched', 'events = delivered'];
  stories(
    {
      'settle as many parts as they are, in one group, and nothing is sent again': `
        ${inDoubt(1, 3)}; restart; receipt r3 & receipt r2 & receipt r1 -> ${matched}; ${isDone}`,
      'settle as many parts as they are, one by one, and nothing is sent again': `
        ${inDoubt(1, 3)}; restart; receipt r3; receipt r2; receipt r1; ${isDone}`,
      'settle the parts in their order, whatever their states': `
        ${inDoubt(1, 3)}; receipt r0 UNDELIVERABLE; receipt r1 ENROUTE; receipt r2; receipt r1
        states = undelivered delivered delivered; events = undelivered; balance = 70`,
      'wait while one of its parts is in flight, and are looked at again after its answer': `
        ${inDoubt(1, 2, 3)}; receipt r1; receipt r2; rows unmatched_receipt = 2; 1.3 accepted id=r3; rematch
        receipt r3; ${delivered}; ${goAgain} ->`,
      'wait while two messages could be meant, and are looked at again when the next receipt comes': `
        ${inDoubt(1, 2)}; ${inDoubt(2, 1)}; receipt r1; receipt r2; 2 accepted id=r3; restart; receipt r4
        events = delivered sent; ${goAgain} ->; events = delivered sent`,
      'wait while two messages could be meant, and are looked at again when a part would be sent again': `
        ${inDoubt(1, 2)}; ${inDoubt(2, 1)}; receipt r1; receipt r2; 2 accepted id=r3; restart; ${goAgain} ->
        events = delivered sent`,
      'settle first the parts without a later accepted attempt': `
        ${inDoubt(1, 2)}; ${goAgain} 1 -> 1.1; 1 accepted attempt=2 id=r3; receipt r2; states = sent delivered
        receipt r3; ${delivered}`,
    },
    () => opened('doubts alpha resend'),
  );
});
