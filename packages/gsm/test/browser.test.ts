/** The package also runs in browsers, so nothing in it may need Node. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';

const source = join(import.meta.dirname, '../src');

for (const file of readdirSync(source).filter((name) => !name.endsWith('.test.ts'))) {
  it(`${file} imports only files of its folder and uses no global of Node`, () => {
    const code = readFileSync(join(source, file), 'utf8').replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, '');
    for (const [, path = ''] of code.matchAll(/from '([^']+)'/g)) assert.match(path, /^\.\/[a-z0-9-]+\.ts$/);
    assert.doesNotMatch(code, /\b(Buffer|process|require|global|setImmediate|node:)/);
  });
}
