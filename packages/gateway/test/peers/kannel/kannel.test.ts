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
    it(`gets each message once, and its own are stored: ${what}`, async () => {
      using folder = makeFolder();
      const port = await freePort();
      await using peer = await DriveSmpp.start({ port, messages: fromPhones });
      {
        await using program = await GatewayProcess.start({ dataDir: join(folder.path, 'data') });
        const account = await setUp(program, { port, window, settings: ['--preset', preset] });
        await untilBound(program);
        await sendNumbers(program, account.token, { from: 0, to: sent });
        await waitUntil('the peer has them all', () => peer.texts.length >= sent, 20_000);
        await waitUntil('its own are acknowledged', () => peer.countOf('deliver_sm_resp') >= fromPhones, 20_000);
        await waitUntil('and its enquiries answered', () => peer.countOf('enquire_link_resp') >= fromPhones, 20_000);
        await waitUntil(
          'every answer is kept',
          async () => (await program.ask('v1/totals')).number('messages', 'sent') === sent,
          20_000,
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

  it('is killed with requests unanswered: those are in doubt, no others, and the gateway goes on with the next carrier', async () => {
    using folder = makeFolder();
    const port = await freePort();
    await using program = await GatewayProcess.start({ dataDir: join(folder.path, 'data') });
    const settings = ['--preset', 'pair', '--in-doubt', 'hold', '--back-off-max-ms', '1000'];
    const isSent = async (count: number) => {
      await waitUntil(
        `${count} are answered`,
        async () => (await program.ask('v1/totals')).number('parts', 'sent') === count,
        20_000,
      );
    };
    {
      await using peer = await DriveSmpp.start({ port, messages: 0 });
      const account = await setUp(program, { port, window, settings });
      await untilBound(program);
      await sendNumbers(program, account.token, { from: 0, to: 20 });
      await isSent(20);
      assert.equal(peer.texts.length, 20);

      peer.process.signal('SIGSTOP');
      const unanswered = await sendNumbers(program, account.token, { from: 20, to: 25 });
      await waitUntil(
        'they are in flight',
        async () => {
          const status = await program.ask('v1/status');
          return status.number('carriers', '0', 'linkStates', '0', 'windowUsed') === unanswered.length;
        },
        10_000,
      );
      await peer.kill();
      await waitUntil(
        'they are in doubt',
        async () => (await program.ask('v1/totals')).number('inDoubt') === unanswered.length,
        20_000,
      );
      for (const id of unanswered) {
        assert.equal((await program.ask(`v1/messages/${id}`)).at('parts', '0', 'state'), 'in_doubt');
      }

      await using next = await DriveSmpp.start({ port, messages: 0 });
      await untilBound(program);
      await sendNumbers(program, account.token, { from: 25, to: 45 });
      await isSent(40);
      assert.deepEqual(
        next.texts.toSorted(),
        texts(25, 45).toSorted(),
        'what was answered or is in doubt is not sent again',
      );
      await checkBooks(program, account, { messages: { sent: 45 }, parts: 45, inDoubt: unanswered.length });
      assert.deepEqual(next.complaints, []);
    }
  });
});
