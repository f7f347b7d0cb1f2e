import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { masterKeyName } from '../../../src/state/sealing/master-key.ts';
import { Vault } from '../../../src/state/sealing/vault.ts';

const folder = mkdtempSync(join(tmpdir(), 'morsel-key-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** The path of the master key file that all stores of this process use. */
export const testMasterKey = join(folder, masterKeyName);
export const testVault = new Vault(testMasterKey);
testVault.check([]);
