/* Runs tshark on a capture, and returns the fields that tshark shows. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Framer } from '@morsel/smpp';
import { decodeAs, listenerPort, writeCapture, type Passed } from './capture.ts';
import { makeFolder, runProgram } from '../needs.ts';

/** The character between the values of one packet. The tests use no text that contains it. */
const between = '|';

/** What Wireshark shows of each packet, by the names of its fields. */
export class Capture {
  readonly #names: readonly string[];
  readonly #packets: readonly (readonly string[])[];

  constructor(names: readonly string[], printed: string) {
    this.#names = names;
    this.#packets = printed.split('\n').map((line) => line.split('\t'));
  }

  /** The values of a field in all packets, in order. */
  all(name: string): string[] {
    return this.#packets.flatMap((packet) => this.#values(packet, name));
  }

  /** The values of a field in the packets that the caller sent. */
  ofCaller(name: string): string[] {
    const sent = this.#packets.filter((packet) => this.#values(packet, 'tcp.dstport').includes(String(listenerPort)));
    return sent.flatMap((packet) => this.#values(packet, name));
  }

  #values(packet: readonly string[], name: string): string[] {
    const values = packet[this.#names.indexOf(name)] ?? '';
    return values.split(between).filter((value) => value !== '');
  }
}

const always = [
  'tcp.dstport',
  '_ws.malformed',
  '_ws.unreassembled',
  'smpp.command_id',
  'smpp.destination_addr',
  'smpp.message_text',
];

/** Runs tshark. `alphabet` is what it assumes for data_coding 0: by default the unpacked GSM alphabet, as we do. */
export function readCapture(
  file: string,
  { alphabet = 'GSM 7-bit', names }: { readonly alphabet: string | undefined; readonly names: readonly string[] },
): Capture {
  const fields = [...always, ...names];
  const settings = ['-d', decodeAs, '-o', `smpp.decode_sms_over_smpp:${alphabet}`];
  const wanted = fields.flatMap((name) => ['-e', name]);
  const words = ['-r', file, ...settings, '-T', 'fields', '-E', `aggregator=${between}`, ...wanted];
  return new Capture(fields, runProgram('tshark', words));
}

/**
 * Fails unless Wireshark reads every PDU, and none as malformed. Returns their command_ids (SMPP 3.4, section 5.1.2.1).
 */
export function assertWellFormed(passed: readonly Passed[]): readonly number[] {
  using folder = makeFolder();
  const file = join(folder.path, 'passed.pcap');
  writeFileSync(file, writeCapture(passed));
  const shown = readCapture(file, { alphabet: undefined, names: [] });
  assert.deepEqual(shown.all('_ws.malformed'), []);
  assert.deepEqual(shown.all('_ws.unreassembled'), []);
  const ids = shown.all('smpp.command_id').map(Number);
  assert.equal(ids.length, countPdus(passed), 'PDUs that it shows');
  return ids;
}

/** Counts the PDUs, of which this only reads the lengths. */
function countPdus(passed: readonly Passed[]): number {
  const ways = Map.groupBy(passed, ({ from, connection }) => `${from} ${connection}`);
  const framed = [...ways.values()].flatMap((pieces) => {
    const framer = new Framer();
    return pieces.flatMap(({ bytes }) => framer.push(bytes));
  });
  return framed.filter((frame) => 'bytes' in frame).length;
}
