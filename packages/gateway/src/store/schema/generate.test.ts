import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { schemas } from './generate.ts';

for (const { file, sql } of schemas) {
  it(`${file.split('/').slice(-3).join('/')} has the schema that the descriptions of the tables make`, () => {
    assert.equal(readFileSync(file, 'utf8'), sql(), 'run npm run schema');
  });
}
