import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseOwnedNumber } from './owned-number.ts';
import { ownersOf } from './owners.ts';
import type { NumberKind } from '@morsel/api/values/number.ts';

const read: readonly (readonly [input: string, kind: NumberKind, number: string | undefined])[] = [
  ['+41791112233', 'number', '+41791112233'],
  ['0041 79 111 22 33', 'number', '+41791112233'],
  ['41791112233', 'number', '+41791112233'],
  ['8811', 'number', '8811'],
  ['88', 'number', undefined],
  ['Shop', 'number', undefined],
  ['+9991234567', 'number', undefined],
  ['+4179', 'prefix', '+4179'],
  ['4179', 'prefix', '+4179'],
  ['', 'prefix', undefined],
  ['079', 'prefix', undefined],
  ['41x', 'prefix', undefined],
];
for (const [input, kind, number] of read) {
  it(`"${input}" as a ${kind} is ${number ?? 'refused'}`, () => {
    const owned = parseOwnedNumber(input, kind);
    assert.equal(owned.ok ? owned.value.number : undefined, number);
    if (owned.ok) assert.equal(owned.value.digits, owned.value.number.replace('+', ''));
  });
}

it('the owner of an inbound message is searched by the number itself, then by its prefixes, the longest first', () => {
  assert.deepEqual(
    ownersOf('+4179111').map(({ kind, digits }) => `${kind} ${digits}`),
    ['number 4179111', ...['4179111', '417911', '41791', '4179', '417', '41', '4'].map((digits) => `prefix ${digits}`)],
  );
});

it('a short code matches no prefix of international numbers, even if a carrier writes a + before it', () => {
  for (const receiver of ['8811', '+8811', '88112233']) {
    assert.deepEqual(ownersOf(receiver), [{ kind: 'number', digits: receiver.replace('+', '') }]);
  }
  assert.deepEqual(ownersOf('Shop'), []);
  assert.deepEqual(ownersOf(''), []);
});
