import { describe } from 'node:test';
import { stories } from '../../../../test/support/store/stories/story.ts';

/* A carrier that takes long messages whole: one request, one answer and one receipt stand for all parts. */

describe('a long message in one request', () => {
  const sent = '1 accepted id=a; states = sent sent sent';
  const ended = 'receipt a; states = delivered delivered delivered; events = delivered';
  const claimed = 'states = claimed claimed claimed';
  stories({
    'claimed when it is accepted, is answered and delivered once for all its parts': `
      accept 3 alpha whole; ${claimed}; ${sent}; ${ended}`,
    'claimed later, is answered and delivered once for all its parts': `
      accept 3; claim whole -> 1.1; part attempts = 1 1 1; ${claimed}; ${sent}; ${ended}`,
    'is answered after a restart of the engine, too, when its rows are no longer in memory': `
      accept 3 alpha whole; restart; 1 accepted id=a; restart; receipt a UNDELIVERABLE
      states = undelivered undelivered undelivered`,
    'settles with a receipt that came before its answer (D1)': `
      accept 2 alpha whole; receipt a; 1 accepted id=a; states = delivered delivered; rows unmatched_receipt = 0`,
    'is refused as a whole': 'accept 2 alpha whole; 1 refused; states = rejected rejected',
    'comes back as a whole': 'accept 2 alpha whole; 1 busy; states = queued queued',
    'is tried again as a whole': 'accept 2 alpha whole; 1 temporary; states = queued queued',
    'in doubt is settled by the receipt between its numbers': `
      accept 2 alpha whole; 1 in_doubt; states = in_doubt in_doubt; receipt never; states = delivered delivered
      rows doubt = 0`,
    'goes in parts if one of them was sent before': `
      accept 2; claim 1; 1 accepted id=a; claim whole -> 1.2; 1.2 accepted id=b; receipt b; states = sent delivered`,
    'of one part is like any other': 'accept alpha whole; part claim_is_whole = 0',
  });
});
