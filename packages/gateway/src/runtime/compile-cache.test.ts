import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { compileCacheFolder } from './compile-cache.ts';

const folder = mkdtempSync(join(tmpdir(), 'morsel-compile-cache-'));
after(() => rmSync(folder, { recursive: true }));

const uid = process.getuid?.() ?? 0;
const rows: readonly (readonly [name: string, prepare: (home: string) => void, isSafe: boolean, uid?: number])[] = [
  ['a home directory with nothing in it', () => undefined, true],
  ['a .cache that others may read', (home) => make(join(home, '.cache'), 0o755), true],
  ['a home directory that a group may write to', (home) => chmodSync(home, 0o770), false],
  ['a .cache that everybody may write to', (home) => make(join(home, '.cache'), 0o777), false],
  ['a cache folder that a group may write to', (home) => make(join(home, '.cache/morsel/compile'), 0o770), false],
  ['a .cache that is a link', (home) => symlinkSync(tmpdir(), join(home, '.cache')), false],
  ['a .cache that is a file', (home) => writeFileSync(join(home, '.cache'), ''), false],
  ['a home directory that is missing', (home) => rmSync(home, { recursive: true }), false],
  ['a home directory of another user', () => undefined, false, uid + 1],
];

describe('the compile cache', () => {
  for (const [index, [name, prepare, isSafe, user = uid]] of rows.entries()) {
    it(`${isSafe ? 'is kept in' : 'is off with'} ${name}`, () => {
      const home = join(folder, String(index));
      make(home, 0o700);
      prepare(home);
      const found = compileCacheFolder({ home, uid: user });
      assert.equal(found, isSafe ? join(home, '.cache/morsel/compile') : undefined);
      if (found !== undefined) assert.equal(statSync(found).mode & 0o777, 0o700);
    });
  }

  it('is filled by a command, with every file that the command imports', () => {
    const home = join(folder, 'command');
    make(home, 0o700);
    const inherited = Object.entries(process.env).filter(([name]) => name !== 'NODE_COMPILE_CACHE');
    const { status } = spawnSync(
      process.execPath,
      [join(import.meta.dirname, '../../../cli/src/morsel.ts'), '--help'],
      {
        env: { ...Object.fromEntries(inherited), HOME: home },
      },
    );
    assert.equal(status, 0);
    const kept = readdirSync(join(home, '.cache/morsel/compile'), { recursive: true });
    assert.ok(kept.length > 100, `${kept.length} files were kept`);
  });
});

function make(path: string, mode: number): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  // The umask removes bits from the mode that mkdir gets.
  chmodSync(path, mode);
}
