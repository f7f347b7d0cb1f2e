import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const firstSchema = join(import.meta.dirname, '../../src/store/migrations/0001-first-tables.sql');

/** The token of `acme` in it. */
export const firstToken = 'morsel_070707070707_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc88e303b1';

export interface FirstDatabase {
  /** The instant at which its process was killed. */
  readonly now: number;
  readonly alpha: number;
  readonly beta: number;
  readonly gamma: number;
}

/** Writes a database of version 0.1.0 into a folder: its schema, and rows in every state that it knew. */
export function writeFirstDatabase(dataDir: string, { now, ...ports }: Partial<FirstDatabase> = {}): void {
  const { alpha = 1, beta = 1, gamma = 1 } = ports;
  const values = { now: now ?? Date.now(), alpha, beta, gamma };
  let rows = readFileSync(join(import.meta.dirname, 'first-database.sql'), 'utf8');
  for (const [name, value] of Object.entries(values)) rows = rows.replaceAll(`@${name}`, String(value));
  const database = new DatabaseSync(join(dataDir, 'morsel.db'), { enableForeignKeyConstraints: false });
  database.exec('pragma journal_mode = wal');
  database.exec('begin');
  database.exec(readFileSync(firstSchema, 'utf8'));
  database.exec(rows);
  database.exec('pragma user_version = 1');
  database.exec('commit');
  database.close();
}
