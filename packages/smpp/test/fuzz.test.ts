/*
 * Any octets at the framer, the decoder and the receipt reader: mutated real PDUs and receipts. `npm run fuzz` gives
 * many more; a failure prints the shortest input, and the seed and path that make it again.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  type MessageState,
  decode,
  encode,
  EncodeError,
  isCommandName,
  messageStateTable,
  readReceipt,
  tlvTable,
} from '../src/index.ts';
import { Framer } from '../src/codec/framer.ts';
import { pduLengthMax } from '../src/codec/pdu.ts';
import { mutatedPdu, mutatedText } from './mutated.ts';

const numRuns = Number(process.env['FUZZ_INPUTS'] ?? 7_000);
const seed = Number(process.env['FUZZ_SEED'] ?? 1);

/** Checks any number of inputs. Each outcome must be reached, or the mutations do not reach a branch. */
function fuzz<T>(inputs: fc.Arbitrary<T>, outcomes: readonly string[], check: (input: T) => string): void {
  const seen = new Map(outcomes.map((outcome) => [outcome, 0]));
  fc.assert(
    fc.property(inputs, (input) => {
      const outcome = check(input);
      seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
    }),
    { numRuns, seed },
  );
  assert.deepEqual(
    [...seen].filter(([, count]) => count < numRuns / 1_000).map(([outcome]) => outcome),
    [],
  );
}

/** Fails if the check does not find the planted bug. */
function finds<T>(inputs: fc.Arbitrary<T>, check: (input: T) => unknown, finding: string): void {
  assert.throws(
    () =>
      fc.assert(
        fc.property(inputs, (input) => void check(input)),
        { numRuns: 50_000, seed, endOnFailure: true },
      ),
    ({ cause }: Error) => String(cause).includes(finding),
  );
}

const stream = fc.array(mutatedPdu, { minLength: 1, maxLength: 4 }).map((all) => Buffer.concat(all));
/** Pieces of a stream: octet by octet, in small pieces or in large ones. */
const sizes = fc.oneof(
  { weight: 1, arbitrary: fc.constant([1]) },
  { weight: 20, arbitrary: fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 8 }) },
  { weight: 20, arbitrary: fc.array(fc.integer({ min: 1, max: 40_000 }), { minLength: 1, maxLength: 8 }) },
);
const streamInPieces = fc.tuple(stream, sizes);

/** The PDUs of a whole stream (3.4, section 3.2), whether it breaks, and how many octets are left. */
function framesOf(bytes: Buffer): { readonly frames: readonly string[]; readonly left: number } {
  const frames: string[] = [];
  let at = 0;
  while (bytes.length - at >= 4) {
    const length = bytes.readUInt32BE(at);
    if (length < 16 || length > pduLengthMax) return { frames: [...frames, 'command_length 2'], left: 0 };
    if (length > bytes.length - at) break;
    frames.push(bytes.toString('hex', at, (at += length)));
  }
  return { frames, left: bytes.length - at };
}

function checkFramer([bytes, pieces]: readonly [Buffer, readonly number[]], open = () => new Framer()): string {
  const { frames, left } = framesOf(bytes);
  const isBroken = frames.at(-1) === 'command_length 2';
  for (const each of [[bytes.length], pieces]) {
    const framer = open();
    const found: string[] = [];
    for (let at = 0, turn = 0; at < bytes.length; turn++) {
      const size = each[turn % each.length] ?? 1;
      for (const frame of framer.push(bytes.subarray(at, (at += size))))
        found.push(
          'bytes' in frame
            ? Buffer.from(frame.bytes).toString('hex')
            : `${frame.fault.kind} ${frame.fault.command_status}`,
        );
      assert.ok(framer.heldOctets < pduLengthMax, 'what is held is less than one PDU');
    }
    assert.deepEqual(found, frames, 'frames by command_length');
    assert.equal(framer.heldOctets, left);
    if (isBroken) assert.deepEqual(framer.push(bytes), [], 'nothing follows a fault');
  }
  return isBroken ? 'breaks' : left > 0 ? 'holds some' : 'goes on';
}

const statuses: Readonly<Record<string, number>> = { command_length: 2, command_id: 3, body: 1 };

