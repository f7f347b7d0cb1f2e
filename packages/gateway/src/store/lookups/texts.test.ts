import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { migrate } from '../sqlite/database.ts';
import { queueTexts } from './queue.ts';
import { textsByName } from './texts.ts';

const source = join(import.meta.dirname, '..', '..');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => /^(state|store)\/.*(?<!\.test)\.ts$/.test(name) && name !== 'state/tables/lookup.ts')
  .map((name) => readFileSync(join(source, name), 'utf8'));
const named = files.flatMap((text) =>
  [...text.matchAll(/\b(?:search|query|effect)<[^;=]*?>\(\)\(\s*'([^']+)'/g)].map(([, name = '']) => name),
);

it('each name of a lookup or an effect has an SQL text, and there is no other text', () => {
  const calls = files.flatMap((text) => text.match(/\b(?:search|query|effect)</g) ?? []);
  assert.equal(named.length, calls.length, 'a lookup or an effect does not name itself by a word');
  assert.deepEqual(named.toSorted(), textsByName.flatMap((each) => Object.keys(each)).toSorted());
});

it('the name of a search begins with its table, and SQLite knows all tables and columns of the texts', () => {
  using database = new DatabaseSync(':memory:');
  migrate(database);
  for (const [name, text] of textsByName.flatMap((each) => Object.entries(each))) {
    if (name in queueTexts) continue;
    for (const each of typeof text === 'string' ? [text] : text) {
      const isWhole = /^(select|insert|update|delete) /.test(each);
      assert.doesNotThrow(
        () => database.prepare(isWhole ? each : `select 1 from ${name.split('.')[0]} ${each}`),
        `${name}: ${each}`,
      );
    }
  }
});
