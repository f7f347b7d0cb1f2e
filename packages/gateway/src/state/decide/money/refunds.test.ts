import { describe } from 'node:test';
import type { RefundPolicy } from '@morsel/api/values/account.ts';
import type { InDoubtPolicy } from '../../../core/routing/carrier.ts';
import { stories } from '../../../../test/support/store/stories/story.ts';

/*
 * Decisions, section 4: a refund returns the price of parts once, by the account's policy, whatever receipts come in
 * whatever order. A part in doubt is not refunded, and a refund is never charged again. `test/crash/ledger-model`
 * compares any order of steps with a model.
 */

const opening = 1_000_000;
const price = 10;

describe('rules of decisions, section 4, and of docs/decisions/0003', () => {
  interface Row {
    readonly about: string;
    /** The steps of the message after a link has claimed it. */
    readonly steps: string;
    readonly parts?: number;
    readonly inDoubt?: InDoubtPolicy;
    /** The number of refunds under each policy. */
    readonly refunds: { readonly [P in RefundPolicy]?: number };
  }
  const none = { never: 0, unsent: 0, refused: 0, undelivered: 0 };
  const canceled = '1 temporary; cancel 1 & cancel 1; cancel 1';
  const rows: readonly Row[] = [
    { about: 'a carrier refused it', steps: '1 refused', refunds: { ...none, refused: 1, undelivered: 1 } },
    {
      about: 'one part was refused and two were not sent yet',
      parts: 3,
      steps: '1.2 temporary; 1.3 temporary; 1.1 refused',
      refunds: { unsent: 2, refused: 3 },
    },
    {
      about: 'one part was accepted and one was refused',
      parts: 2,
      steps: '1.1 accepted id=1; 1.2 refused',
      refunds: { refused: 1 },
    },
    {
      about: 'the same refusal twice, and a receipt after it',
      steps: '1 refused; 1 refused; receipt 1 UNDELIVERABLE',
      refunds: { refused: 1 },
    },
    {
      about: 'rejected in a receipt after it was accepted',
      steps: '1 accepted id=1; receipt 1 REJECTED',
      refunds: { refused: 0 },
    },
    {
      about: 'undelivered after it was accepted',
      steps: '1 accepted id=1; receipt 1 UNDELIVERABLE',
      refunds: { ...none, undelivered: 1 },
    },
    {
      about: 'no carrier took it before its validity ended',
      steps: '1 temporary; expire 1h',
      refunds: { never: 0, unsent: 1, refused: 1, undelivered: 1 },
    },
    { about: 'it was canceled, twice', steps: canceled, refunds: { unsent: 1, refused: 1 } },
    {
      about: 'in doubt, sent again and refused as a duplicate, perhaps',
      steps: '1 in_doubt; expire 36s; wait 60s; claim 1; 1 refused attempt=2; expire 200h',
      inDoubt: 'resend',
      refunds: { refused: 0 },
    },
    {
      about: 'in doubt, and then the answer came after all: refused',
      steps: '1 in_doubt; 1 refused',
      refunds: { refused: 1, undelivered: 1 },
    },
    {
      about: 'the receipt came before the answer',
      steps: 'receipt 1 UNDELIVERABLE; 1 accepted id=1',
      refunds: { undelivered: 1 },
    },
    {
      about: 'the same receipt three times',
      steps: '1 accepted id=1; receipt 1 EXPIRED; receipt 1 EXPIRED; receipt 1 UNDELIVERABLE',
      refunds: { undelivered: 1 },
    },
    { about: 'no receipt ever came', steps: '1 accepted id=1; expire 100h', refunds: none },
    {
      about: 'no receipt came for days, and then a bad one',
      steps: '1 accepted id=1; expire 100h; receipt 1 UNDELIVERABLE',
      refunds: { undelivered: 1 },
    },
    { about: 'in doubt, and held forever', steps: '1 in_doubt; expire 100h', refunds: none },
    { about: 'in doubt, and given up', steps: '1 in_doubt', inDoubt: 'fail', refunds: none },
    {
      about: 'in doubt, sent again and canceled before it was',
      steps: '1 in_doubt; expire 36s; cancel 1',
      inDoubt: 'resend',
      refunds: none,
    },
  ];
  for (const { about, parts = 1, inDoubt = 'hold', steps, refunds } of rows) {
    for (const [policy, refunded] of Object.entries(refunds)) {
      stories({
        [`${policy}: ${about}: ${refunded} refunded`]: `
          account subject ${opening} ${policy}; doubts alpha ${inDoubt}; accept ${parts} alpha account=2; ${steps}
          rows entry kind=refund = ${refunded}; balance 2 = ${opening - parts * price + refunded * price}`,
      });
    }
  }
});
