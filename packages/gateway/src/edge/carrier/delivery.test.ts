import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readAddress } from './delivery.ts';

const rows: readonly (readonly [string, number, string])[] = [
  ['41791112233', 1, '+41791112233'],
  ['+41791112233', 1, '+41791112233'],
  ['0041791112233', 0, '+41791112233'],
  ['41791112233', 0, '+41791112233'],
  ['1234567', 1, '+1234567'],
  ['12345', 3, '12345'],
  ['12345', 0, '12345'],
  ['ACME', 5, 'ACME'],
  ['12345678', 5, '12345678'],
  ['', 0, ''],
];
for (const [address, ton, kept] of rows) {
  it(`${address || 'nothing'} with TON ${ton} is ${kept || 'nothing'}`, () =>
    assert.equal(readAddress(address, ton), kept));
}
