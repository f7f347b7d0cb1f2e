import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { schemas } from './generate.ts';

for (const { file, sql } of schemas) {
  it(`${file.split('/').slice(-3).join('/')} says what the descriptions of the tables say`, () => {
    assert.equal(readFileSync(file, 'utf8'), sql(), 'run npm run schema');
  });
}
