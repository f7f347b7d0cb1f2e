import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ScriptedCarrier } from '../support/carriers/scripted-carrier.ts';
import { sharedGateway, type Tour } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';

/* Settings of a carrier change without a restart, and a carrier of SMPP 3.3. */

const guest = sharedGateway();
const receiver = (number: number) => `+4179123${String(number).padStart(4, '0')}`;

async function set(tour: Tour, fields: Readonly<Record<string, string>>): Promise<void> {
  const done = await tour.operator.carrier.set({
    carrier: tour.carrierName('alpha'),
    ...fields,
  });
  assert.ok(done.ok, JSON.stringify(done));
}

describe('a carrier whose settings change', { concurrency: true }, () => {
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
