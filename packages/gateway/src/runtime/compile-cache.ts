import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/*
 * Node's compile cache: compiled code is kept between starts, so a command needs about half of the CPU time. Whoever can
 * write to the cache can run code as its reader, so it is kept only where no other user can write.
 */

const folders = ['.cache', 'morsel', 'compile'];
const writableByOthers = 0o022;

/**
 * Switches the compile cache on for this process and its threads, if there is a safe folder for it. NODE_COMPILE_CACHE
 * and NODE_DISABLE_COMPILE_CACHE, which Node reads itself, go before.
 */
export function useCompileCache(): void {
  if ('NODE_COMPILE_CACHE' in process.env || 'NODE_DISABLE_COMPILE_CACHE' in process.env) return;
  const folder = compileCacheFolder({ home: homedir(), uid: process.getuid?.() });
  if (folder === undefined) return;
  // Node hands it on to worker threads by the environment alone.
  process.env['NODE_COMPILE_CACHE'] = folder;
  enableCompileCache(folder);
}

/** The cache folder below a home directory, made where it is missing; undefined if another user could write to it. */
export function compileCacheFolder(user: {
  readonly home: string;
  readonly uid?: number | undefined;
}): string | undefined {
  // Without user ids (Windows) there is no telling who could.
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
    // No home directory, or one that cannot be written: the program works without a cache.
    return undefined;
  }
}

function isPrivate(folder: string, uid: number): boolean {
  const found = lstatSync(folder);
  return found.isDirectory() && found.uid === uid && (found.mode & writableByOthers) === 0;
}
