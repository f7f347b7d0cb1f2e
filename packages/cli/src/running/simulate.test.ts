import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { connect } from '@morsel/smpp';
import { readValues } from '@morsel/api/fields/field.ts';
import { endings } from '@morsel/simulator';
import { pem } from '../../../smpp/vectors/tls.ts';
import { running, start } from '../../../gateway/test/support/gateway/morsel.ts';
import { simulateFields, simulateNotes } from './simulate-fields.ts';
import { simulatorOptions } from './simulate.ts';

const folder = join(import.meta.dirname, '../../../smpp/vectors/tls');

/** The options of the simulator for texts of the command line. */
function optionsFor(texts: { readonly [name: string]: string }) {
  const given = readValues(simulateFields, texts);
  assert.ok(given.ok);
  return simulatorOptions(given.value);
}

describe('morsel simulate', () => {
  it('names in its help every ending of the simulator', () => {
    const help = simulateNotes();
    for (const [ending, { about }] of Object.entries(endings))
      assert.ok(help.includes(`...${ending}  ${about}`), ending);
  });

  it('passes every option to the simulator', () => {
    const [cert, key, ca] = ['carrier.pem', 'carrier.key', 'ca.pem'].map((name) => join(folder, name));
    const given = { port: 0, systemId: 'us', password: '', receiptDelayMs: 1, retryMs: 2, journal: 'j', throughput: 3 };
    const more = {
      window: 5,
      bindsMax: 7,
      messageIds: 'hex',
      receiptIds: 'decimal',
      ordinary: '9902',
      answerDelayMs: 9,
    };
    const values = {
      ...Object.fromEntries(Object.entries({ ...given, ...more }).map(([name, value]) => [name, String(value)])),
      tlsCert: cert ?? '',
      tlsKey: key ?? '',
      tlsCa: ca ?? '',
    };
    const texts = { ...values, journalTexts: 'true', throttleChance: '2.5%', magic: 'off' };
    const ofInbound = { inbound: 'STOP', from: '+41791234567', to: '72000' };
    const [certOctets, keyOctets] = [Buffer.from(pem.carrier.cert), Buffer.from(pem.carrier.key)];
    const tls = { cert: certOctets, key: keyOctets, ca: Buffer.from(pem.ca), requestClientCertificate: true };
    assert.deepEqual(optionsFor({ ...texts, ...ofInbound }), {
      ok: true,
      value: { ...given, ...more, host: '127.0.0.1', journalTexts: true, throttleChance: 0.025, magic: false, tls },
    });
    const all = [...Object.keys({ ...texts, ...ofInbound }), 'host'];
    assert.deepEqual(all.toSorted(), Object.keys(simulateFields).toSorted(), 'every option is in this test');
  });

  for (const [values, option] of [
    [{ tlsCert: 'x' }, '--tls-key'],
    [{ tlsKey: 'x' }, '--tls-cert'],
    [{ tlsCa: 'x' }, '--tls-cert'],
  ] as const) {
    it(`says what to add if ${JSON.stringify(values)} is only one half of the TLS options`, () => {
      const read = optionsFor({ port: '0', ...values });
      assert.ok(!read.ok && read.error.detail.startsWith(`${option} must name the PEM file of `));
    });
  }

  it('leaves the defaults to the simulator', () => {
    const read = optionsFor({ port: '0' });
    assert.deepEqual(read, { ok: true, value: { port: 0, host: '127.0.0.1', journalTexts: false, magic: true } });
  });
});

describe('inbound messages of morsel simulate', () => {
  it('are the text of --inbound and then each line of standard input, between the given numbers', async () => {
    const numbers = ['--from', '+46701234567', '--to', '72000'];
    const carrier = await running(['simulate', '--port', '0', '--inbound', 'STOP', ...numbers]);
    const heard: string[] = [];
    const all = Promise.withResolvers<void>();
    const session = await connect({
      host: '127.0.0.1',
      port: Number(carrier.ready['port']),
      bind: { command: 'bind_receiver', system_id: 'client', password: '' },
      onRequest(pdu, respond) {
        assert.ok(pdu.command === 'deliver_sm');
        assert.deepEqual([pdu.source_addr, pdu.destination_addr], ['46701234567', '72000']);
        const octets = Buffer.from(pdu.short_message);
        const text = pdu.data_coding === 8 ? octets.swap16().toString('utf16le') : octets.toString('latin1');
        heard.push(pdu.esm_class === 0x40 ? `part ${octets[5]} of ${octets[4]}` : text);
        respond(0);
        if (text === 'Привет 👍') all.resolve();
      },
    });
    carrier.streams.stdin?.write(`${'x'.repeat(161)}\n\nlone \nПривет 👍\n`);
    await all.promise;
    assert.deepEqual(heard, ['STOP', 'part 1 of 2', 'part 2 of 2', 'lone ', 'Привет 👍']);
    await session.unbind();
    const { status, out } = await carrier.stop();
    assert.deepEqual([status, out.match(/\{"inbound":"acknowledged"\}/g)?.length], [0, 4]);
  });

  it('of more than 255 parts are refused before the simulator listens', async () => {
    const { status, errors } = await start(['simulate', '--port', '0', '--inbound', 'x'.repeat(255 * 153 + 1)]).ended;
    assert.equal(status, 2);
    assert.match(errors, /^morsel: --inbound: text needs 256 parts; the maximum is 255/);
  });
});
