import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/*
 * Switches on Node's compile cache, which halves the CPU time of a command. A user who can write to the cache can run
 * code as another user who reads it. So the cache is used only where no other user can write.
 */

const folders = ['.cache', 'morsel', 'compile'];
const writableByOthers = 0o022;

/** NODE_COMPILE_CACHE and NODE_DISABLE_COMPILE_CACHE, which Node reads itself, take precedence. */
export function useCompileCache(): void {
  if ('NODE_COMPILE_CACHE' in process.env || 'NODE_DISABLE_COMPILE_CACHE' in process.env) return;
  const folder = compileCacheFolder({ home: homedir(), uid: process.getuid?.() });
  if (folder === undefined) return;
  // Worker threads find the cache only through this environment variable.
  process.env['NODE_COMPILE_CACHE'] = folder;
  enableCompileCache(folder);
}

/** The folder of the cache, created if it is missing; undefined if another user could write to it. */
export function compileCacheFolder(user: {
  readonly home: string;
  readonly uid?: number | undefined;
}): string | undefined {
  // Windows has no user ids, so the owner of a folder cannot be checked.
  if (user.uid === undefined) return undefined;
  try {
    let folder = realpathSync(user.home);
    if (!isPrivate(folder, user.uid)) return undefined;
    for (const name of folders) {
      folder = join(folder, name);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      if (!isPrivate(folder, user.uid)) return undefined;
    }
    return folder;
  } catch {
    // The home directory is missing or not writable, so the program works without a cache.
    return undefined;
  }
}

function isPrivate(folder: string, uid: number): boolean {
  const found = lstatSync(folder);
  return found.isDirectory() && found.uid === uid && (found.mode & writableByOthers) === 0;
}
