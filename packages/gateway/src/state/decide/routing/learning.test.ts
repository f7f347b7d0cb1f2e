import { describe } from 'node:test';
import { opened, stories } from '../../../../test/support/store/story.ts';

const one = '+41790000011';
const two = '+41790000012';

function sending(receiver: string): string {
  return `accept beta account=2 receiver=${receiver}`;
}

function left(count: number): string {
  return `restart; rematch; rows unmatched_receipt why=unknown = ${count}`;
}

/** A store with a carrier whose id rule is not set. */
const open = () => opened('carrier beta inDoubt=hold; rule beta auto; account rich 1000000000');

describe('while no id rule is set, ids are the same in answers and receipts', () => {
  for (const [answer, receipt, event] of [
    ['0913121205', '913121205', 'delivered'],
    ['0e999f21-81ef-4974-a414-3de98174e3c7', '0E999F21-81EF-4974-A414-3DE98174E3C7', 'delivered'],
    ['7', '7', 'delivered'],
    ['812FC7470000001B', '9308878062554710043', 'sent'],
    ['436949', '6AAD5', 'sent'],
  ]) {
    const [answered, reported] = [`1 accepted by=beta id=${answer}`, `receipt ${receipt} by=beta to=${one}`];
    const end = `events = ${event}; rows unmatched_receipt why=unknown = ${event === 'sent' ? 1 : 0}`;
    stories(
      {
        [`${receipt} leaves ${answer} ${event}`]: `${sending(one)}; ${answered}; ${reported}; ${end}`,
        [`${receipt} before ${answer} leaves it ${event} (D1)`]: `
          ${sending(one)}; ${reported}; restart; ${answered}; ${end}`,
        [`${receipt} in the group of ${answer} leaves it ${event}`]: `
          ${sending(one)}; ${answered} & ${reported}; ${end}`,
        [`${receipt} in the group before ${answer} leaves it ${event}`]: `
          ${sending(one)}; ${reported} & ${answered}; ${end}`,
      },
      open,
    );
  }

  for (const [receiver, event] of [
    ['', 'delivered'],
    ['4179***11', 'delivered'],
    ['SMSC', 'delivered'],
    [two, 'sent'],
  ]) {
    stories(
      {
        [`a receipt with the receiver "${receiver}" leaves it ${event}`]: `
      ${sending(one)}; 1 accepted id=123456; receipt 123456 by=beta to=${receiver}; events = ${event}`,
      },
      open,
    );
  }
});

describe('a rule that is set', () => {
  const sent = Array.from(
    { length: 25 },
    (_, at) => `${sending(one)}; ${at + 1} accepted by=beta id=${(0xa000 + at).toString(16)}`,
  );
  const receipts = Array.from({ length: 25 }, (_, at) => `receipt ${0xa000 + at} by=beta to=${one}`);
  const found = 'rule beta hex-answer; rematch; events = delivered; rows unmatched_receipt = 0';
  stories(
    {
      'matches unmatched receipts again, in as many steps as needed, over restarts': `
        ${sent.join('; ')}; ${receipts.join('; ')}; receipt 1 by=beta to=${one}; rule beta hex-answer
        ${left(16)}; ${left(6)}; ${left(1)}; events = ${'delivered '.repeat(25).trim()}`,
      'matches a receipt without a number again if its id is long': `
        ${sending(one)}; 1 accepted id=33647f6c; receipt 862224236 by=beta to=; ${found}`,
      'does not match one again if its id is short': `
        ${sending(one)}; 1 accepted id=a1; receipt 161 by=beta to=; rule beta hex-answer; rematch; events = sent`,
      'matches a receipt whatever its receiver is': `
        rule beta hex-answer; ${sending(one)}; 1 accepted id=ff; receipt 255 by=beta to=nobody; events = delivered`,
    },
    open,
  );
});

describe('a receipt that was unmatched before its part was in doubt', () => {
  const looked = 'restart; rematch; part state';
  const early = `receipt early-1 by=beta to=${one}`;
  stories(
    {
      'settles it at the next look (D1)': `
        ${sending(one)}; ${sending(two)}; ${early}; 1 in_doubt & 2 in_doubt by=beta; ${looked} = delivered in_doubt
        rows unmatched_receipt = 0`,
      'stays unmatched where two could be meant (D1)': `
        ${sending(one)}; ${sending(one)}; ${early}; 1 in_doubt & 2 in_doubt by=beta; ${looked} = in_doubt in_doubt
        rows unmatched_receipt why=unknown = 1`,
      'does not match if it came before its claim': `
        ${early}; wait 1s; ${sending(one)}; 1 in_doubt; rematch; events = sent; rows unmatched_receipt why=unknown = 1`,
    },
    open,
  );
});
