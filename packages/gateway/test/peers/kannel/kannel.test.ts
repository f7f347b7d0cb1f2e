/* Kannel's drive_smpp as the carrier of a gateway. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { checkBooks, inboundOf } from '../books.ts';
import { DriveSmpp, driveSmpp } from './kannel.ts';
import { makeFolder, missing } from '../needs.ts';
import { freePort, setUp, untilBound } from '../set-up.ts';
import { sendNumbers } from '../send.ts';
import { GatewayProcess } from '../../support/gateway/gateway-process.ts';
import { waitUntil } from '../../support/wait-until.ts';

const skip = missing(driveSmpp);
const window = 10;
const sent = 60;
const fromPhones = 40;

const texts = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `number ${from + at}`);

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

describe("Kannel's drive_smpp as the carrier", { skip }, () => {
  for (const [preset, what] of [
    ['pair', 'SMPP 3.4, where each of its messages has a receipted_message_id and is a message all the same (O4)'],
    ['old', 'SMPP 3.3'],
  ] as const) {
    it(`gets each message once, and its inbound messages are stored: ${what}`, async () => {
      using folder = makeFolder();
      const port = await freePort();
      await using peer = await DriveSmpp.start({ port, messages: fromPhones });
      {
        await using program = await GatewayProcess.start({ dataDir: join(folder.path, 'data') });
        const account = await setUp(program, { port, window, settings: ['--preset', preset] });
        await untilBound(program);
        await sendNumbers(program, account.token, { from: 0, to: sent });
        await waitUntil('the peer has them all', () => peer.texts.length >= sent);
        await waitUntil('its own are acknowledged', () => peer.countOf('deliver_sm_resp') >= fromPhones);
        await waitUntil('and its enquiries answered', () => peer.countOf('enquire_link_resp') >= fromPhones);
        await waitUntil(
          'every answer is kept',
          async () => (await program.ask('v1/totals')).number('messages', 'sent') === sent,
        );
        // Some carriers answer OK with an empty message_id.
        await checkBooks(program, account, { messages: { sent }, parts: sent });
        const stored = await inboundOf(program);
        const numbers = range(1, fromPhones + 1).map(String);
        assert.deepEqual(
          stored.map(({ text }) => text),
          numbers,
          'O1: each once, and in order',
        );
        assert.ok(stored.every(({ sender, receiver }) => sender === '456' && receiver === '123'));
      }
      assert.deepEqual(peer.texts.toSorted(), texts(0, sent).toSorted(), 'each once');

      const end = await peer.process.ended;
      assert.equal(end.code, 0);
      assert.equal(peer.figure('Number of messages sent to SMSC'), sent);
      assert.equal(peer.figure('Number of messages sent to ESME'), fromPhones);
      assert.deepEqual(peer.complaints, []);
      const { pdus } = peer;
      const binds = pdus.filter((name) => name.startsWith('bind_'));
      assert.deepEqual(binds, ['bind_receiver', 'bind_transmitter'], 'bound once each');
      assert.ok(pdus.indexOf('unbind') > pdus.lastIndexOf('submit_sm'), 'P2: unbound after the last message');
    });
  }
});
