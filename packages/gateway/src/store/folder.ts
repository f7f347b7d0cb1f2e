import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and its missing parents, for their owner only. Returns the folders that it made, the deepest first.
 * The option `recursive` of `mkdirSync` loops forever where no folder can be made, such as in /proc.
 */
export function makeFolder(folder: string): readonly string[] {
  if (isFolder(folder)) return [];
  const parent = dirname(folder);
  const above = parent === folder ? [] : makeFolder(parent);
  mkdirSync(folder, { mode: 0o700 });
  return [folder, ...above];
}

/** Whether a folder exists. If a file has this path, `mkdirSync` refuses it later. */
function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Makes new names in a folder durable. */
export function syncFolder(folder: string): void {
  using opened = new DisposableStack();
  fsyncSync(opened.adopt(openSync(folder, 'r'), closeSync));
}
