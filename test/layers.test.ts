import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { filesOf, layers } from './layers.ts';

it('a pattern that matches no test file is an error, and so is each name in its braces', () => {
  assert.throws(() => filesOf({ files: ['packages/gateway/src/*.test.ts', 'packages/nothing/*.test.ts'] }), /nothing/);
  assert.throws(() => filesOf({ files: ['packages/gateway/test/tour/{message,former}.test.ts'] }), /tour\/former/);
});

it('each test file is in a layer, and runs once in it', () => {
  const found = Object.entries(layers).map(([name, { groups }]) => ({ name, files: groups.flatMap(filesOf) }));
  for (const { name, files } of found) assert.equal(new Set(files).size, files.length, name);
  const all = globSync(['packages/*/{src,test}/**/*.test.ts', '{deploy,test}/**/*.test.ts'], {
    cwd: join(import.meta.dirname, '..'),
    exclude: ['**/node_modules/**'],
  });
  const layered = new Set(found.flatMap(({ files }) => files));
  assert.deepEqual(
    all.filter((file) => !layered.has(file)),
    [],
  );
});

it('a process of tests that ends by force has only one file, because it would end after its first file', () => {
  for (const [name, { groups, endsByForce }] of Object.entries(layers))
    if (endsByForce) for (const { together = 1 } of groups) assert.equal(together, 1, name);
});
