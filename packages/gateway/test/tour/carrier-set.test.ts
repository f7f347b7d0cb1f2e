import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { statuses } from '@morsel/smpp';
import { receiptFor, ScriptedCarrier } from '../support/carriers/scripted-carrier.ts';
import { sharedGateway, type Tour } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';

/* Settings of a carrier change under load, without a restart, and no message is lost or repeated. */

const guest = sharedGateway();
const receiver = (number: number) => `+4179123${String(number).padStart(4, '0')}`;

async function set(tour: Tour, fields: Readonly<Record<string, string>>): Promise<void> {
  const done = await tour.operator.carrier.set({
    carrier: tour.carrierName('alpha'),
    ...fields,
  });
  assert.ok(done.ok, JSON.stringify(done));
}

/** The number of messages between one change and the next. */
const betweenChanges = 10;

describe('a carrier whose settings change', { concurrency: true }, () => {
  const changes = [
    { window: '20' },
    { links: '3' },
    { preset: 'pair' },
    { links: '1', window: '5' },
    { gsmCoding: 'latin1' },
  ];
  it('under load loses and repeats no message', { timeout: 240_000 }, async () => {
    await using tour = await guest({ simulator: { receiptDelayMs: 5 } });
    const ids: string[] = [];
    const load = { isOn: true };
    const send = async (from: number) => {
      for (let number = from; load.isOn; number += 4) ids.push(await tour.accept({ receiver: receiver(number) }));
    };
    const sending = [1, 2, 3, 4].map(send);
    for (const change of changes) {
      const before = ids.length;
      await waitUntil('some more were sent', () => ids.length >= before + betweenChanges);
      await set(tour, change);
    }
    const before = ids.length;
    await waitUntil('some more were sent', () => ids.length >= before + betweenChanges);
    load.isOn = false;
    await Promise.all(sending);
    for (const id of ids) await tour.event(id, 'delivered', 20_000);
    const submits = tour.journal.filter((entry) => entry.event === 'submit');
    assert.equal(submits.length, ids.length);
  });

  it('keeps its link if no bind depends on these settings, and the link uses them at once', async () => {
    await using carrier = await ScriptedCarrier.open();
    await using tour = await guest({ carriers: [{ name: 'alpha', prefix: '41', port: carrier.port, window: 1 }] });
    await waitUntil('the link is bound', () => carrier.links === 1);
    const session = carrier.session();
    for (let number = 1; number <= 4; number++) await tour.accept({ receiver: receiver(number) });
    await carrier.submit(0);
    await set(tour, { enquireLinkMs: '20000', answerTimeoutMs: '20000', tlsServerName: 'smsc.example' });
    assert.equal(carrier.held.length, 1);
    await set(tour, { window: '3' });
    await carrier.submit(2);
    await set(tour, { links: '2' });
    await carrier.submit(3);
    assert.equal(carrier.links, 2);
    await set(tour, { links: '1', window: '2' });
    for (const { respond } of carrier.held) respond(0, { message_id: '1' });
    await waitUntil('one of them is left', () => carrier.links === 1);
    assert.equal(carrier.session(), session);
    assert.equal(session.phase, 'bound_trx');
  });
});

describe('a pair of a transmitter and a receiver', { concurrency: true }, () => {
  it('of SMPP 3.3 works without TLVs', async () => {
    await using tour = await guest({ carriers: [{ name: 'alpha', prefix: '41', preset: 'old' }], sessions: 2 });
    await tour.event(await tour.accept({ receiver: receiver(4) }), 'delivered');
  });
});

describe('a carrier that refuses a sender', () => {
  const text = 'x'.repeat(161);
  const settings = { sourceAddressDefault: 'Acme', window: 10 };

  it('gets each part once more with the default sender, and its receipts match', async () => {
    await using carrier = await ScriptedCarrier.open();
    await using tour = await guest({ carriers: [{ name: 'alpha', prefix: '41', port: carrier.port, ...settings }] });
    await waitUntil('the link is bound', () => carrier.links === 1);
    const msgId = await tour.accept({ receiver: receiver(1), text });
    for (const [place, address] of [
      [0, ['41790000001', 1, 1]],
      [1, ['41790000001', 1, 1]],
      [2, ['Acme', 5, 0]],
      [3, ['Acme', 5, 0]],
    ] as const) {
      const { pdu, session, respond } = await carrier.submit(place);
      assert.deepEqual([pdu.source_addr, pdu.source_addr_ton, pdu.source_addr_npi], address);
      if (place < 2) respond(statuses.ESME_RINVSRCADR);
      else respond(0, { message_id: String(place) });
      if (place >= 2) await session.request(receiptFor(pdu, String(place)));
    }
    await tour.event(msgId, 'delivered');
    assert.deepEqual([carrier.held.length, await tour.balance()], [4, 99.985]);
  });
});
