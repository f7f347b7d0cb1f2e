/* Wireshark reads the octets of a link: it must show the right fields and texts, with every setting of the carrier. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { decode, Framer } from '@morsel/smpp';
import { writeCapture, type Passed } from './capture.ts';
import { Carrier } from '../smpp/carrier.ts';
import { makeFolder, missing } from '../needs.ts';
import { Relay } from './relay.ts';
import { setUp } from '../set-up.ts';
import { send } from '../send.ts';
import { assertWellFormed, readCapture } from './wireshark.ts';
import { GatewayProcess } from '../../support/gateway/gateway-process.ts';
import { waitUntil } from '../../support/wait-until.ts';

interface Text {
  readonly dcs: 'GSM' | 'UCS';
  readonly text: string;
  readonly numParts: number;
  readonly flash?: boolean;
}

/** Texts whose every character Wireshark prints. None contains the separator of values. */
const texts: readonly Text[] = [
  { dcs: 'GSM', text: 'Hello', numParts: 1 },
  { dcs: 'GSM', text: 'Ä Ö Ü ñ à é è ì ò ù Ø å Æ ß ¿ ¡ § £ ¥ Δ Φ Γ Λ Ω Π Ψ Σ Θ Ξ', numParts: 1 },
  { dcs: 'GSM', text: 'price in €: [100] {200} ~300^ and so on; '.repeat(9), numParts: 3 },
  { dcs: 'UCS', text: 'Привет', numParts: 1 },
  { dcs: 'UCS', text: 'Ἐν ἀρχῇ ἦν ὁ λόγος. '.repeat(8), numParts: 3 },
];

const latinTexts: readonly Text[] = [
  { dcs: 'GSM', text: 'Ä Ö Ü ñ à é è ì ò ù Ø å Æ ß ¿ ¡ § £ ¥', numParts: 1 },
  { dcs: 'GSM', text: 'üben '.repeat(40), numParts: 2 },
];

/**
 * The settings of a carrier, and what Wireshark must show of its submit_sm: fields by name, with their values in order.
 */
interface Way {
  readonly what: string;
  readonly settings: readonly string[];
  readonly texts: readonly Text[];
  /** The texts, if not all of them are shown. */
  readonly shown?: string;
  /** The alphabet that tshark assumes for data_coding 0. */
  readonly alphabet?: string;
  readonly fields: Readonly<Record<string, readonly string[]>>;
}

const decimals = (...numbers: readonly number[]) => numbers.map(String);

/** Whether each submit_sm has a user data header by its esm_class (SMPP 3.4, 5.2.12), as Wireshark prints it. */
const features = (...bits: readonly (0 | 1)[]) => bits.map((bit) => `0x0${bit}`);

const ways: readonly Way[] = [
  {
    what: 'one transceiver, user data headers',
    settings: [],
    texts,
    fields: {
      'smpp.esm.submit.features': features(0, 0, 1, 1, 1, 0, 1, 1, 1),
    },
  },
  { what: 'a pair', settings: ['--preset', 'pair'], texts, fields: {} },
  { what: 'a pair of 3.3', settings: ['--preset', 'old'], texts, fields: {} },
  {
    what: 'sar_ TLVs',
    settings: ['--preset', 'sar'],
    texts,
    fields: {
      'smpp.sar_total_segments': decimals(3, 3, 3, 3, 3, 3),
      'smpp.sar_segment_seqnum': decimals(1, 2, 3, 1, 2, 3),
      'smpp.esm.submit.features': features(0, 0, 0, 0, 0, 0, 0, 0, 0),
    },
  },
  { what: 'message_payload', settings: ['--preset', 'payload'], texts, fields: {} },
  {
    what: "the carrier's own TLVs, and a validity",
    settings: ['--extra-tlvs', '0x0204=0007,0x1400=4a6f', '--validity-form', 'relative'],
    texts: texts.slice(0, 1),
    fields: { 'smpp.opt_param_tag': ['0x0204', '0x1400'], 'smpp.user_message_reference': ['0x0007'] },
  },
  {
    what: 'a text that is shown at once, by the class of SMPP 3.4 (5.2.19)',
    settings: ['--gsm-flash-data-coding', '0xf0'],
    texts: [{ dcs: 'GSM', text: 'Your code is 123456', numParts: 1, flash: true }],
    fields: { 'smpp.data_coding': ['0xf0'], 'smpp.dcs.class': ['0x00'] },
  },
  {
    what: 'texts that are shown at once, by the classes of 3GPP TS 23.038, which Wireshark shows as octets',
    settings: [],
    texts: [
      { dcs: 'GSM', text: 'Your code', numParts: 1, flash: true },
      { dcs: 'UCS', text: 'Ваш код', numParts: 1, flash: true },
    ],
    shown: '',
    fields: {
      'smpp.data_coding': ['0x10', '0x18'],
      'smpp.message': ['596f757220636f6465', '0412043004480020043a043e0434'],
    },
  },
  {
    what: 'packed septets',
    settings: ['--preset', 'packed'],
    texts: texts.filter(({ dcs, numParts }) => dcs === 'GSM' && numParts === 1),
    alphabet: 'GSM 7-bit (packed)',
    fields: {},
  },
  { what: 'Latin-1', settings: ['--preset', 'latin1'], texts: latinTexts, alphabet: 'ISO-8859-1', fields: {} },
];

