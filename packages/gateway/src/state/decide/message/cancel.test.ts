import { describe } from 'node:test';
import { refundPolicies } from '@morsel/api/values/account.ts';
import { stories } from '../../../../test/support/store/stories/story.ts';

describe('canceling', () => {
  const again = 'cancel 1 -> 0 for 0';
  for (const [name, due] of [
    ['waits', '0s'],
    ['is scheduled', '1h'],
  ]) {
    stories({
      [`a message that ${name} ends it, all parts in one commit, and refunds it once`]: `
        accept 3 due=${due}; cancel 1 account=1 -> 3 for 30; events = canceled; states = canceled canceled canceled
        part deadline = - - -; rows queue = 0; notes = the client canceled 3 of 3 parts; balance = 100
        ${again}; wait ${due}; wait 100h; queue-due 1 & expire & claim; events = canceled; balance = 100; rows note = 1`,
    });
  }

  stories(
    Object.fromEntries(
      refundPolicies.map((policy) => [
        `under ${policy} gives back ${policy === 'never' ? 'nothing' : 'the price'}`,
        `account other 10 ${policy}; accept account=2; cancel 1 account=2; events = canceled
        balance 2 = ${policy === 'never' ? 0 : 10}`,
      ]),
    ),
  );

  const late: { readonly [what: string]: readonly [before: string, event: string, state: string] } = {
    'is claimed': ['', 'queued', 'claimed'],
    'was sent': ['1 accepted', 'sent', 'sent'],
    'is in doubt': ['1 in_doubt', 'sent', 'in_doubt'],
    'waits to be sent again after a doubt': ['1 in_doubt; wait 30s; expire', 'sent', 'queued'],
    'was refused': ['1 refused', 'rejected', 'rejected'],
    'is delivered': ['1 accepted id=a & receipt a', 'delivered', 'delivered'],
    'has expired': ['1 temporary; expire 60s', 'expired', 'expired'],
  };
  for (const [name, [before, event, state]] of Object.entries(late)) {
    const balance = ['refused', 'expired'].some((word) => name.includes(word)) ? 100 : 90;
    stories({
      [`a message that ${name} is too late, and changes nothing`]: `
        accept alpha; ${before}; cancel 1 -> too_late; states = ${state}; events = ${event}
        balance = ${balance}; rows note kind=canceled = 0`,
    });
  }

  stories({
    'an unknown message, or that of another account, is not found; the operator may cancel any': `
      accept; cancel 9 account=1 -> message_not_found; cancel 1 account=2 -> message_not_found; events = queued
      cancel 1 -> 1 for 10; notes = the operator canceled 1 of 1 parts`,
    'a part that waits for its next try is canceled: no carrier has it': `
      accept alpha; 1 temporary; cancel 1 -> 1 for 10; events = canceled; balance = 100`,
    'several parts cancels those not yet sent, and the others decide its final event': `
      accept 3; claim 1; 1 accepted id=a; cancel 1 -> 2 for 20; events = sent; balance = 90
      receipt a; events = canceled; ${again}; balance = 90`,
    'several parts withdraws the part that waits to be sent again after a doubt; its receipt may still come': `
      accept 2 expires=600s; claim 1; 1 in_doubt; wait 30s; expire; cancel 1 -> 1 for 10; states = in_doubt canceled
      claim ->; balance = 90; expire 100h; states = unknown canceled; events = unknown; balance = 90`,
    'before a claim of its group: only the cancel happens': `
      accept 2; cancel 1 & claim -> 2 for 20 &; events = canceled; balance = 100; part attempts = 0 0`,
    'behind a claim of its group: only the claim happens': `
      accept 2; claim & cancel 1 -> 1.1 1.2 & too_late; events = queued; balance = 80; part attempts = 1 1`,
  });
});
