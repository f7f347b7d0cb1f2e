import { globSync } from 'node:fs';
import { join } from 'node:path';

const packages = join(import.meta.dirname, '../../..');

/**
 * Runs the test files of a folder in this process. They share nothing but the code, and a process costs more than most
 * of them. `npm test` leaves out these folders and runs every other test file in a process of its own.
 */
export async function importTests(...patterns: readonly string[]): Promise<void> {
  for (const file of globSync([...patterns], { cwd: packages }).toSorted()) await import(join(packages, file));
}
