import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { csvOf } from '@morsel/api/admin/csv.ts';
import { readOptOutList } from './opt-out-file.ts';

const one = '+41791230001';
const two = '+41791230002';

describe('a list of opt-outs', () => {
  const rows: readonly (readonly [name: string, text: string, list: readonly (readonly string[])[]])[] = [
    ['numbers alone, without a heading', `${one}\n${two}\n`, [[one], [two]]],
    [
      'a heading, columns in any order, others left out',
      `Reason,since,Receiver\nwhy,2020-01-01,${one}`,
      [[one, '', 'why']],
    ],
    ['semicolons, a byte order mark, CRLF', `\ufeffreceiver;sender\r\n${one};ACME\r\n`, [[one, 'ACME']]],
    [
      'quotes, with commas, quotes and line ends inside',
      `receiver,reason\n"${one}","a, ""b""\nc"\n`,
      [[one, '', 'a, "b"\nc']],
    ],
    ['empty lines, and an entry twice', `receiver\n\n${one}\n\n0041 79 123 00 01\n`, [[one]]],
    [
      'one phone, of two senders',
      `receiver,sender\n${one},A\n${one},B\n${one},a`,
      [
        [one, 'a'],
        [one, 'B'],
      ],
    ],
  ];
  for (const [name, text, list] of rows) {
    it(`may be ${name}`, () => {
      const wanted = list.map(([receiver = '', sender = '', reason = '']) => ({ receiver, sender, reason }));
      assert.deepEqual(readOptOutList(text), { list: wanted, problems: [] });
    });
  }

  it('is refused with the line of each problem', () => {
    const { problems } = readOptOutList(`receiver,reason\n${one},"two\nlines"\n079,\n,x\n`);
    assert.deepEqual(
      problems.map(({ line, detail }) => [line, detail.slice(0, 9)]),
      [
        [4, 'receiver:'],
        [5, 'receiver:'],
      ],
    );
    const noReceiver = [{ line: 1, detail: 'the file has no receivers' }];
    assert.deepEqual(readOptOutList('receiver\n').problems, noReceiver);
    assert.deepEqual(readOptOutList('').problems, noReceiver);
    const noColumn = [{ line: 1, detail: 'the heading has no column receiver' }];
    assert.deepEqual(readOptOutList(`phone,why\n${one},x\n`).problems, noColumn);
    assert.equal(readOptOutList('x\n'.repeat(100)).problems.length, 100);
  });

  it('that was exported is read unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 20 }), { minLength: 1, maxLength: 20 }), (reasons) => {
        const entries = reasons.map((reason, at) => ({ receiver: `+4179123${1000 + at}`, sender: '', reason }));
        const written = entries.map(({ receiver, reason }) => [receiver, '', reason]);
        const read = readOptOutList(csvOf([['receiver', 'sender', 'reason'], ...written]));
        assert.deepEqual(read.problems, []);
        assert.deepEqual(
          read.list.map(({ reason }) => reason),
          reasons.map((reason) => reason.trim()),
        );
      }),
    );
  });
});
