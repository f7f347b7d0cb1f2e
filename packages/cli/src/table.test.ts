import { printable } from '@morsel/api/fields/shown.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stripVTControlCharacters, styleText } from 'node:util';
import { card, paint, table } from './table.ts';

function cellOf(member: string): (row: { readonly [member: string]: unknown }) => string {
  return (row) => String(row[member]);
}

const columns = [
  { title: 'NAME', of: cellOf('name') },
  { title: 'BALANCE', of: cellOf('balance'), isNumber: true },
  { title: 'STATUS', of: cellOf('status'), isState: true },
  { title: 'MADE', of: cellOf('at') },
];
const rows = [
  { name: 'a', balance: '100', status: 'active', at: '2026-01-31T12:00:00Z' },
  { name: 'longer', balance: '0.000001', status: 'suspended', at: '' },
];

describe('table', () => {
  it('aligns words to the left and numbers to the right', () => {
    assert.equal(
      table({ columns, rows, whenEmpty: '' }, false),
      [
        'NAME     BALANCE  STATUS     MADE',
        'a            100  active     2026-01-31T12:00:00Z',
        'longer  0.000001  suspended',
      ].join('\n'),
    );
  });

  it('has the same columns with and without colours', () => {
    const coloured = table({ columns, rows, whenEmpty: '' }, true);
    const [, first = ''] = coloured.split('\n');
    assert.ok(first.includes(styleText('green', 'active   ', { validateStream: false })));
    const plain = stripVTControlCharacters(coloured)
      .split('\n')
      .map((line) => line.trimEnd());
    assert.deepEqual(plain, table({ columns, rows, whenEmpty: '' }, false).split('\n'));
  });

  it('without rows is a sentence', () => {
    assert.equal(table({ columns, rows: [], whenEmpty: 'nothing' }, true), 'nothing');
  });
});

it('only words of states have colours, and none if colours are off', () => {
  assert.equal(paint('delivered', true), '\u001b[32mdelivered\u001b[39m');
  assert.equal(paint('delivered', false), 'delivered');
  assert.equal(paint('demo', true), 'demo');
});

it('names and values are aligned', () => {
  assert.equal(
    card([
      ['a', '1'],
      ['long', ''],
      ['bc', '2'],
    ]),
    'a     1\nlong\nbc    2',
  );
});

describe('printable', () => {
  const shown: readonly (readonly [string, string])[] = [
    ['Grüezi 👩‍👩‍👧', 'Grüezi 👩‍👩‍👧'],
    ['\u001b[2Jgone', '\\u{1b}[2Jgone'],
    ['a\r\nb\tc', 'a\\u{d}\\u{a}b\\u{9}c'],
    ['\u009b31m', '\\u{9b}31m'],
    ['pay \u202eRUE 1', 'pay \\u{202e}RUE 1'],
    ['\u0000', '\\u{0}'],
  ];
  for (const [text, expected] of shown) it(JSON.stringify(text), () => assert.equal(printable(text), expected));
});
