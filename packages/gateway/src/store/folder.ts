import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and its missing parents, for their owner only. Returns those that it made, the deepest first.
 * `recursive` of `mkdirSync` does not end where nothing can be made, such as in /proc.
 */
export function makeFolder(folder: string): readonly string[] {
  if (isFolder(folder)) return [];
  const parent = dirname(folder);
  const above = parent === folder ? [] : makeFolder(parent);
  mkdirSync(folder, { mode: 0o700 });
  return [folder, ...above];
}

/** A file in the place of a folder is left to `mkdirSync`, which refuses it. */
function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Makes the names in a folder durable. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
