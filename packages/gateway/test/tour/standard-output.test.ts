import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';

const program = join(import.meta.dirname, '../../../cli/src/morsel.ts');

/** Runs a line in a shell, where `$morsel` is the program. Returns its status and its errors. */
async function shell(line: string): Promise<{ readonly status: number | null; readonly errors: string }> {
  const child = spawn('bash', ['-c', line], {
    env: { ...process.env, morsel: `${process.execPath} ${program}`, MORSEL_DATA_DIR: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => void (errors += chunk.toString()));
  await once(child, 'close');
  return { status: child.exitCode, errors };
}

const folder = mkdtempSync(join(tmpdir(), 'morsel-output-'));
after(() => rmSync(folder, { recursive: true, force: true }));

describe('standard output', { concurrency: true }, () => {
  it('that is full is reported, with a status other than 0', async () => {
    const { status, errors } = await shell('$morsel --help > /dev/full');
    assert.equal(status, 74);
    assert.match(errors, /^morsel: the output could not be written: ENOSPC; [^\n]*\n$/);
  });

  it('that its reader closes does not change the status of the command', async () => {
    const refused = await shell(`$morsel ledger check --json --data-dir ${folder} | true; exit \${PIPESTATUS[0]}`);
    assert.equal(refused.status, 1);
  });
});
