import { readdirSync } from 'node:fs';
import { StoreRefused } from '../state/sealing/refused.ts';

const migrationName = /^(\d{4})-[a-z0-9-]+\.sql$/;

/**
 * The migrations in a folder by number, starting with 0001 for version 1. A gap or a duplicate number means a broken installation:
 * nothing is migrated.
 */
export function migrationsIn(folder: string): readonly string[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .toSorted();
  for (const [index, name] of names.entries()) {
    const wanted = String(index + 1).padStart(4, '0');
    if (migrationName.exec(name)?.[1] === wanted) continue;
    throw new StoreRefused(
      `the program's migrations are incomplete: found ${name} where ${wanted} must be. Nothing was changed; install the program again`,
    );
  }
  return names;
}
