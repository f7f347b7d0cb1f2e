import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A new folder, which is removed when it is disposed of or when this process ends. It is on the disk whose fsync is
 * measured.
 */
export function makeFolder(): AsyncDisposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'morsel-bench-'));
  const remove = (): void => rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  process.once('exit', remove);
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      process.off('exit', remove);
      remove();
    },
  };
}

/** f_type of statfs(2) for file systems in memory, where an fsync costs nothing and stores nothing. */
const inMemory = new Set([0x01021994 /* tmpfs */, 0x858458f6 /* ramfs */]);

export function isFolderInMemory(): boolean {
  return inMemory.has(statfsSync(tmpdir()).type);
}
