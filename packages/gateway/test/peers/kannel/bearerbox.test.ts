import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Bearerbox, visitsOf, type Visit } from './bearerbox.ts';
import { ours, setUpClient } from '../client-account.ts';
import { DeliveringCarrier } from '../smpp/delivering-carrier.ts';
import { makeFolder, missing } from '../needs.ts';
import { untilBound } from '../set-up.ts';
import { Relay } from '../wire/relay.ts';
import { assertWellFormed } from '../wire/wireshark.ts';
import { GatewayProcess } from '../../support/gateway/gateway-process.ts';
import { WebhookEar } from '../../support/clients/webhook-ear.ts';
import { waitUntil } from '../../support/wait-until.ts';

/*
 * Kannel's bearerbox as our client. When it splits a text, it requests a receipt for one part only. By default it takes
 * message ids as text; with msg-id-type 0 it reads them as numbers, and our ids have 16 digits.
 */

const skip = missing('/usr/sbin/bearerbox');

/** The bits of Kannel's dlr-mask, as they are in the query with which Kannel calls a website. */
const delivered = '1';
const undelivered = '2';
const taken = '8';
const refused = '16';

const texts = [
  { name: 'gsm', text: 'Hellö [€] from £5, ¿Ω?', parts: 1 },
  { name: 'ucs2', text: 'Привет 😀', coding: 2, parts: 1 },
  { name: 'long-gsm', text: 'all the parts € '.repeat(25), parts: 3 },
  { name: 'long-ucs2', text: 'Ἐν ἀρχῇ ἦν ὁ λόγος. '.repeat(8), coding: 2, parts: 3 },
] as const;

const numberOf = (at: number) => `4179${String(at).padStart(7, '0')}`;

const inbound = [
  { what: 'GSM', fields: { short_message: Buffer.from('from a phone') }, text: 'from a phone' },
  {
    what: 'UCS-2',
    fields: { short_message: Buffer.from('Привет', 'utf16le').swap16(), data_coding: 8 },
    text: 'Привет',
  },
  {
    what: 'a text longer than short_message',
    fields: {
      esm_class: 0x40,
      short_message: Buffer.concat([Buffer.from('050003070201', 'hex'), Buffer.from('x'.repeat(153))]),
    },
    and: {
      esm_class: 0x40,
      short_message: Buffer.concat([Buffer.from('050003070202', 'hex'), Buffer.from('y'.repeat(120))]),
    },
    text: `${'x'.repeat(153)}${'y'.repeat(120)}`,
  },
] as const;

const field = (visit: Visit, name: string) => visit.get(name)?.toString() ?? '';

/** The text of an inbound message. Kannel passes it on in UTF-8, or in UTF-16 if the coding is 2. */
function textIn(visit: Visit): string {
  const octets = visit.get('text') ?? Buffer.alloc(0);
  return field(visit, 'coding') === '2' ? Buffer.from(octets).swap16().toString('utf16le') : octets.toString();
}

const inboundOf = (site: WebhookEar) => visitsOf(site, '/inbound');

const receiptsOf = (site: WebhookEar, name: string) =>
  visitsOf(site, '/receipt').filter((visit) => field(visit, 'name') === name);

const untilSessions = (program: GatewayProcess, count: number) =>
  waitUntil(`${count} sessions are bound`, async () => {
    const sessions = (await program.ask('v1/sessions')).at('items');
    return Array.isArray(sessions) && sessions.length === count;
  });

describe("Kannel's bearerbox as a client", { skip: skip || missing('tshark') }, () => {
  for (const { what, settings, ...binds } of [
    { what: 'a transmitter and a receiver of 3.4', isPair: true, version: '34', settings: ['--smpp-long', 'udh'] },
    { what: 'a transceiver that reads ids as decimal numbers', isPair: false, version: '34', settings: [], idType: 0 },
    { what: 'a transmitter and a receiver of 3.3', isPair: true, version: '33', settings: [] },
  ] as const) {
    it(`sends texts that it splits itself, and gets receipts and inbound messages: ${what}`, async () => {
      using folder = makeFolder();
      await using site = await WebhookEar.open();
      await using carrier = await DeliveringCarrier.start();
      carrier.undeliverable = numberOf(9);
      await using program = await GatewayProcess.start({ dataDir: join(folder.path, 'data') });
      await setUpClient(program, carrier, settings);
      await untilBound(program);
      await using relay = await Relay.start(program.smppPort);
      await using box = await Bearerbox.start({ folder: folder.path, port: relay.port, site, ...binds });
      await untilSessions(program, binds.isPair ? 2 : 1);

      for (const [at, each] of texts.entries()) assert.ok(await box.send({ ...each, from: ours, to: numberOf(at) }));
      for (const { fields, ...more } of inbound) {
        await carrier.bring(fields);
        if ('and' in more) await carrier.bring(more.and);
      }
      assert.ok(await box.send({ name: 'lost', text: 'to nobody', from: ours, to: numberOf(9) }));
      // No route takes this receiver.
      assert.ok(await box.send({ name: 'refused', text: 'to nowhere', from: ours, to: '33612345678' }));

      for (const [at, { name, text, parts }] of texts.entries()) {
        await waitUntil(`${name} is delivered`, () =>
          receiptsOf(site, name).some((visit) => field(visit, 'type') === delivered),
        );
        const told = receiptsOf(site, name).map(
          (visit) => `${field(visit, 'type')} by ${field(visit, 'id').length} digits`,
        );
        assert.deepEqual(told.toSorted(), [`${delivered} by 16 digits`, `${taken} by 16 digits`], name);
        const [first, second] = receiptsOf(site, name).map((visit) => field(visit, 'id'));
        assert.equal(first, second, 'both by the id that the submit_sm was answered with');
        await waitUntil(`all of ${name} came`, () => carrier.textsTo(numberOf(at)).length === parts);
        assert.equal(carrier.textsTo(numberOf(at)).join(''), text, name);
      }
      for (const [name, type] of [
        ['lost', undelivered],
        ['refused', refused],
      ] as const) {
        await waitUntil(`${name} is ${type}`, () =>
          receiptsOf(site, name).some((visit) => field(visit, 'type') === type),
        );
      }
      await waitUntil('all of the phones came', () => inboundOf(site).length === inbound.length);
      // Kannel makes several requests at once, in any order.
      const told = inboundOf(site).map((visit) => `${field(visit, 'from')} ${field(visit, 'to')} ${textIn(visit)}`);
      assert.deepEqual(told.toSorted(), inbound.map(({ text }) => `+41791230001 +${ours} ${text}`).toSorted());
      const enquireLink = 0x15;
      await waitUntil('it asks enquire_link', () => assertWellFormed(relay.passed).includes(enquireLink));
      // Kannel reports the refused message as an error, and no other error.
      assert.deepEqual(
        box.complaints.filter((line) => !line.includes('SMSC returned error code 0x0000000b')),
        [],
      );
    });
  }
});
