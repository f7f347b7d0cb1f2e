import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { decode, Framer, readReceipt } from '../src/index.ts';
import { codecTarget } from './long/fuzz-codec.ts';
import { framerTarget } from './long/fuzz-framer.ts';
import { receiptTarget } from './long/fuzz-receipt.ts';
import { type Ending, runInputs } from './long/run.ts';
import { readSeeds } from './long/seeds.ts';
import type { Target } from './long/target.ts';

/** Runs the fuzzer of `npm run fuzz` for a few seconds, and with a planted bug in each of its targets. */

const inputs = 20_000;

function fuzz(targets: Readonly<Record<string, Target>>): Ending {
  return runInputs(
    targets,
    readSeeds(() => undefined),
    { seed: 1, from: 0, to: inputs, step: 1 },
  );
}

test('fuzz: finds nothing in the framer, the codec and the receipt reader, and reaches every outcome', () => {
  const framer = framerTarget(() => new Framer());
  const ending = fuzz({ framer, codec: codecTarget(decode), receipt: receiptTarget(readReceipt) });
  assert.ok(ending.kind === 'done', JSON.stringify(ending));
  const rare = Object.entries(ending.ends).filter(([, count]) => count < inputs / 3 / 1_000);
  assert.deepEqual(rare, []);
});

const planted: readonly (readonly [name: string, Target, finding: RegExp])[] = [
  [
    'the framer compares with >= instead of >, so that it refuses the longest PDU',
    framerTarget(() => {
      const framer = new Framer();
      const push = (chunk: Uint8Array) =>
        framer.push(chunk).filter((frame) => 'fault' in frame || frame.bytes.length < 65_536);
      return {
        push,
        get heldOctets() {
          return framer.heldOctets;
        },
      };
    }),
    /frames by command_length/,
  ],
  [
    'the decoder reads the length of a TLV as a signed number, and loses this TLV and all later ones',
    codecTarget((bytes) => {
      const decoded = decode(bytes);
      if (!decoded.ok) return decoded;
      const { tlvs } = decoded.pdu;
      const at = tlvs.findIndex(({ value }) => value.length >= 0x8000);
      if (at === -1) return decoded;
      const lost = tlvs.slice(at).reduce((sum, { value }) => sum + 4 + value.length, 0);
      const oddities = [...decoded.oddities, `${lost} octets at the end are not a TLV`];
      return { ok: true, pdu: { ...decoded.pdu, tlvs: tlvs.slice(0, at) }, oddities };
    }),
    /octets at the end that are a TLV are read as one/,
  ],
  [
    'the reader takes the error of a receipt from its stat if the text begins with err, stat and id',
    receiptTarget((pdu) => {
      const receipt = readReceipt(pdu);
      const isRare = /^err:\S* stat:\S* id:/.test(Buffer.from(pdu.short_message).toString('latin1'));
      return receipt && isRare ? { ...receipt, error: receipt.statText } : receipt;
    }),
    /the error is the one after err:/,
  ],
];
for (const [name, target, finding] of planted) {
  test(`fuzz: finds that ${name}`, () => {
    const ending = fuzz({ planted: target });
    assert.ok(ending.kind === 'found');
    assert.match(ending.finding, finding);
  });
}

test('fuzz: the program runs its threads to the end', () => {
  const program = join(import.meta.dirname, 'long', 'fuzz.ts');
  const out = execFileSync(process.execPath, [program, '--inputs', '300'], { encoding: 'utf8' });
  assert.match(out, /receipt: message \d+\nnothing was found\n$/);
});
