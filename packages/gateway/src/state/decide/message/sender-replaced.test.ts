import { describe } from 'node:test';
import { opened, stories } from '../../../../test/support/store/stories/story.ts';

/* A carrier that refuses a sender and has a default one: the part goes to it once more, with that sender. */

const own = '+41790000001';
const other = '+41790000009';
const wrong = 'refused scope=sender';
const refused = `accept; claim -> 1.1; 1 ${wrong}`;
const open = (sender = 'Acme') => opened(`default-sender ${sender}`);
/** The route goes on to a carrier that has no default sender. */
const withBeta = () => opened('default-sender Acme; carrier beta; route beta rank=2');

describe('a part whose sender its carrier refuses', () => {
  for (const [about, sender, scope, then, claimed] of [
    ['goes again with the default sender', 'Acme', 'sender', 'queued', '1.1:Acme'],
    ['is rejected where there is none', '', 'sender', 'rejected', ''],
    ['is rejected where the default is the same sender', own, 'sender', 'rejected', ''],
    ['is rejected with any other scope', 'Acme', 'message', 'rejected', ''],
  ] as const) {
    const text = `accept; claim -> 1.1; 1 refused scope=${scope}; states = ${then}; restart; claim -> ${claimed}`;
    stories({ [about]: text }, () => open(sender));
  }

  stories(
    {
      'keeps the default sender after a busy answer, a restart, and a change of the setting': `
        ${refused}; default-sender Other; restart; claim -> 1.1:Acme; 1 busy; claim -> 1.1:Acme`,
      'that is refused again is rejected and refunded, and does not go a third time': `
        ${refused}; claim; 1 ${wrong}; states = rejected; balance = 100; claim ->`,
      'is not sent again once it was in doubt: the carrier may have it': `
        accept expires=600s; claim; 1 in_doubt; wait 30s; expire; claim -> 1.1; 1 ${wrong}; states = in_doubt; claim ->`,
      'is not sent again after its validity': `
        accept; claim; wait 60s; 1 ${wrong}; states = expired; claim ->`,
    },
    open,
  );
  const note = `carrier alpha refused sender ${own}: the part is sent with the carrier's default sender Acme`;
  stories(
    {
      'waits for that carrier, whose links learn when, and the time line says why': `
        accept; claim; 1 ${wrong} -> +0 elsewhere; claim beta up=alpha,beta ->; notes = ${note}; claim -> 1.1:Acme; balance = 90`,
      'that is refused again fails over with the sender of the client': `
        ${refused}; claim; 1 ${wrong}; claim up=alpha,beta ->; claim beta up=alpha,beta -> 1.1; 1 accepted id=a
        states = sent`,
    },
    withBeta,
  );
});

describe('a message of several parts', () => {
  stories(
    {
      'has one sender: the parts that wait get the default one, too': `
        accept 3; claim 1 -> 1.1; 1 ${wrong}; claim -> 1.1:Acme 1.2:Acme 1.3:Acme`,
      'has one sender when its parts are in flight together, and are refused or throttled': `
        accept 3; claim; 1.2 ${wrong}; 1.1 busy; 1.3 ${wrong}; claim -> 1.1:Acme 1.2:Acme 1.3:Acme`,
      'of which the carrier has a part with the sender of the client gets no other': `
        accept 2; claim; 1.1 accepted; 1.2 ${wrong}; states = sent rejected; claim ->`,
      'of which the carrier has a part with the default sender gets it for the others': `
        accept 2; claim; 1.1 ${wrong}; claim -> 1.1:Acme; 1.1 accepted; 1.2 ${wrong}; claim -> 1.2:Acme`,
      'that goes whole goes whole again': `
        accept 2 alpha whole; 1 ${wrong}; claim whole -> 1.1:Acme; 1 accepted id=a; receipt a from=Acme
        states = delivered delivered`,
    },
    open,
  );
});

describe('receipts name the sender that was sent', () => {
  const again = `accept; claim; 1 ${wrong}; claim`;
  stories(
    {
      'a part in doubt is delivered by a receipt with the default sender': `
        ${again}; 1 in_doubt; restart; receipt never from=${other}; states = delivered`,
      'a part in doubt is not settled by a receipt with the sender of the client': `
        ${again}; 1 in_doubt; restart; receipt never from=${own}; states = in_doubt`,
      'one without the number of the receiver matches by its id alone, while no rule is known': `
        rule alpha auto; ${again}; 1 accepted id=12345678; receipt 12345678 from=${other} to=; states = delivered`,
    },
    () => open(other),
  );
});
