import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readShared } from '../../vectors/shared.ts';
import { commands } from './commands.ts';
import { decode } from './decode.ts';
import { encode } from './encode.ts';
import { Framer } from './framer.ts';
import type { Fault, Pdu } from './pdu.ts';
import { resolveTime } from './time.ts';
import { readTlv } from './tlvs.ts';

/**
 * PDUs of other gateways' tests and of logs, each with what tshark reads from it. A decoder that agrees with one
 * written by others, field by field, has not merely learnt its own encoder's mistakes.
 */
interface WildPdu {
  readonly n: number;
  readonly hex: string;
  readonly tshark: Readonly<Record<string, string>> | null;
}

/** The PDUs with a fault, and why. All others are read without a fault and without an oddity. */
const faults: Readonly<Record<number, Fault['kind']>> = {
  // command_length 304, 49 octets there.
  37: 'command_length',
  // A PDU of 16 octets and the beginning of the next.
  51: 'command_length',
  // sm_length 16, 8 octets there. tshark reads it; a text that lost its end must not pass for a whole one.
  66: 'body',
  // command_length 15 and 939,524,111.
  81: 'command_length',
  82: 'command_length',
  // A PDU of 17 octets and ten that begin none.
  85: 'command_length',
};

/** The frames of each input that is not exactly one PDU, with a fault at the end where there is one. */
const wildFrames: Readonly<Record<number, readonly string[]>> = {
  37: [],
  51: ['frame of 16'],
  81: ['fault'],
  82: ['fault'],
  85: ['frame of 17', 'fault'],
};

test('each PDU is read as tshark reads it', (context) => {
  for (const { n, hex, tshark } of wildPdus(context)) {
    const octets = Buffer.from(hex, 'hex');
    const fault = faults[n];
    const whole = decode(octets);
    assert.equal(whole.ok ? undefined : whole.fault.kind, fault, `${n}`);
    if (tshark === null || fault === 'body') continue;
    // tshark reads the first PDU of several.
    const decoded = decode(octets.subarray(0, octets.readUInt32BE(0)));
    assert.ok(decoded.ok, `${n}`);
    assert.deepEqual(decoded.oddities, [], `${n}`);
    for (const [key, expected] of Object.entries(tshark)) {
      assert.equal(readAsTshark(key, decoded.pdu, octets), expected, `${n} ${key}`);
    }
  }
});

test('each PDU that can be read is written again octet by octet', (context) => {
  for (const { n, hex } of wildPdus(context)) {
    const decoded = decode(Buffer.from(hex, 'hex'));
    if (decoded.ok) assert.equal(Buffer.from(encode(decoded.pdu)).toString('hex'), hex, `${n}`);
  }
});

test('each PDU survives the framer, cut in two at every octet', (context) => {
  for (const { n, hex } of wildPdus(context)) {
    const octets = Buffer.from(hex, 'hex');
    const expected = wildFrames[n] ?? [`frame of ${octets.length}`];
    for (let at = 0; at <= octets.length; at++) {
      const framer = new Framer();
      const frames = [...framer.push(octets.subarray(0, at)), ...framer.push(octets.subarray(at))];
      const given = frames.map((frame) => ('bytes' in frame ? `frame of ${frame.bytes.length}` : 'fault'));
      assert.deepEqual(given, expected, `${n} at ${at}`);
      for (const frame of frames)
        if ('bytes' in frame) assert.ok(hex.startsWith(Buffer.from(frame.bytes).toString('hex')));
    }
  }
});

function wildPdus(context: Parameters<typeof readShared>[0]): readonly WildPdu[] {
  return readShared(context, 'smpp/pdus.jsonl').map((line) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- test data; a wrong shape fails the assertions
    return line as WildPdu;
  });
}

/** A field of ours in the form that tshark prints it in; undefined for a key that the test does not know. */
function readAsTshark(key: string, pdu: Pdu, octets: Buffer): string | undefined {
  const firstReceiver = pdu.command === 'submit_multi' ? pdu.dest_addresses[0] : undefined;
  const values: Readonly<Record<string, unknown>> = { ...pdu, ...firstReceiver };
  const value = values[key];
  switch (key) {
    case 'command_length':
      return String(encode(pdu).length);
    case 'command_id':
      return hexOf(commands[pdu.command].id, 8);
    case 'command_status':
      return hexOf(pdu.command_status, 8);
    case 'service_type':
      return value === '' ? '(Default)' : String(value);
    case 'source_addr_ton':
    case 'source_addr_npi':
    case 'dest_addr_ton':
    case 'dest_addr_npi':
    case 'data_coding':
      return typeof value === 'number' ? hexOf(value, 2) : undefined;
    case 'message':
      return value === undefined && 'short_message' in pdu ? colons(pdu.short_message) : undefined;
    case 'schedule_delivery_time_r':
      // tshark calls an empty time a relative one of no length.
      return values['schedule_delivery_time'] === '' ? '0.000000000' : undefined;
    case 'validity_period': {
      const at = resolveTime(String(value), 0);
      return at === undefined ? undefined : tsharkDate(at);
    }
    case 'receipted_message_id':
    case 'message_state':
      return String(readTlv(pdu, key));
    case 'sequence_number':
    case 'interface_version':
      return String(value);
    case 'source_addr':
    case 'destination_addr':
    case 'system_id':
    case 'password':
    case 'system_type':
    case 'message_id':
      return typeof value === 'string' && octets.includes(`${value}\0`, 16, 'latin1') ? value : undefined;
    default:
      return undefined;
  }
}

function hexOf(value: number, digits: number): string {
  return `0x${value.toString(16).padStart(digits, '0')}`;
}

function colons(octets: Uint8Array): string {
  return Array.from(octets, (octet) => octet.toString(16).padStart(2, '0')).join(':');
}

/** `Jun  7, 2016 16:30:13.000000000 UTC` */
function tsharkDate(atMs: number): string {
  const at = new Date(atMs);
  const month = at.toLocaleString('en', { month: 'short', timeZone: 'UTC' });
  const time = at.toISOString().slice(11, 23);
  return `${month} ${String(at.getUTCDate()).padStart(2)}, ${at.getUTCFullYear()} ${time}000000 UTC`;
}
