import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { readCsv } from './csv-read.ts';
import { csvOf } from './csv.ts';

/** Cells of characters that spreadsheets take for the beginning of a cell or of a formula. */
const oddCell = fc.string({
  unit: fc.constantFrom(';', '\t', '\n', ' ', '=', '+', '-', '@', "'", '"', ',', '1', 'a'),
  maxLength: 8,
});

describe('readCsv', () => {
  /** The lines of each text, with their numbers: `2:1|2` is line 2 with the cells 1 and 2. */
  const good: readonly (readonly [what: string, text: string, rows: readonly string[]])[] = [
    ['commas', 'a,b\n1,2\n', ['1:a|b', '2:1|2']],
    ['semicolons, and commas in cells', 'a;b\n1,5;2', ['1:a|b', '2:1,5|2']],
    ['a separator in quotes', '"a;b",c', ['1:a;b|c']],
    ['the separator of the line behind comments', '\ufeff# a;b\n\n1\t2', ['3:1|2']],
    ['line breaks of every kind', 'a\r\nb\rc\nd', ['1:a', '2:b', '3:c', '4:d']],
    ['empty lines and comments, with quotes too', 'a\n\n  # it"s\n\t\nb', ['1:a', '5:b']],
    ['quotes, doubled ones and separators', '"a ""b"", c", "d" \n', ['1:a "b", c|d']],
    ['cells of several lines', 'a,"b\r\nc"\r\nd', ['1:a|b\nc', '3:d']],
    ['nothing', '', []],
    ['rows of any length', 'a\nb,c\n,\n', ['1:a', '2:b|c', '3:|']],
  ];
  for (const [what, text, rows] of good) {
    it(`reads ${what}`, () => {
      const { lines, problems } = readCsv(text);
      const read = lines.map(({ line, cells }) => `${line}:${cells.join('|')}`);
      assert.deepEqual([problems, read], [[], rows]);
    });
  }

  const bad: readonly (readonly [what: string, text: string, line: number, detail: RegExp, read: number])[] = [
    ['a quote that is not closed', 'a,b\n\n1,"2\n3,4\n', 3, /^a quote in cell 2 is not closed/, 1],
    ['text behind a quote', 'a,b\n"1"x,2\n3,4', 2, /^a quote in cell 1 has text/, 1],
    ['a quote inside a cell', 'a,b\n1,2"\n3,4', 2, /^a quote in cell 2 has text/, 1],
  ];
  for (const [what, text, line, detail, read] of bad) {
    it(`reports ${what} once, with line and cell, and reads no further row`, () => {
      const { lines, problems } = readCsv(text);
      assert.deepEqual([problems.length, problems[0]?.line, lines.length], [1, line, read]);
      assert.match(problems[0]?.detail ?? '', detail);
    });
  }

  it('reads the cells that csvOf wrote, without spaces around them', () => {
    const cell = fc.oneof(
      fc.string(),
      oddCell,
      fc.constantFrom('=1+1', "'=x", "'a", '+41791234567', '-0.5', '-a', '#', '\n', '"'),
    );
    const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(rows, (table) => {
        const wanted = table.map((row) => row.map((each) => each.trim()));
        const text = csvOf(wanted);
        const { lines, problems, separator } = readCsv(text);
        fc.pre(separator === ',');
        assert.deepEqual(problems, []);
        assert.deepEqual(
          lines.map(({ cells }) => cells),
          wanted,
        );
      }),
    );
  });
});

it('csvOf writes no formula for a spreadsheet that divides cells at semicolons or tabs', () => {
  const written = csvOf([['a;=1+1', 'a\t@sum', 'a; -1+1', 'x;"=1', 'a;b', '\uff1d1', 'a;+41791234567;-0.5', 'a\n=1']]);
  assert.equal(written, `"a;'=1+1","a\t'@sum","a; '-1+1","x;""'=1","a;b",'\uff1d1,"a;+41791234567;-0.5","a\n'=1"`);
  fc.assert(
    fc.property(fc.array(oddCell, { minLength: 1, maxLength: 4 }), (cells) => {
      for (const piece of csvOf([cells]).split(/[;\t\r\n]/)) {
        assert.doesNotMatch(piece.replace(/^[ "]+/, ''), /^(?:[=@]|[+-](?![\d.]+(?:$|[,"])))/);
      }
    }),
  );
});

it('csvOf writes no formula for a spreadsheet, and numbers as they are', () => {
  const cells = ['=HYPERLINK("x")', '@sum', '+1+1', '-a', "'=x", '+41791234567', '-0.5', 'a=b'];
  assert.equal(csvOf([cells]), `"'=HYPERLINK(""x"")",'@sum,'+1+1,'-a,''=x,+41791234567,-0.5,a=b`);
});
