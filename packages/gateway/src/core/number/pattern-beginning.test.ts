import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import metadata from 'libphonenumber-js/metadata.max';
import { beginningOf } from './pattern-beginning.ts';

describe('how the numbers of a pattern begin', () => {
  for (const [pattern, beginning] of [
    ['90[016]\\d{6}', '90[016]'],
    ['[25]\\d', '[25]'],
    ['900\\d{4}(?:\\d{4})?', '900'],
    ['99[1-59]\\d{4}(?:1\\d\\d)?', '99[1-59]'],
    ['(?:137[7-9]|900(?:[135]|9\\d))\\d{6}', '(?:137[7-9]|900(?:[135]|9))'],
    ['[67]00\\d{5,6}', '[67]00'],
    ['8(?:10|2[018])\\d{6,10}|828\\d{5}', '8(?:10|2[018])|828'],
    ['9(?:\\d\\d|\\d)', '9'],
    ['5(?:1\\d){2}', '5(?:1\\d){2}'],
    ['(?:00|\\d)5?', '(?:00|)'],
    ['\\d{8}', ''],
    ['1|\\d', ''],
  ] as const) {
    it(`${pattern}: ${beginning}`, () => assert.equal(beginningOf(pattern), beginning));
  }

  it('is read of every pattern of the metadata, and never ends in digits of any kind', () => {
    let read = 0;
    for (const plan of [...Object.values(metadata.countries), ...Object.values(metadata.nonGeographic)]) {
      const types: unknown = plan[typesAt];
      for (const type of Array.isArray(types) ? types : []) {
        const pattern: unknown = Array.isArray(type) ? type[0] : undefined;
        if (typeof pattern !== 'string' || pattern === '') continue;
        const beginning = beginningOf(pattern);
        assert.doesNotThrow(() => new RegExp(`^(?:${beginning})`));
        assert.doesNotMatch(beginning, /\\d(?:\{[\d,]+\})?\)*$/, pattern);
        read += 1;
      }
    }
    assert.ok(read > 1_000, `only ${read}`);
  });
});

/** The place of the types in a plan. */
const typesAt = 11;
