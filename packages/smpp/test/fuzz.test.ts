import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';

/** Runs the fuzzer of `npm run fuzz` for a few seconds. */

const inputs = 20_000;
const program = join(import.meta.dirname, 'long', 'fuzz.ts');

function fuzz(...words: string[]): Promise<{ readonly status: number; readonly out: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...words], { maxBuffer: 8 * 1024 * 1024 }, (error, out, errors) => {
      const code = error === null ? 0 : error.code;
      resolve({ status: typeof code === 'number' ? code : 1, out: out + errors });
    });
  });
}

describe('fuzz', () => {
  test('finds nothing in the framer, the codec and the receipt reader, and runs every branch', async () => {
    const { status, out } = await fuzz('--inputs', String(inputs));
    assert.equal(status, 0, out);
    assert.match(out, /nothing was found/);
  });

  const rows: readonly (readonly [string, RegExp])[] = [
    ['framer', /found in framer: Finding: /],
    ['codec', /found in codec: Finding: octets at the end that are a TLV are read as one/],
  ];
  for (const [name, finding] of rows) {
    test(`finds the bug planted in the ${name}`, async () => {
      const { status, out } = await fuzz('--inputs', String(inputs), '--only', name, '--plant', name);
      assert.equal(status, 1, out);
      assert.match(out, finding);
      assert.match(out, /^input: [0-9a-f]{20,}$/m);
    });
  }

  test('finds the bug planted in the receipt reader, and again with the command that its report prints', async () => {
    const planted = ['--plant', 'receipt'];
    const { out } = await fuzz('--inputs', String(inputs), '--only', 'receipt', ...planted);
    assert.match(out, /found in receipt: Finding: the error is the one after err:/);
    const again = /^again with: (.*)$/m.exec(out)?.[1]?.split(' ') ?? [];
    const input = /^input: [0-9a-f]{20,}$/m.exec(out)?.[0] ?? 'none';
    const second = await fuzz(...again, ...planted);
    assert.equal(second.status, 1, second.out);
    assert.ok(second.out.includes(input));
    assert.equal((await fuzz(...again)).status, 0);
  });
});
