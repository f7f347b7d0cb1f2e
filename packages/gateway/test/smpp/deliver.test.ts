import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { readTlv, type BindName, type Version } from '@morsel/smpp';
import type { SmppClient } from '../support/clients/smpp-client.ts';
import { ours, Place } from '../support/gateway/place.ts';
import { waitUntil } from '../support/wait-until.ts';

/*
 * Inbound messages and receipts to bound clients, over real sockets (O2, D6; decisions, sections 6 and 7).
 */

const heard = (ear: SmppClient, count: number, limitMs?: number) =>
  waitUntil(
    () => `${count} deliver_sm, but ${ear.delivered.length} came`,
    () => ear.taken.length >= count,
    limitMs,
  );

/** The gateway of the tests that neither stop it nor count all rows of its store. */
let shared: Place;
before(async () => {
  shared = await Place.open();
});
after(() => shared[Symbol.asyncDispose]());

describe('an inbound message', () => {
  const rows: readonly (readonly [BindName, Version])[] = [
    ['bind_receiver', 0x33],
    ['bind_receiver', 0x34],
    ['bind_transceiver', 0x34],
    ['bind_transceiver', 0x50],
  ];
  it('goes to receivers and transceivers of every version, in a form that each can read', async () => {
    await using place = await Place.open();
    for (const [bind, version] of rows) {
      await using ear = await place.ear({ bind, version });
      await place.receive('Hello');
      await heard(ear, 1);
      const [delivered] = ear.delivered;
      assert.ok(delivered);
      const { source_addr: from, destination_addr: to, tlvs } = delivered.pdu;
      assert.deepEqual([delivered.text, from, to, delivered.receipt], ['Hello', '41791230001', ours, undefined]);
      if (version === 0x33) assert.deepEqual(tlvs, []);
      else assert.match(delivered.msgId, /^[1-9]\d{15}$/);
    }
    assert.deepEqual(
      await place.notifications(),
      rows.map(() => 'inbound delivered ESME_ROK'),
    );
  });

  it('without an acknowledgement is sent at the next bind after a restart, with the same id (O2)', async () => {
    await using place = await Place.open();
    const deaf = await place.ear({ answer: () => null });
    const texts = Array.from({ length: 30 }, (_, at) => `text ${at}`);
    await place.receive(...texts);
    await waitUntil('a full window', () => deaf.delivered.length === 10);
    const first = new Map(deaf.delivered.map(({ text, msgId }) => [text, msgId]));
    await place.tour.restart();
    await using ear = await place.ear();
    await heard(ear, 30);
    assert.deepEqual(new Set(ear.delivered.map(({ text }) => text)), new Set(texts));
    for (const { text, msgId } of ear.delivered) assert.equal(msgId, first.get(text) ?? msgId, text);
    assert.ok([...first.keys()].every((text) => ear.delivered.some((each) => each.text === text)));
  });
});

describe('a receipt', () => {
  /** The last digits decide the state of a message in the simulator. */
  const delivered = '41791230001';

  it('comes for a message with registered_delivery 1, on sessions of 3.4 with TLVs and of 3.3 without', async () => {
    const place = shared;
    for (const version of [0x33, 0x34] as const) {
      await using sending = await place.ear({ bind: 'bind_transmitter', version });
      await using ear = await place.ear({ bind: 'bind_receiver', version });
      const msgId = await place.submit(sending, 1, delivered, 4711);
      await heard(ear, 1);
      const [{ receipt, pdu, text } = assert.fail()] = ear.delivered;
      assert.deepEqual([receipt?.id, receipt?.state, receipt?.evidence], [msgId, 'DELIVERED', 'esm_class']);
      assert.match(
        text,
        /^id:\d{16} sub:001 dlvrd:001 submit date:\d{10} done date:\d{10} stat:DELIVRD err:000 text:$/,
      );
      assert.deepEqual([pdu.source_addr, pdu.destination_addr], [delivered, '41790000001']);
      const tlvs = [
        readTlv(pdu, 'receipted_message_id'),
        readTlv(pdu, 'message_state'),
        readTlv(pdu, 'user_message_reference'),
      ];
      assert.deepEqual(tlvs, version === 0x33 ? [undefined, undefined, undefined] : [msgId, 2, 4711]);
    }
  });
});
