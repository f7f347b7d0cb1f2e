import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { parseForm } from './form.ts';

describe('parseForm', () => {
  const accepted: readonly (readonly [string, Record<string, string>])[] = [
    ['', {}],
    ['a=1', { a: '1' }],
    ['&&a=1&&b=2&', { a: '1', b: '2' }],
    ['a', { a: '' }],
    ['a==&b=x=y', { a: '=', b: 'x=y' }],
    ['a=1;b=2', { a: '1;b=2' }],
    ['a=%2B41%20%26%3D%25', { a: '+41 &=%' }],
    ['a=%c3%A9%E2%82%AC%F0%9F%98%80', { a: 'é€😀' }],
    // The octets of é without percent-encoding, as one Latin-1 character for each octet.
    ['a=\u00c3\u00a9', { a: 'é' }],
    ['a=%00', { a: '\0' }],
    [
      '__proto__=1&constructor=2',
      Object.fromEntries([
        ['__proto__', '1'],
        ['constructor', '2'],
      ]),
    ],
  ];
  for (const [source, fields] of accepted) {
    it(`reads ${JSON.stringify(source)}`, () => {
      const result = parseForm(source, {});
      assert.ok(result.ok);
      assert.deepEqual(Object.entries(result.value), Object.entries(fields));
    });
  }

  const refusals = [
    ['a=1&a=1', /twice/],
    ['__proto__=1&__proto__=2', /twice/],
    ['a=%', /percent-encoded/],
    ['a=%2&b=1', /percent-encoded/],
    ['a=%1g', /percent-encoded/],
    ['%g1=a', /percent-encoded/],
    // Invalid UTF-8: a lone octet, an overlong form, a surrogate, beyond U+10FFFF, a cut sequence.
    ['a=%ff', /percent-encoded/],
    ['a=%c0%80', /percent-encoded/],
    ['a=%ed%a0%80', /percent-encoded/],
    ['a=\u00e9', /percent-encoded/],
    [Array.from({ length: 101 }, (_, index) => `p${index}`).join('&'), /more than 100/],
  ] as const;
  for (const [source, reason] of refusals) {
    it(`refuses ${JSON.stringify(source.slice(0, 30))}`, () => {
      const result = parseForm(source, {});
      assert.ok(!result.ok && result.error.code === 'malformed_request');
      assert.match(result.error.detail, reason);
    });
  }

  it('reads any form that URLSearchParams writes', () => {
    const text = fc.string({ unit: 'grapheme' }).map((value) => value.toWellFormed());
    fc.assert(
      fc.property(fc.dictionary(text, text, { maxKeys: 20 }), (fields) => {
        const result = parseForm(new URLSearchParams(fields).toString(), {});
        assert.ok(result.ok);
        assert.deepEqual({ ...result.value }, { ...fields });
      }),
    );
  });

  it('never throws, and its run time is proportional to the length of the input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (source) => typeof parseForm(source, {}).ok === 'boolean'),
    );
    const startMs = performance.now();
    for (const source of ['a'.repeat(262_144), '%'.repeat(262_144), '&'.repeat(262_144), 'a&'.repeat(131_072)]) {
      parseForm(source, {});
    }
    assert.ok(performance.now() - startMs < 500);
  });
});
