import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { octetsOf, VECTORS } from '../vectors/pdus.ts';
import { readShared } from '../vectors/shared.ts';
import { isCommandName } from './commands.ts';
import { decode } from './decode.ts';
import { encode } from './encode.ts';
import type { Frame } from './framer.ts';
import { Framer } from './framer.ts';
import { PDU_LENGTH_MAX } from './pdu.ts';
import { readReceipt } from './receipt.ts';
import { writeReceipt } from './write-receipt.ts';

const INPUTS = 50_000;
const STREAMS = 2_000;
const SEED = 0x5eed;
const FAULT_KINDS = ['command_length', 'command_id', 'body'];

test('whatever the bytes: a PDU or a fault with a name, and what is not odd is written again as it was', (context) => {
  const chance = makeChance(SEED);
  const seeds = seedPdus(context);
  const seen = { whole: 0, odd: 0, fault: 0, receipt: 0 };
  for (let input = 0; input < INPUTS; input++) {
    const bytes = mutate(chance, seeds);
    const decoded = decode(bytes);
    if (!decoded.ok) {
      seen.fault++;
      assert.ok(FAULT_KINDS.includes(decoded.fault.kind));
      assert.ok(decoded.fault.command_status > 0 && decoded.fault.reason.length > 0);
      continue;
    }
    const { pdu, oddities } = decoded;
    assert.ok(isCommandName(pdu.command));
    if (oddities.length === 0) assert.ok(bytes.equals(encode(pdu)), bytes.toString('hex'));
    seen[oddities.length === 0 ? 'whole' : 'odd']++;
    if ((pdu.command === 'deliver_sm' || pdu.command === 'data_sm') && readReceipt(pdu) !== undefined) seen.receipt++;
  }
  // The mutations must leave enough of each kind, or the test says less than it seems to.
  for (const [kind, count] of Object.entries(seen)) assert.ok(count > INPUTS / 200, `${kind}: ${count}`);
});

test('whatever the stream and its pieces: the frames are its beginning, cut by command_length', (context) => {
  const chance = makeChance(SEED + 1);
  const seeds = seedPdus(context);
  for (let round = 0; round < STREAMS; round++) {
    const stream = Buffer.concat(Array.from({ length: 1 + chance(8) }, () => mutate(chance, seeds)));
    const whole = new Framer().push(stream);
    const framer = new Framer();
    const pieced: Frame[] = [];
    for (let at = 0; at < stream.length;) {
      const size = 1 + chance(chance(2) === 0 ? 8 : 400);
      pieced.push(...framer.push(stream.subarray(at, at + size)));
      at += size;
      assert.ok(framer.heldOctets < PDU_LENGTH_MAX);
    }
    assert.deepEqual(pieced.map(show), whole.map(show));
    const isBroken = whole.some((frame) => 'fault' in frame);
    const frames = whole.slice(0, isBroken ? -1 : undefined).map(octetsOfFrame);
    for (const frame of frames) assert.equal(frame.readUInt32BE(0), frame.length);
    const rest = stream.subarray(frames.reduce((sum, { length }) => sum + length, 0));
    assert.ok(Buffer.concat([...frames, rest]).equals(stream));
    // What is left is not yet a whole PDU, or never will be one.
    const next = rest.length < 4 ? undefined : rest.readUInt32BE(0);
    assert.equal(isBroken, next !== undefined && (next < 16 || next > PDU_LENGTH_MAX));
    if (!isBroken && next !== undefined) assert.ok(rest.length < next);
  }
});

function octetsOfFrame(frame: Frame): Buffer {
  assert.ok('bytes' in frame, 'a fault is the last thing there is');
  return Buffer.from(frame.bytes);
}

function show(frame: Frame): string {
  return 'bytes' in frame ? Buffer.from(frame.bytes).toString('hex') : frame.fault.reason;
}

type Chance = (below: number) => number;

/** A small generator (mulberry32), so that a failure can be repeated. */
function makeChance(seed: number): Chance {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) % below;
  };
}

function seedPdus(context: TestContext): readonly Buffer[] {
  const receipt = writeReceipt({
    id: '42',
    state: 'DELIVERED',
    submittedAtMs: 0,
    doneAtMs: 0,
    text: Buffer.from('Hello'),
  });
  const own = [
    ...VECTORS.map(({ hex }) => octetsOf(hex)),
    encode({ command: 'deliver_sm', sequence_number: 1, ...receipt }),
  ];
  const wild = readShared(context, 'smpp/pdus.jsonl').map((line) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- test data; a wrong shape fails at once
    return Buffer.from((line as { readonly hex: string }).hex, 'hex');
  });
  return [...own, ...wild].map((octets) => Buffer.from(octets));
}

/** A real PDU with a few wounds, its command_length mostly put right again; one time in ten, noise. */
function mutate(chance: Chance, seeds: readonly Buffer[]): Buffer {
  if (chance(10) === 0) return setLength(chance, Buffer.from(Array.from({ length: chance(100) }, () => chance(256))));
  let bytes: Buffer = Buffer.from(seeds[chance(seeds.length)] ?? []);
  for (let wounds = chance(4); wounds > 0; wounds--) bytes = wound(chance, bytes, seeds);
  return setLength(chance, bytes);
}

function wound(chance: Chance, bytes: Buffer, seeds: readonly Buffer[]): Buffer {
  const at = chance(bytes.length + 1);
  const other = seeds[chance(seeds.length)] ?? bytes;
  switch (chance(6)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes, Buffer.from(Array.from({ length: chance(12) }, () => chance(256)))]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), other.subarray(chance(other.length + 1))]);
    case 3:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.min(bytes.length, at + 1 + chance(4)))]);
    case 4:
      return Buffer.from(bytes.map((octet, index) => (index === at ? 0 : octet)));
    default:
      return Buffer.from(bytes.map((octet, index) => (index === at ? octet ^ (1 << chance(8)) : octet)));
  }
}

function setLength(chance: Chance, bytes: Buffer): Buffer {
  if (bytes.length >= 4 && chance(10) !== 0) bytes.writeUInt32BE(bytes.length);
  return bytes;
}