function checkCodec(input: Buffer, read = decode): string {
  const decoded = read(input);
  if (!decoded.ok) {
    const { kind, command_status, reason } = decoded.fault;
    assert.equal(command_status, statuses[kind], 'a fault is one of three, with its status');
    assert.ok(reason.length > 0 && reason.length <= 120, 'a fault has a short reason');
    return kind;
  }
  const { pdu, oddities } = decoded;
  assert.ok(isCommandName(pdu.command));
  assert.ok(octetsIn({ ...pdu, command: 0 }) <= input.length, 'no more octets come out than went in');
  assert.ok(oddities.length <= 8, 'oddities have a limit');
  if (oddities.length === 0) {
    assert.ok(input.equals(encode(pdu)), 'what is not odd is written as it was');
    return 'whole';
  }
  for (const oddity of oddities) {
    const left = Number(/^(\d+) octets at the end are not a TLV$/.exec(oddity)?.[1] ?? 0);
    if (left >= 4) assert.ok(4 + input.readUInt16BE(input.length - left + 2) > left, 'a TLV at the end is read as one');
  }
  const written = encoded(() => encode(pdu));
  if (written === undefined) return 'odd';
  const again = read(written);
  assert.ok(again.ok, 'what was written can be read');
  assert.deepEqual({ ...again.pdu, rest: undefined }, { ...pdu, rest: undefined }, 'what was written reads the same');
  return 'odd';
}

/** Undefined for a PDU that cannot be encoded. */
function encoded(write: () => Uint8Array): Uint8Array | undefined {
  try {
    return write();
  } catch (error) {
    assert.ok(error instanceof EncodeError, String(error));
    return undefined;
  }
}

function octetsIn(value: unknown): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, one) => sum + octetsIn(one), 0);
}

const tlv = (tag: number, value: fc.Arbitrary<Uint8Array>) => value.map((octets) => ({ tag, value: octets }));
const id = fc.string({ unit: 'binary-ascii', maxLength: 69 }).map((text) => Buffer.from(text, 'latin1'));
const tlvs = fc.oneof(
  tlv(tlvTable.receipted_message_id.tag, id),
  tlv(tlvTable.message_state.tag, fc.uint8Array({ max: 12, maxLength: 5 })),
  tlv(tlvTable.network_error_code.tag, fc.uint8Array({ maxLength: 5 })),
);
/** A deliver_sm whose text is a mutated receipt. A text that is too long for short_message is in message_payload. */
const injured = fc
  .record({ text: mutatedText, esm_class: fc.constantFrom(0, 4, 0x20, 0x40, 0x44, 8, 0xff), tlvs: fc.array(tlvs) })
  .map(({ text, esm_class, tlvs: given }) => {
    const [short_message, payload] = text.length > 255 ? [Buffer.alloc(0), text.subarray(0, 2_000)] : [text];
    const all = payload ? [...given, { tag: tlvTable.message_payload.tag, value: payload }] : given;
    return pduOf({ esm_class, short_message, tlvs: all });
  });

function pduOf(fields: object): Buffer {
  return Buffer.from(encode({ command: 'deliver_sm', sequence_number: 1, ...fields }));
}

function receiptIn(input: Buffer, read = readReceipt) {
  const decoded = decode(input);
  assert.ok(decoded.ok && decoded.pdu.command === 'deliver_sm');
  return read(decoded.pdu);
}

function checkBounds(input: Buffer): string {
  const receipt = receiptIn(input);
  if (receipt === undefined) return 'message';
  const { state, id: its, textId, statText, submitDate, doneDate, error, evidence } = receipt;
  assert.ok(state === undefined || Object.hasOwn(messageStateTable, state), 'a state is one of the standard');
  assert.ok(!receipt.final || (state !== undefined && messageStateTable[state].final));
  assert.match(evidence, /^(?:esm_class|tlv|text)$/);
  for (const text of [its, textId, statText, submitDate, doneDate])
    assert.ok(text === undefined || text.length <= input.length, 'nothing is longer than what was there');
  assert.ok(its !== '' && textId !== '', 'an empty id is none');
  assert.ok(its === undefined || its !== textId, "the text's id is given if it differs");
  // A code of two octets has at most five digits.
  assert.ok(error === undefined || error.length <= Math.max(input.length, 5));
  return 'receipt';
}

