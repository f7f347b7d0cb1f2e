import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { doubledMember } from './doubled-member.ts';

describe('a member that occurs twice in JSON', () => {
  const rows: readonly (readonly [json: string, name: string | undefined])[] = [
    ['{"a":1,"b":2}', undefined],
    ['{"a":1,"a":1}', 'a'],
    ['{"a" \r\n\t:1,"\\u0061":2}', 'a'],
    ['{"a":{"b":1},"c":{"b":1}}', undefined],
    ['{"a":{"b":1},"c":[{"b":1,"d":[],"b":1}]}', 'b'],
    ['{"a":"b\\":","b":"\\\\"}', undefined],
    ['{"a\\\\":1,"a\\\\":1}', 'a\\'],
    ['{"a":"{\\"b\\":1,\\"b\\":1}"}', undefined],
    ['{"__proto__":1,"__proto__":1}', '__proto__'],
    [`{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, undefined],
  ];
  for (const [json, name] of rows) {
    it(`is ${name} in ${json.slice(0, 50)}`, () => assert.equal(doubledMember(json), name));
  }

  it('is never found in JSON written from a value', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.boolean(), (json, isSpaced) => {
        assert.equal(doubledMember(JSON.stringify(JSON.parse(json), undefined, isSpaced ? 1 : 0)), undefined);
      }),
    );
  });
});
