import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pem } from '../../../smpp/vectors/tls.ts';
import { ScriptedCarrier } from '../support/carriers/scripted-carrier.ts';
import { sharedGateway, type Tour } from '../support/gateway/tour.ts';
import { done } from '../support/done.ts';
import { waitUntil } from '../support/wait-until.ts';

/* Settings of a carrier change without a restart; carriers of SMPP 3.3, and over TLS. */

const guest = sharedGateway();
const receiver = (number: number) => `+4179123${String(number).padStart(4, '0')}`;

async function set(tour: Tour, fields: Readonly<Record<string, string>>): Promise<void> {
  done(await tour.operator.carrier.set({ carrier: tour.carrierName('alpha'), ...fields }));
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

describe('a carrier over TLS', { concurrency: true }, () => {
  const ours = { tlsCertificate: pem.client.cert, tlsKey: pem.client.key };
  const rows: readonly (readonly [what: string, settings: Readonly<Record<string, string>>, lastError?: RegExp])[] = [
    ['that trusts our certificate and has a trusted one', { tlsCa: pem.ca, ...ours }],
    ['whose certificate is of an unknown authority', ours, /certificate/],
    ['whose certificate has another name', { tlsCa: pem.ca, ...ours, tlsServerName: 'smsc.example' }, /have the name/],
    ['that wants a certificate of ours', { tlsCa: pem.ca }, /certificate/],
  ];
  for (const [what, settings, lastError] of rows) {
    it(`${what} ${lastError ? 'gets no password' : 'gets the bind'}`, async () => {
      await using tour = await guest({
        simulator: { tls: { ...pem.carrier, ca: pem.ca, requestClientCertificate: true } },
        carriers: [{ name: 'alpha', prefix: '41', tls: 'on', ...settings }],
        sessions: lastError ? 0 : 1,
      });
      if (lastError === undefined) return;
      const [link] = await waitUntil('the link is refused', async () => {
        const { linkStates } = done(await tour.operator.carrier.show({ carrier: tour.carrierName('alpha') }));
        return linkStates[0]?.state === 'waiting' ? linkStates : undefined;
      });
      assert.match(String(link?.lastError), lastError);
      assert.equal(tour.simulator.counters.binds + tour.simulator.counters.bindsRefused, 0);
    });
  }
});
