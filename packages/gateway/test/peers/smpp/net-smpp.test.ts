/* A carrier made of Perl's Net::SMPP: messages, inbound messages, and kills. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { checkBooks, inboundOf } from '../books.ts';
import { makeFolder, missing } from '../needs.ts';
import { NetSmppCarrier, type Plan } from './net-smpp.ts';
import { setUp, untilBound, untilDelivered } from '../set-up.ts';
import { killHalfAnswered } from '../restart.ts';
import { send, sendNumbers } from '../send.ts';
import { GatewayProcess } from '../../support/gateway/gateway-process.ts';
import { waitUntil } from '../../support/wait-until.ts';

const skip = missing('Net::SMPP');
const sent = 40;
const longParts = 3;

interface Way {
  readonly what: string;
  readonly plan: Plan;
  readonly settings: readonly string[];
  readonly binds: readonly (readonly [as: string, version: number])[];
}

const pair = (version: number) =>
  [
    ['receiver', version],
    ['transmitter', version],
  ] as const;

const ways: readonly Way[] = [
  {
    what: 'a transceiver, ids with leading zeros in receipts',
    plan: 'decimal',
    settings: [],
    binds: [['transceiver', 0x34]],
  },
  { what: 'receipts in data_sm, by their TLVs', plan: 'data_sm', settings: [], binds: [['transceiver', 0x34]] },
  { what: 'a transceiver of 5.0', plan: 'decimal', settings: ['--version', '5.0'], binds: [['transceiver', 0x50]] },
  {
    what: 'a transmitter and a receiver, ids in hexadecimal in answers',
    plan: 'hex',
    settings: ['--preset', 'pair', '--id-rule', 'hex-answer'],
    binds: pair(0x34),
  },
  {
    what: 'a transmitter and a receiver of SMPP 3.3, ids in hexadecimal in answers',
    plan: 'hex',
    settings: ['--preset', 'old', '--id-rule', 'hex-answer'],
    binds: pair(0x33),
  },
];

/** Starts a carrier. Started again on the same port, it continues with ids that were not used before. */
const start = (port?: number) =>
  NetSmppCarrier.start({ port, plan: 'decimal', lastId: port === undefined ? 100 : 900 });

describe('a carrier made of Net::SMPP', { skip }, () => {
  for (const { what, plan, settings, binds } of ways) {
    it(`gets each message once, and its inbound message is stored: ${what}`, async () => {
      using folder = makeFolder();
      await using peer = await NetSmppCarrier.start({ plan });
      {
        await using program = await GatewayProcess.start({ dataDir: join(folder.path, 'data') });
        const account = await setUp(program, { port: peer.port, window: 10, settings });
        await untilBound(program);
        assert.deepEqual(
          peer.events('bound').map((event) => [event.at('as'), event.at('version')]),
          binds,
        );
        await sendNumbers(program, account.token, { from: 0, to: sent });
        const long = await send(program, { token: account.token, number: sent, text: 'long '.repeat(80) });
        assert.equal(long.body.number('numParts'), longParts);
        peer.bringInbound(Buffer.from('from a phone').toString('hex'));
        peer.enquire();
        const parts = sent + longParts;
        await waitUntil('all it brought is acknowledged', () => peer.acknowledged === parts + 1);
        await waitUntil('its enquiries are answered', () => peer.events('enquired').length === binds.length);
        // D1: with two binds, a receipt may come before the answer to its submit_sm.
        await untilDelivered(program, sent + 1);
        await checkBooks(program, account, { messages: { delivered: sent + 1 }, parts });
        assert.equal(peer.taken.length, parts);
        assert.deepEqual(await inboundOf(program), [
          { sender: '+41791234567', receiver: '8400', text: 'from a phone' },
        ]);
      }
      const texts = peer.events('submit').map((event) => Buffer.from(event.text('octets'), 'hex').toString('latin1'));
      const short = texts.filter((text) => text.startsWith('number'));
      assert.deepEqual(short.toSorted(), Array.from({ length: sent }, (_, number) => `number ${number}`).toSorted());
      assert.deepEqual(peer.events('unexpected'), []);
      assert.deepEqual(peer.events('warning'), []);
      const unbound = peer.events('unbind').map((event) => event.at('as'));
      assert.deepEqual(unbound, binds.map(([as]) => as).toReversed(), 'P2: the transmitter unbinds first');
      assert.ok(peer.kinds.indexOf('unbind') > peer.kinds.lastIndexOf('answered'));
    });
  }

  it('with two binds, killed when half its window is answered, loses and repeats no message', () =>
    killHalfAnswered(start, ['--preset', 'pair']));
});
