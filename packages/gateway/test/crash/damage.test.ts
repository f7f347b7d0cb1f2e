/* A database is damaged while a gateway runs on it: the gateway ends at once, whichever thread finds the damage. */

import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { Child } from '../support/gateway/child.ts';
import { writeNewDatabase } from '../support/store/database.ts';
import { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { waitUntil } from '../support/wait-until.ts';

const folder = mkdtempSync(join(tmpdir(), 'morsel-damage-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const pageSize = 4_096;

/** Overwrites every page but the first. Each thread keeps the pages that it has read before. */
function spoil(file: string): void {
  const descriptor = openSync(file, 'r+');
  const { size } = statSync(file);
  writeSync(descriptor, Buffer.alloc(size - pageSize, 0x55), 0, size - pageSize, pageSize);
  closeSync(descriptor);
}

const cases: readonly (readonly [thread: string, find: (gateway: GatewayProcess, file: string) => unknown])[] = [
  ['reading', (gateway, file) => (spoil(file), gateway.morsel('message', 'find'))],
  ['checkpoint', (_gateway, file) => truncateSync(file, 0)],
];

describe('a running gateway ends with a sentence and status 70', { concurrency: true }, () => {
  for (const [thread, find] of cases) {
    it(`when its ${thread} thread finds damage`, async () => {
      await using gateway = await GatewayProcess.start({ dataDir: join(folder, thread) });
      const file = join(folder, thread, 'morsel.db');
      await waitUntil('the file has all pages', () => statSync(`${file}-wal`).size === 0);
      await Promise.allSettled([find(gateway, file)]);
      const { status } = await gateway.ended;
      assert.match(
        gateway.errors,
        /"reason":"the database \S+morsel\.db is damaged \([^"]+\): check the disk, and restore/,
      );
      assert.equal(status, 70);
    });
  }

  it('when its writing thread finds damage', async () => {
    const file = join(folder, 'written.db');
    writeNewDatabase(file);
    await using child = new Child([file], { file: join(import.meta.dirname, 'damage-program.ts') });
    const { status, errors } = await child.ended;
    assert.match(errors, /^the database \S+written\.db is damaged \([^"]+\): check the disk, and restore/);
    assert.equal(status, 70);
  });
});
