import { globSync } from 'node:fs';
import { join } from 'node:path';

/*
 * The test files of what is pure, all in this process: they cannot be in each other's way, and a process costs more than most
 * of them. `npm test` leaves out these folders and runs every other test file in a process of its own.
 */

const packages = join(import.meta.dirname, '../..');

for (const file of globSync(['gateway/src/core/**/*.test.ts', 'gsm/src/**/*.test.ts'], { cwd: packages })) {
  await import(join(packages, file));
}