const states: Readonly<Record<string, MessageState>> = {
  DELIVRD: 'DELIVERED',
  delivrd: 'DELIVERED',
  UNDELIV: 'UNDELIVERABLE',
  DND_REJECTED: 'REJECTED',
  BUFFERD: 'SCHEDULED',
  ENROUTE: 'ENROUTE',
};
const date = fc.constantFrom('2611210915', '261121091530', '20261121091530', '261121091530028+');
const facts = fc.record(
  {
    id: fc.stringMatching(/^[0-9a-fA-F-]{1,20}$/),
    stat: fc.constantFrom(...Object.keys(states)),
    err: fc.constantFrom('000', '001', '0000', '1B', '21', 'ffff'),
    sub: fc.constantFrom('001', '1', '0'),
    dlvrd: fc.constantFrom('001', '1', '28'),
    'submit date': date,
    'done date': date,
  },
  { requiredKeys: ['id', 'stat', 'err'] },
);
/** Facts, and a text that says them in any order, in any case of its keys. */
const composed = facts.chain((said) =>
  fc
    .tuple(
      fc.shuffledSubarray(Object.entries(said), { minLength: Object.keys(said).length }),
      fc.boolean(),
      fc.constantFrom(' ', ' ', ', ', '\0'),
    )
    .map(([all, isUpper, between]) => ({
      said,
      text: all.map(([key, value]) => `${isUpper ? key.toUpperCase() : key}:${value}`).join(between),
    })),
);

interface Composed {
  readonly said: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

function checkFacts({ said, text }: Composed, read = readReceipt): string {
  const receipt = receiptIn(pduOf({ esm_class: 4, short_message: Buffer.from(text, 'latin1') }), read);
  const { id: its, statText, state, error, submitDate, doneDate } = receipt ?? {};
  assert.deepEqual(
    [its, statText, state, error, submitDate, doneDate],
    [said['id'], said['stat'], states[said['stat'] ?? ''], said['err'], said['submit date'], said['done date']],
    'the facts are those of the text',
  );
  return 'read';
}

test('fuzz: the framer cuts any stream, in any pieces, by command_length', () =>
  fuzz(streamInPieces, ['goes on', 'holds some', 'breaks'], (input) => checkFramer(input)));

test('fuzz: any octets are a PDU, an odd PDU or a fault, and what is read is written as it was', () =>
  fuzz(mutatedPdu, ['whole', 'odd', 'command_length', 'command_id', 'body'], (input) => checkCodec(input)));

test('fuzz: what is read from the text of any receipt is within bounds', () =>
  fuzz(injured, ['receipt', 'message'], checkBounds));

test('fuzz: the facts of a receipt are read, in any order', () =>
  fuzz(composed, ['read'], (input) => checkFacts(input)));

test('fuzz: finds a framer that compares with >= instead of >, and so refuses the longest PDU', () => {
  class Short extends Framer {
    override push(chunk: Uint8Array) {
      return super.push(chunk).filter((frame) => 'fault' in frame || frame.bytes.length < pduLengthMax);
    }
  }
  finds(streamInPieces, (input) => checkFramer(input, () => new Short()), 'frames by command_length');
});

/** A decoder that reads the length of a TLV as a signed number, and so loses this TLV and all later ones. */
const signed: typeof decode = (bytes) => {
  const decoded = decode(bytes);
  if (!decoded.ok) return decoded;
  const { tlvs: all } = decoded.pdu;
  const at = all.findIndex(({ value }) => value.length >= 0x8000);
  if (at === -1) return decoded;
  const lost = all.slice(at).reduce((sum, { value }) => sum + 4 + value.length, 0);
  const oddities = [...decoded.oddities, `${lost} octets at the end are not a TLV`];
  return { ok: true, pdu: { ...decoded.pdu, tlvs: all.slice(0, at) }, oddities };
};

test('fuzz: finds a decoder that reads the length of a TLV as a signed number', () =>
  finds(mutatedPdu, (input) => checkCodec(input, signed), 'a TLV at the end is read as one'));

/** A reader that takes the error of a rare receipt from its stat. */
const confused: typeof readReceipt = (pdu) => {
  const read = readReceipt(pdu);
  const isRare = 'short_message' in pdu && /^err:\S* stat:\S* id:/.test(Buffer.from(pdu.short_message).toString());
  return read && isRare ? { ...read, error: read.statText } : read;
};

test('fuzz: finds a reader that takes the error of a rare receipt from its stat', () =>
  finds(composed, (input) => checkFacts(input, confused), 'the facts are those of the text'));