describe("a link's octets", { skip: missing('tshark') }, () => {
  it('give the right fields and texts in Wireshark, and no malformed PDU', async (t) => {
    using folder = makeFolder();
    await using carrier = await Carrier.start();
    await using relay = await Relay.start(carrier.port);
    await using program = await GatewayProcess.start({ dataDir: join(folder.path, 'data') });
    const { token } = await setUp(program, { port: relay.port, window: 10 });
    let number = 0;
    for (const way of ways) {
      const { what, settings, texts: sent, fields, alphabet } = way;
      const before = { passed: relay.passed.length, receivers: carrier.receivers.length };
      await program.morsel('carrier', 'set', 'sink', '--preset', 'standard');
      if (settings.length > 0) await program.morsel('carrier', 'set', 'sink', ...settings);
      const due = carrier.acknowledged + submitsOf(way);
      for (const { dcs, text, numParts, flash } of sent) {
        const answer = await send(program, { token, number: number++, text, dcs, flash: flash ?? false });
        assert.deepEqual([answer.status, answer.body.number('numParts')], [200, numParts], what);
      }
      await waitUntil(`${what}: every receipt is acknowledged`, () => carrier.acknowledged === due);
      await carrier.enquire();

      const passed = relay.passed.slice(before.passed);
      const file = join(folder.path, 'link.pcap');
      writeFileSync(file, writeCapture(passed));
      const shown = readCapture(file, { alphabet, names: Object.keys(fields) });
      assert.deepEqual(shown.all('_ws.malformed'), [], what);
      assert.deepEqual(shown.all('_ws.unreassembled'), [], what);
      const commandIds = [...commandIdsIn(passed, 'caller'), ...commandIdsIn(passed, 'listener')];
      assert.deepEqual(shown.all('smpp.command_id').map(Number).toSorted(byValue), commandIds.toSorted(byValue), what);
      const receivers = carrier.receivers.slice(before.receivers);
      assert.deepEqual(shown.ofCaller('smpp.destination_addr'), receivers, what);
      const text = shown.ofCaller('smpp.message_text').join('');
      const accepted = way.shown ?? sent.map((each) => each.text).join('');
      assert.equal(text, accepted, `A6: ${what}: the texts are those that were accepted`);
      for (const [name, values] of Object.entries(fields))
        assert.deepEqual(shown.ofCaller(name), values, `${what}: ${name}`);
      t.diagnostic(`${what}: ${commandIds.length} PDUs, ${receivers.length} of them submit_sm`);
    }
  });
});

describe('Wireshark', { skip: missing('tshark') }, () => {
  it('reports a malformed PDU, so that these tests can rely on it', () => {
    using folder = makeFolder();
    // A submit_sm that ends within its addresses.
    const bytes = Buffer.from('0000001400000004000000000000000100010134', 'hex');
    const file = join(folder.path, 'link.pcap');
    writeFileSync(file, writeCapture([{ from: 'caller', connection: 0, bytes }]));
    const [found] = readCapture(file, { alphabet: undefined, names: [] }).all('_ws.malformed');
    assert.equal(found, '[Malformed Packet: SMPP]');
    assert.throws(() => assertWellFormed([{ from: 'caller', connection: 0, bytes }]), /Malformed Packet: SMPP/);
  });
});

function submitsOf({ settings, texts: sent }: Way): number {
  return settings.includes('payload') ? sent.length : sent.reduce((sum, { numParts }) => sum + numParts, 0);
}

function byValue(one: number, other: number): number {
  return one - other;
}

/** The command_id (SMPP 3.4, section 5.1.2.1) of each PDU, as our own decoder reads it. */
function commandIdsIn(passed: readonly Passed[], from: Passed['from']): number[] {
  const framer = new Framer();
  return passed
    .filter((piece) => piece.from === from)
    .flatMap((piece) => framer.push(piece.bytes))
    .map((frame) => {
      assert.ok('bytes' in frame && decode(frame.bytes).ok);
      return Buffer.from(frame.bytes).readUInt32BE(4);
    });
}
