import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { writeReceipt, writeTlv, type Ask, type Session } from '@morsel/smpp';
import { shownAfter } from '../../src/state/decide/routing/learning.ts';
import { receiptFor, ScriptedCarrier } from '../support/carriers/scripted-carrier.ts';
import { sharedGateway } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';
import { done } from '../support/done.ts';

/* Which id rule receipts of carriers show, and how receipts in every form match, on real sockets. */

const guest = sharedGateway();
/** Makes a guest of a second shared gateway, which tests may restart. */
const restarting = sharedGateway();

describe('receipts', { concurrency: true }, () => {
  describe('a carrier without a set id rule', { concurrency: true }, () => {
    it('that writes ids in hexadecimal digits in its receipts has that rule soon, also after a restart (D3)', async () => {
      await using tour = await restarting();
      const numbers = [1, 2, 3, 4, 5].map((place) => `+417912${place}9916`);
      const sent = await Promise.all(numbers.map((receiver) => tour.accept({ receiver })));
      for (const msgId of sent) await tour.event(msgId, 'delivered');
      await tour.restart();
      await tour.bound();
      const carrier = tour.carrierName('alpha');
      const learned = done(await tour.operator.carrier.learned({ carrier }));
      assert.deepEqual(
        [learned.idRule, learned.learnedRule, learned.evidence.length],
        ['hex-receipt', 'hex-receipt', shownAfter],
      );
      await tour.event(await tour.accept({ receiver: '+41791249916' }), 'delivered');
    });

    it('gets receipts to their messages early, over any link, as data_sm, and with addresses in any order (D1, D2)', async () => {
      await using carrier = await ScriptedCarrier.open();
      await using tour = await guest({
        carriers: [{ name: 'odd', prefix: '41', port: carrier.port, links: 2, idRule: 'hex-answer' }],
      });
      await waitUntil('both links are bound', () => carrier.links === 2);
      const sent = async (place: number) => {
        const msgId = await tour.accept({ receiver: `+4179123000${place}` });
        return { msgId, held: await carrier.submit(place) };
      };
      const [early, other, unswapped] = [await sent(0), await sent(1), await sent(2)];
      await acknowledged(early.held, receiptFor(early.held.pdu, '2571'));
      early.held.respond(0, { message_id: 'A0B' });
      await tour.event(early.msgId, 'delivered');
      other.held.respond(0, { message_id: 'A0C' });
      await tour.event(other.msgId, 'sent');
      const { short_message = new Uint8Array(), tlvs = [], ...receipt } = receiptFor(other.held.pdu, '2572');
      const payload = writeTlv('message_payload', Uint8Array.from(short_message));
      const session = carrier.other(other.held.session);
      await acknowledged({ ...other.held, session }, { ...receipt, command: 'data_sm', tlvs: [...tlvs, payload] });
      await tour.event(other.msgId, 'delivered');
      unswapped.held.respond(0, { message_id: 'A0F' });
      const { source_addr, destination_addr } = unswapped.held.pdu;
      await acknowledged(unswapped.held, { ...receiptFor(unswapped.held.pdu, '2575'), source_addr, destination_addr });
      await tour.event(unswapped.msgId, 'delivered');
    });
  });

  describe('of a message', { concurrency: true }, () => {
    it("show each part's own state under details=1: event, time and the error of the carrier", async () => {
      await using carrier = await ScriptedCarrier.open();
      await using tour = await guest({ carriers: [{ name: 'odd', prefix: '41', port: carrier.port, window: 3 }] });
      await waitUntil('the link is bound', () => carrier.links === 1);
      const msgId = await tour.accept({ receiver: '+41791230001', text: 'x'.repeat(400) });
      const held = [await carrier.submit(0), await carrier.submit(1), await carrier.submit(2)];
      for (const [place, { respond }] of held.entries()) respond(0, { message_id: `part-${place}` });
      await tour.event(msgId, 'sent');
      const [, failing, waiting] = held;
      assert.ok(failing && waiting);
      await acknowledged(held[0] ?? failing, receiptFor(failing.pdu, 'part-0'));
      const now = Date.now();
      const told = { id: 'part-1', state: 'UNDELIVERABLE', submittedAtMs: now, doneAtMs: now, error: '042' } as const;
      const { short_message } = writeReceipt({ ...told, text: new Uint8Array() });
      await acknowledged(failing, { ...receiptFor(failing.pdu, 'part-1', 'UNDELIVERABLE'), short_message });
      await acknowledged(waiting, receiptFor(waiting.pdu, 'part-2', 'SCHEDULED'));
      const parts = await waitUntil('all three are reported', async () => {
        const reported = rowsOf((await tour.report(msgId))['parts']);
        return reported.every((part) => part['event'] !== 'sent') ? reported : undefined;
      });
      assert.deepEqual(
        parts.map((part) => [part['part'], part['event'], part['errorCode']]),
        [
          [1, 'delivered', undefined],
          [2, 'undelivered', '042'],
          [3, 'buffered', undefined],
        ],
      );
      for (const part of parts) assert.match(String(part['dlrTime']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      assert.equal((await tour.report(msgId))['event'], 'buffered');
    });
  });
});

type Row = Readonly<Record<string, unknown>>;

function rowsOf(value: unknown): readonly Row[] {
  return Array.isArray(value) ? value.map((each) => ({ ...Object(each) })) : [];
}

async function acknowledged({ session }: { readonly session: Session }, receipt: Ask): Promise<void> {
  const answer = await session.request(receipt);
  assert.equal(answer.kind === 'answered' && answer.pdu.command_status, 0, 'acknowledged: it is on disk (D5)');
}
