import { describe } from 'node:test';
import { opened, stories } from '../../../../test/support/store/story.ts';

const ours = '+41790000001';
const oursToo = '+41791112244';
const attacker = '+41799999999';

/** The account has two numbers and refunds undelivered parts. */
const open = (mode = 'auto') => opened(`texts ${mode}; refunds undelivered; number ${ours}; number ${oursToo}`);

const sent = 'accept alpha; 1 accepted id=5004';
const sentToo = 'accept alpha; 2 accepted id=5005';

/*
 * Anybody can write a text that nothing but its form marks as a receipt (esm_class 0, no TLV):
 * promise O4 in the store.
 */
describe('an unmarked text that looks like a receipt', () => {
  stories(
    {
      'settles no message of another receiver, and reaches the account of the number it was sent to (O4)': `
        ${sent}; text 5004 REJECTED from=${attacker} -> inbound; events = sent; rows unmatched_receipt = 0
        rows inbound account=1 sender=${attacker} receiver=${ours} = 1`,
      'is a receipt if it comes from the receiver of the message that it names': `
        ${sent}; text 5004 -> matched; events = delivered`,
      'is unmatched if the answer to a message to that number is still to come (D1)': `
        accept alpha; text 5004 -> unmatched; 1 accepted id=5004; events = delivered`,
      'is unmatched once the carrier is known to send such receipts, after a restart, too': `
        ${sent}; text 5004; restart; text 5005 from=${attacker} -> unmatched`,
      "does not change receipts that the carrier marks, even without the receiver's number": `
        ${sent}; receipt 5004 to=+00 -> matched; events = delivered`,
      "is a message if it went to a number of ours other than the message's sender": `
        ${sent}; text 5004 to=${oursToo} -> inbound; events = sent`,
    },
    open,
  );
  stories({ 'is unmatched if no account has the number': `text 5005 from=${attacker} -> unmatched` });
});

describe('an unmarked text of a carrier that marks its receipts', () => {
  stories(
    {
      'is an inbound message, whatever its id, in the same group and after a restart (O4)': `
        ${sent}; ${sentToo}; receipt 5004 & text 5005 UNDELIVERABLE -> matched & inbound; restart
        text 5005 REJECTED -> inbound; receipt 5005 -> matched; events = delivered delivered
        rows inbound = 2; balance = 80`,
      'was unmatched before the first marked receipt came, and is an inbound message then': `
        ${sent}; accept alpha; text 5005 UNDELIVERABLE -> unmatched; receipt 5004; restart; rematch; 2 accepted id=5005
        events = delivered sent; rows unmatched_receipt = 0; rows inbound = 1`,
    },
    open,
  );
  for (const [mode, becomes] of [
    ['auto', 'inbound'],
    ['off', 'inbound'],
    ['on', 'matched'],
  ] as const) {
    const about = `under --text-receipts ${mode} it is ${becomes}`;
    stories({ [about]: `${sent}; ${sentToo}; receipt 5004; text 5005 -> ${becomes}` }, () => open(mode));
  }
  const about = 'is an inbound message under --text-receipts off before any receipt was marked';
  stories({ [about]: `${sent}; text 5004 -> inbound` }, () => open('off'));
});

describe('an unmarked text that was read as a receipt', () => {
  // A text that a marked receipt contradicts was an inbound message, unless the operator says otherwise.
  for (const [mode, inbound] of [
    ['auto', 1],
    ['on', 0],
  ] as const) {
    const about = `refunds nothing under ${mode}, and a marked receipt corrects it, once`;
    const text = `${sent}; text 5004 UNDELIVERABLE -> matched; events = undelivered; balance = 90; restart
      receipt 5004 -> matched; events = delivered; balance = 90; receipt 5004 REJECTED -> duplicate
      events = delivered; rows inbound account=1 = ${inbound}`;
    stories({ [about]: text }, () => open(mode));
  }

  stories(
    {
      'is confirmed by a marked receipt, which refunds': `
        ${sent}; text 5004 UNDELIVERABLE; receipt 5004 UNDELIVERABLE -> matched; events = undelivered; balance = 100
        receipt 5004 UNDELIVERABLE -> duplicate; balance = 100; rows inbound = 0`,
      'is corrected in one step if texts ended several parts: with the last of them': `
        accept 2 alpha; 1.1 accepted id=5004; text 5004 UNDELIVERABLE; 1.2 accepted id=5005; text 5005 UNDELIVERABLE
        receipt 5004; events = undelivered; receipt 5005; events = delivered; balance = 80`,
      'ends no doubt by its numbers alone, and the marked receipt does': `
        accept alpha; 1 in_doubt; text 5005 UNDELIVERABLE -> unmatched; restart; receipt 5004 -> matched
        events = delivered; balance = 90; rematch; rows unmatched_receipt = 0; rows inbound = 1`,
      'ends a doubt by its numbers alone once the carrier is known to send such receipts': `
        accept alpha; 1 in_doubt; text 5005 -> unmatched; accept alpha sender=${oursToo} receiver=${attacker}
        2 accepted id=5006; text 5006 from=${attacker} to=${oursToo}; rematch; events = delivered delivered
        rows unmatched_receipt = 0`,
      'does not refund either if its answer comes after it (D1)': `
        accept alpha; text 5004 UNDELIVERABLE; restart; 1 accepted id=5004; events = undelivered; balance = 90`,
    },
    open,
  );
});
