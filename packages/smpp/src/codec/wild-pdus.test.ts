import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readShared } from '../../vectors/shared.ts';
import { commands } from './commands.ts';
import { decode } from './decode.ts';
import { encode } from './encode.ts';
import type { Fault, Pdu } from './pdu.ts';
import { resolveTime } from './time.ts';
import { readTlv } from './tlvs.ts';

/**
 * PDUs from logs and from tests of other gateways, each with the fields that tshark reads from it. tshark shows
 * mistakes that our encoder and decoder have in common.
 */
interface WildPdu {
  readonly n: number;
  readonly hex: string;
  readonly tshark: Readonly<Record<string, string>> | null;
}

/** The PDUs that cannot be read, and the kinds of their faults. All others have neither a fault nor an oddity. */
const faults: Readonly<Record<number, Fault['kind']>> = {
  // command_length is 304, but there are 49 octets.
  37: 'command_length',
  // A PDU of 16 octets, then the beginning of the next PDU.
  51: 'command_length',
  // sm_length is 16, but there are 8 octets. tshark reads this PDU; we refuse it, because its text has lost its end.
  66: 'body',
  // command_length is 15, and then 939,524,111.
  81: 'command_length',
  82: 'command_length',
  // A PDU of 17 octets, then ten octets that are no PDU.
  85: 'command_length',
};

test('each PDU is read as tshark reads it', (context) => {
  for (const { n, hex, tshark } of wildPdus(context)) {
    const octets = Buffer.from(hex, 'hex');
    const fault = faults[n];
    const whole = decode(octets);
    assert.equal(whole.ok ? undefined : whole.fault.kind, fault, `${n}`);
    if (tshark === null || fault === 'body') continue;
    // Of several PDUs in a frame, tshark reads the first one.
    const decoded = decode(octets.subarray(0, octets.readUInt32BE(0)));
    assert.ok(decoded.ok, `${n}`);
    assert.deepEqual(decoded.oddities, [], `${n}`);
    for (const [key, expected] of Object.entries(tshark)) {
      assert.equal(readAsTshark(key, decoded.pdu, octets), expected, `${n} ${key}`);
    }
  }
});

test('each PDU that can be read is encoded again to the same octets', (context) => {
  for (const { n, hex } of wildPdus(context)) {
    const decoded = decode(Buffer.from(hex, 'hex'));
    if (decoded.ok) assert.equal(Buffer.from(encode(decoded.pdu)).toString('hex'), hex, `${n}`);
  }
});

function wildPdus(context: Parameters<typeof readShared>[0]): readonly WildPdu[] {
  return readShared(context, 'smpp/pdus.jsonl').map((line) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- test data; a wrong shape fails the assertions
    return line as WildPdu;
  });
}

/** The value of a field in the form in which tshark prints it; undefined for a key that the test does not know. */
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
      // tshark prints an empty time as a relative time of zero seconds.
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

/** Formats a date like tshark: `Jun  7, 2016 16:30:13.000000000 UTC`. */
function tsharkDate(atMs: number): string {
  const at = new Date(atMs);
  const month = at.toLocaleString('en', { month: 'short', timeZone: 'UTC' });
  const time = at.toISOString().slice(11, 23);
  return `${month} ${String(at.getUTCDate()).padStart(2)}, ${at.getUTCFullYear()} ${time}000000 UTC`;
}
