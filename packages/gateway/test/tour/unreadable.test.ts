import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encode, type Encodable } from '@morsel/smpp';
import { RawCarrier } from '../support/carriers/raw-carrier.ts';
import { sharedGateway } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';
import { done } from '../support/done.ts';

/*
 * Unreadable PDUs are acknowledged once they are stored, and the operator sees them (D5, O1).
 */

const guest = sharedGateway();
const sequence_number = 77;
const secretText = 'a word in confidence';

function deliver(more: Partial<Encodable & { command: 'deliver_sm' }>): Uint8Array {
  const numbers = { source_addr: '41791112233', destination_addr: '41790000001' };
  return encode({ command: 'deliver_sm', sequence_number, ...numbers, ...more });
}

/** Cuts a PDU to this length, and sets its command_length. */
function cut(pdu: Uint8Array, length: number): Uint8Array {
  const rest = Buffer.from(pdu.subarray(0, length));
  rest.writeUInt32BE(length);
  return rest;
}

const whole = deliver({ short_message: Buffer.from(secretText) });
const rows: readonly (readonly [string, Uint8Array])[] = [
  ['a body that is cut off', cut(whole, 30)],
  ['a receipt without fields', deliver({ esm_class: 0x04, short_message: Buffer.from('gibberish') })],
];

describe('an unreadable deliver_sm', { concurrency: true }, () => {
  for (const [what, octets] of rows) {
    it(`with ${what} is acknowledged, and kept with its octets`, async () => {
      await using carrier = await RawCarrier.open();
      await using tour = await guest({ carriers: [{ name: 'alpha', prefix: '41', port: carrier.port }] });
      await waitUntil('the link is bound', () => carrier.sockets.size === 1 && carrier.binds.length === 1);
      carrier.write(octets);
      const [answer] = await waitUntil('it is answered', () => carrier.heard.length > 0 && carrier.heard);
      assert.deepEqual(
        [answer?.command, answer?.command_status, answer?.sequence_number],
        ['deliver_sm_resp', 0, sequence_number],
      );
      const { receipt } = tour.operator;
      const asked = { why: 'unreadable', carrier: tour.carrierName('alpha') };
      assert.deepEqual(done(await receipt.unmatched({ ...asked, olderThan: '1h' })).items, []);
      const listed = done(await receipt.unmatched(asked));
      const [unmatched] = listed.items;
      assert.equal(unmatched?.why, 'unreadable');
      assert.ok(!('octets' in unmatched));
      const shown = done(await receipt.show({ id: unmatched.id }));
      assert.deepEqual(Buffer.from(shown.octets ?? []), Buffer.from(octets.subarray(0, 512)));
      const status = JSON.stringify(await tour.operator.carrier.show({ carrier: tour.carrierName('alpha') }));
      assert.ok(!status.includes(secretText));
      const isRead = what.startsWith('a receipt');
      assert.match(status, isRead ? /"unreadable":0,/ : /"unreadable":1,.*unreadable PDU \(deliver_sm ends before/);
    });
  }

  it('with an id longer than its field matches, because the id is cut in the answer as in the receipt', async () => {
    await using carrier = await RawCarrier.open();
    await using tour = await guest({ carriers: [{ name: 'alpha', prefix: '41', port: carrier.port }] });
    await waitUntil('the link is bound', () => carrier.sockets.size === 1 && carrier.binds.length === 1);
    const id = 'x'.repeat(5_000);
    const msgId = await tour.accept({ receiver: '+41791112233' });
    const [submit] = await waitUntil('it is sent', () => carrier.heard.length > 0 && carrier.heard);
    const head = encode({ command: 'submit_sm_resp', sequence_number: submit?.sequence_number ?? 0, message_id: '' });
    const answer = Buffer.concat([head.subarray(0, 16), Buffer.from(`${id}\0`)]);
    answer.writeUInt32BE(answer.length);
    carrier.write(answer);
    const text = `id:${id.slice(0, 150)} submit date:2601010000 done date:2601010000 stat:DELIVRD err:000`;
    carrier.write(deliver({ esm_class: 0x04, short_message: Buffer.from(text) }));
    await tour.event(msgId, 'delivered');
    const lengths = await tour.readStore((store) =>
      store.texts(`select length(carrier_id) from attempt where message = ${msgId}`),
    );
    assert.deepEqual(lengths, ['65']);
  });

  it('is logged without its content, and only once if there are many', async () => {
    const { UnreadableCount } = await import('../../src/edge/unreadable-count.ts');
    const count = new UnreadableCount();
    const told = [0, 10, 59_999, 60_000, 60_001].map((now) => count.add(now));
    assert.deepEqual(told, [1, undefined, undefined, 3, undefined]);
    assert.equal(count.all, 5);
  });
});
