/* A carrier made of the npm package `smpp` must read every text as it was accepted. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { checkBooks, inboundOf } from '../books.ts';
import { makeFolder } from '../needs.ts';
import { NpmSmppCarrier, type ReceiptForm } from './npm-smpp.ts';
import { setUp, untilBound, untilDelivered } from '../set-up.ts';
import { send } from '../send.ts';
import { GatewayProcess } from '../../support/gateway/gateway-process.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Texts up to and above the length of a part; some parts would end within a character of two septets or units. */
const texts = [
  { dcs: 'GSM', text: 'Hello', numParts: 1 },
  { dcs: 'GSM', text: '@£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ¤ÄÖÑÜ§¿äöñüà¡', numParts: 1 },
  { dcs: 'GSM', text: 'x'.repeat(160), numParts: 1 },
  { dcs: 'GSM', text: 'x'.repeat(161), numParts: 2 },
  { dcs: 'GSM', text: `${'x'.repeat(152)}€${'{[~]}\\|^'.repeat(20)}`, numParts: 4 },
  { dcs: 'UCS', text: 'я'.repeat(70), numParts: 1 },
  { dcs: 'UCS', text: `${'я'.repeat(66)}😀${'語'.repeat(60)}`, numParts: 2 },
  { dcs: 'SMS', text: 'Ἐν ἀρχῇ ἦν ὁ λόγος. '.repeat(12), numParts: 4 },
] as const;

const allParts = texts.reduce((sum, { numParts }) => sum + numParts, 0);

interface Way {
  readonly receipts: ReceiptForm;
  readonly settings: readonly string[];
  readonly binds: readonly string[];
  /** The number of submit_sm for all the texts. */
  readonly submits: number;
}

const ways: readonly Way[] = [
  { receipts: 'text', settings: ['--long-messages', 'udh'], binds: ['transceiver'], submits: allParts },
  { receipts: 'tlv', settings: ['--preset', 'sar'], binds: ['transceiver'], submits: allParts },
  {
    receipts: 'text',
    settings: ['--preset', 'payload', '--version', '5.0'],
    binds: ['transceiver'],
    submits: texts.length,
  },
  { receipts: 'tlv', settings: ['--preset', 'pair'], binds: ['receiver', 'transmitter'], submits: allParts },
];

describe('a carrier made of the npm package smpp', () => {
  for (const { receipts, settings, binds, submits } of ways) {
    it(`reads the accepted texts (A6): ${settings.join(' ')}, states of receipts in ${receipts}`, async () => {
      using folder = makeFolder();
      await using peer = await NpmSmppCarrier.start({ receipts });
      {
        await using program = await GatewayProcess.start({ dataDir: join(folder.path, 'data') });
        const account = await setUp(program, { port: peer.port, window: 10, settings });
        await untilBound(program);
        const sent = await Promise.all(
          texts.map(({ dcs, text }, number) => send(program, { token: account.token, number, text, dcs })),
        );
        assert.deepEqual(
          sent.map(({ status, body }) => [status, body.number('numParts')]),
          texts.map(({ numParts }) => [200, numParts]),
        );
        peer.bringInbound('from a phone');
        await waitUntil('all it brought is acknowledged', () => peer.acknowledged === submits + 1);
        await untilDelivered(program, texts.length);
        await peer.enquire();
        await checkBooks(program, account, { messages: { delivered: texts.length }, parts: allParts });
        assert.deepEqual(await inboundOf(program), [
          { sender: '+41791234567', receiver: '8400', text: 'from a phone' },
        ]);
      }
      assert.equal(peer.taken.length, submits);
      assert.deepEqual(
        texts.map((_, number) => peer.texts.get(`4179${String(number).padStart(7, '0')}`)),
        texts.map(({ text }) => text),
      );
      assert.deepEqual(
        peer.binds.map(({ as }) => as),
        binds,
      );
      assert.equal(peer.commands.filter((command) => command === 'unbind').length, binds.length);
      assert.ok(peer.commands.indexOf('unbind') > peer.commands.lastIndexOf('submit_sm'), 'P2: unbound in the end');
    });
  }
});
