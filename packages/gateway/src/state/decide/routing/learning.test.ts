import { describe } from 'node:test';
import { opened, stories } from '../../../../test/support/store/stories/story.ts';

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
    ['a1', 'a1', 'delivered'],
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

  for (const [id, receiver, event] of [
    ['123456', '', 'delivered'],
    ['123456', '4179***11', 'delivered'],
    ['123456', 'SMSC', 'delivered'],
    ['123456', two, 'sent'],
    ['12345', '', 'sent'],
    ['0e999f21-81ef', two, 'delivered'],
  ]) {
    const about = `a receipt ${id} with the receiver "${receiver}" leaves it ${event}`;
    const text = `${sending(one)}; 1 accepted id=${id}; receipt ${id} by=beta to=${receiver}; events = ${event}`;
    stories({ [about]: text }, open);
  }

  const both = `${sending(one)}; ${sending(one)}`;
  const sixteen = `receipt 16 by=beta to=${one}`;
  const unmatched = 'rows unmatched_receipt';
  stories(
    {
      'a short id waits if by another rule it is the id of another message to its receiver': `
        ${both}; 1 accepted id=10 & 2 accepted by=beta id=16; ${sixteen}; events = sent sent; restart; rematch
        ${unmatched} = 1; rule beta hex-answer; rematch; events = delivered sent; ${unmatched} = 0`,
      'a short id does not wait for a message to another receiver': `
        ${sending(two)}; ${sending(one)}; 1 accepted id=10 & 2 accepted by=beta id=16; ${sixteen}
        events = sent delivered`,
      'a short id waits if another message to its receiver has no answer yet': `
        ${both}; 1 accepted id=16; ${sixteen}; events = sent queued; ${unmatched} = 1; 2 accepted id=10
        rule beta hex-answer; rematch; events = sent delivered; ${unmatched} = 0`,
      'a short id waits no longer than for the answer to the other message': `
        ${both}; 1 accepted id=16; ${sixteen}; rematch; ${unmatched} = 1; 2 accepted by=beta id=17; rematch
        events = delivered sent; ${unmatched} = 0`,
      'a short id waits no longer than for the refusal of the other message': `
        ${both}; 1 accepted id=16; ${sixteen}; rematch; ${unmatched} = 1; 2 refused by=beta; rematch
        events = delivered rejected; ${unmatched} = 0`,
      'a short id waits no longer than until the other message goes back': `
        ${both}; 1 accepted id=16; ${sixteen}; rematch; ${unmatched} = 1; 2 temporary by=beta; rematch
        events = delivered queued; ${unmatched} = 0`,
      'a short id waits no longer than until the other message cannot be sent': `
        ${both}; 1 accepted id=16; ${sixteen}; rematch; ${unmatched} = 1; 2 unsendable by=beta; rematch
        events = delivered rejected; ${unmatched} = 0`,
      'a short id does not wait for an answer that its group brought before it': `
        ${both}; rematch; 1 accepted id=16; 2 accepted by=beta id=17 & ${sixteen}; events = delivered sent`,
      'a short id waits if an answer that its group brought before it has the other reading': `
        ${both}; rematch; 1 accepted id=16; 2 accepted by=beta id=10 & ${sixteen}; events = sent sent`,
      'a short id waits if its group brought another message to its receiver in doubt': `
        ${both}; rematch; 1 accepted id=16; 2 in_doubt by=beta & ${sixteen}; events = sent sent`,
      'a short id waits if another message to its receiver is in doubt': `
        ${both}; 1 accepted id=16; 2 in_doubt; ${sixteen}; events = sent sent; ${unmatched} = 1`,
      'a long id waits for none of them: no other id of about the same time equals it in another base': `
        ${both}; 1 accepted id=179525; 2 in_doubt; receipt 179525 by=beta to=${one}; events = delivered sent`,
      'an id that is known by another rule ends no doubt': `
        ${both}; 1 accepted id=beef01; 2 in_doubt; receipt 12513025 by=beta to=${one}; events = sent sent
        ${unmatched} = 1; rule beta hex-answer; rematch; events = delivered sent; ${unmatched} = 0`,
    },
    open,
  );
});

// Each to a phone of its own, so that no other message can be meant.
const phone = (at: number) => `+4179000010${at}`;
const known = (count: number) => `rows learning learned=same = ${count}`;

describe('receipts whose ids could be read in other ways, but surely belong to a message', () => {
  const sure = (count: number, id = (at: number) => String(20 + at)) =>
    Array.from({ length: count }, (_, at) => at + 1)
      .map(
        (at) => `${sending(phone(at))}; ${at} accepted by=beta id=${id(at)}; receipt ${id(at)} by=beta to=${phone(at)}`,
      )
      .join('; ');
  const twice = (first: number) => `
    ${sending(one)}; ${sending(one)}; ${first} accepted by=beta id=10 & ${first + 1} accepted by=beta id=16
    receipt 16 by=beta to=${one}`;
  stories(
    {
      'five of them show that ids are the same, so no short id waits any more': `
        ${sure(5)}; ${known(1)}; rows learning_evidence rule=same = 5; ${twice(6)}; rows unmatched_receipt = 0
        events = ${'delivered '.repeat(5)}sent delivered`,
      'short ids that wait are looked at again then': `
        ${twice(1)}; rows unmatched_receipt = 1
        ${[3, 4, 5, 6, 7].map((at) => `${sending(phone(at))}; ${at} accepted by=beta id=${20 + at}; receipt ${20 + at} by=beta to=${phone(at)}`).join('; ')}
        rematch; rows unmatched_receipt = 0; events = sent ${'delivered '.repeat(6).trim()}`,
      'four are not enough': `${sure(4)}; ${known(0)}; ${twice(5)}; rows unmatched_receipt = 1`,
      'ids that are read in one way only show nothing': `
        ${sure(5, (at) => `m-${at}`)}; ${known(0)}; rows learning_evidence = 0`,
      'several receipts of one message are one': `
        ${sending(one)}; 1 accepted by=beta id=21; ${`receipt 21 by=beta to=${one}; `.repeat(6)} ${known(0)}`,
      'an id that a message in doubt had from a receipt shows nothing': `
        ${sending(one)}; 1 in_doubt by=beta; receipt 21 by=beta to=${one}; receipt 21 by=beta to=${one}
        events = delivered; rows learning_evidence = 0`,
      'a rule that an operator sets counts, not what was shown': `
        ${sure(5)}; rule beta hex-answer; ${known(0)}; ${twice(6)}; events = ${'delivered '.repeat(6)}sent`,
    },
    open,
  );
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
