import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { instant } from './fields.ts';

describe('a time that the operator gives', () => {
  const refused: readonly (readonly [text: string, why: RegExp])[] = [
    ['2027-02-29T00:00:00Z', /there is no such day/],
    ['2027-02-29', /there is no such day/],
    ['0001-01-01', /in the years 1970 to 2999/],
    ['tomorrow', /a time such as 2026-01-31T12:00:00Z, or a day such as 2026-01-31/],
  ];
  for (const [text, why] of refused) {
    it(`is refused as ${text}, and never becomes another`, () => {
      const read = instant.parse(text);
      assert.ok(!read.ok);
      assert.match(read.error, why);
    });
  }
});
