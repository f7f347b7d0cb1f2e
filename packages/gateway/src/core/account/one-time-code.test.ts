import assert from 'node:assert/strict';
import { it } from 'node:test';
import { base32Of, codeAt, stepOfCode } from './one-time-code.ts';

const secret = Buffer.from('12345678901234567890');

it('makes the one-time codes of RFC 6238, appendix B', () => {
  for (const [seconds, code] of [
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ] as const) {
    assert.equal(codeAt(secret, Math.floor(seconds / 30)), code.slice(2));
  }
});

it('accepts each one-time code once, also from a phone whose clock is wrong by half a minute', () => {
  const now = 1_111_111_111_000;
  const step = Math.floor(now / 30_000);
  for (const [around, isRight] of [
    [-2, false],
    [-1, true],
    [0, true],
    [1, true],
    [2, false],
  ] as const) {
    const code = codeAt(secret, step + around);
    assert.equal(stepOfCode(secret, code, { now, after: 0 }), isRight ? step + around : undefined);
    assert.equal(stepOfCode(secret, code, { now, after: step + 1 }), undefined);
  }
  for (const code of ['', '12345', '1234567', 'abcdef']) {
    assert.equal(stepOfCode(secret, code, { now, after: 0 }), undefined);
  }
});

it('writes and reads secrets in base32 as RFC 4648 does', () => {
  for (const [text, encoded] of [
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ] as const) {
    assert.equal(base32Of(Buffer.from(text)), encoded);
  }
});
