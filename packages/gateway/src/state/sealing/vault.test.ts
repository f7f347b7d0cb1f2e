import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { newMasterKeyLine } from './master-key.ts';
import { Vault } from './vault.ts';

const folder = mkdtempSync(join(tmpdir(), 'morsel-vault-'));
after(() => rmSync(folder, { recursive: true }));
let files = 0;
const newFile = () => join(folder, `key-${++files}`);

it('the first start makes the master key file, for its owner only, and later starts use it', () => {
  const file = newFile();
  new Vault(file).check([]);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const made = new Vault(file).newKey(3, 1);
  const again = new Vault(file);
  again.check([made]);
  const place = { column: 'carrier.secrets', id: 1 } as const;
  const sealed = again.keyOf(made).seal(place, 'secret');
  assert.equal(new Vault(file).keyOf(made).open(place, sealed).toString(), 'secret');
  assert.throws(() => again.keyOf({ ...made, wrapped: made.wrapped.slice(), account: 4 }), /was changed by another/);
});

it('a missing, wrong or unsafe master key is refused, and no file is made or changed', () => {
  const file = newFile();
  const vault = new Vault(file);
  vault.check([]);
  const stored = [vault.newKey(0, 1)];
  const missing = newFile();
  assert.throws(() => new Vault(missing).check(stored), /the master key \S+ is missing, .* Nothing was changed/);
  assert.equal(existsSync(missing), false);
  const cases: readonly (readonly [text: string, mode: number, says: RegExp])[] = [
    [newMasterKeyLine(), 0o600, /is not the one of this database/],
    ['too short\n', 0o600, /has no valid master key/],
    ['', 0o600, /has no valid master key/],
    [readFileSync(file, 'utf8'), 0o604, /every user of this machine can read the master key/],
  ];
  for (const [text, mode, says] of cases) {
    const other = newFile();
    writeFileSync(other, text);
    chmodSync(other, mode);
    assert.throws(() => new Vault(other).check(stored), says);
    assert.equal(readFileSync(other, 'utf8'), text);
  }
});
