import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { writeReceipt, writeTlv, type Ask } from '@morsel/smpp';
import { shownAfter } from '../../src/state/decide/routing/learning.ts';
import { receiptFor, ScriptedCarrier, type Held } from '../support/carriers/scripted-carrier.ts';
import { sharedGateway, type Tour } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';
import { operatorCalls } from '../../src/edge/admin/handlers.ts';
import { done } from '../support/done.ts';

/* Which id rule receipts of carriers show, and how receipts in every form match, on real sockets. */

const guest = sharedGateway();
/** Makes a guest of a second shared gateway, which tests may restart. */
const restarting = sharedGateway();

const receivers = [1, 2, 3, 4, 5].map((place) => `+4179123000${place}`);
const [first = ''] = receivers;

describe('receipts', { concurrency: true }, () => {
  describe('a carrier without a set id rule', { concurrency: true }, () => {
    for (const [rule, lastDigits, shown] of [
      ['hex-receipt', '9916', 'hex-receipt'],
      ['hex-answer', '9917', 'hex-answer'],
      ['auto', '9960', 'same'],
    ] as const) {
      it(`that behaves like the simulator under ${lastDigits} has the rule ${rule} soon, also after a restart (D3)`, async () => {
        await using tour = await restarting();
        const numbers = [1, 2, 3, 4, 5].map((place) => `+417912${place}${lastDigits}`);
        const sent = await Promise.all(numbers.map((receiver) => tour.accept({ receiver })));
        for (const msgId of sent) await tour.event(msgId, 'delivered');
        await tour.restart();
        await tour.bound();
        const learned = done(
          await operatorCalls(tour.gateway.operator).carrier.learned({ carrier: tour.carrierName('alpha') }),
        );
        assert.deepEqual([learned.idRule, learned.learnedRule, learned.evidence.length], [rule, shown, shownAfter]);
        await tour.event(await tour.accept({ receiver: `+4179124${lastDigits}` }), 'delivered');
      });
    }

    it('gets early, repeated and late receipts to their messages, once the rule is set, over any link', async () => {
      await using carrier = await ScriptedCarrier.open();
      await using tour = await guest({
        carriers: [{ name: 'odd', prefix: '41', port: carrier.port, links: 2, idRule: 'hex-answer' }],
      });
      await waitUntil('both links are bound', () => carrier.links === 2);
      const held: Held[] = [];
      const messages: string[] = [];
      for (const receiver of receivers) {
        messages.push(await tour.accept({ receiver }));
        held.push(await carrier.submit(held.length));
      }
      const [early, other, twice, inData, unswapped] = held;
      assert.ok(early && other && twice && inData && unswapped);
      await acknowledged(early, receiptFor(early.pdu, '2571'));
      early.respond(0, { message_id: 'A0B' });
      await tour.event(messages[0] ?? '', 'delivered');
      other.respond(0, { message_id: 'A0C' });
      await tour.event(messages[1] ?? '', 'sent');
      await carrier.other(other.session).request(receiptFor(other.pdu, '2572'));
      await tour.event(messages[1] ?? '', 'delivered');
      twice.respond(0, { message_id: 'A0D' });
      for (const state of ['ENROUTE', 'DELIVERED', 'UNDELIVERABLE', 'ENROUTE'] as const) {
        await acknowledged(twice, receiptFor(twice.pdu, '0002573', state));
      }
      await tour.event(messages[2] ?? '', 'delivered');
      inData.respond(0, { message_id: 'A0E' });
      const { short_message = new Uint8Array(), tlvs = [], ...receipt } = receiptFor(inData.pdu, '2574');
      const payload = writeTlv('message_payload', Uint8Array.from(short_message));
      await acknowledged(inData, { ...receipt, command: 'data_sm', tlvs: [...tlvs, payload] });
      await tour.event(messages[3] ?? '', 'delivered');
      unswapped.respond(0, { message_id: 'A0F' });
      await acknowledged(unswapped, {
        ...receiptFor(unswapped.pdu, '2575'),
        source_addr: unswapped.pdu.source_addr,
        destination_addr: unswapped.pdu.destination_addr,
      });
      await tour.event(messages[4] ?? '', 'delivered');
      const learned = done(
        await operatorCalls(tour.gateway.operator).carrier.learned({ carrier: tour.carrierName('odd') }),
      );
      const order = learned.dialect.filter((row) => row['trait'] === 'addresses');
      assert.deepEqual(new Set(order.map((row) => row['value'])), new Set(['as submitted', 'swapped back']));
      assert.deepEqual(await unmatchedReceipts(tour), []);
    });
  });

  describe('of a message', { concurrency: true }, () => {
    it("show each part's own state under details=1: event, time and the error of the carrier", async () => {
      await using carrier = await ScriptedCarrier.open();
      await using tour = await guest({ carriers: [{ name: 'odd', prefix: '41', port: carrier.port, window: 3 }] });
      await waitUntil('the link is bound', () => carrier.links === 1);
      const msgId = await tour.accept({ receiver: first, text: 'x'.repeat(400) });
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

/** The unmatched receipts in the answer of the operator's API. */
async function unmatchedReceipts(tour: Tour, filter: { readonly olderThan?: string } = {}) {
  const carrier = tour.carrierName('odd');
  return done(await operatorCalls(tour.gateway.operator).receipt.unmatched({ carrier, ...filter })).items;
}

function rowsOf(value: unknown): readonly Row[] {
  return Array.isArray(value) ? value.map((each) => ({ ...Object(each) })) : [];
}

async function acknowledged({ session }: Held, receipt: Ask): Promise<void> {
  const answer = await session.request(receipt);
  assert.equal(answer.kind === 'answered' && answer.pdu.command_status, 0, 'acknowledged: it is on disk (D5)');
}
