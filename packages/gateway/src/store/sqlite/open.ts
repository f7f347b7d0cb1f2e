/* Opens the database for the writing thread, after it was checked: nothing is damaged, lost, or of another program. */

import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { gatewayKeys } from '../../state/rows/keys.ts';
import { StoreRefused } from '../../state/sealing/refused.ts';
import type { Vault } from '../../state/sealing/vault.ts';
import { encryptionKeyTable } from '../../state/tables/account.ts';
import { markInSqlite, refuseMark } from '../move/mark.ts';
import type { Durability, PlaceOf } from '../writer.ts';
import { assertNothingLost, CommitCount, countSuffix, readCommitCount } from './commit-count.ts';
import { assertUsable, fullDisk, migrate, openForWriting } from './database.ts';
import { SqliteEngine } from './engine.ts';
import { Statements } from './statements.ts';

export interface Opened {
  readonly database: DatabaseSync;
  readonly engine: SqliteEngine;
  readonly count: CommitCount;
  readonly durability: Durability;
}

/** Throws StoreRefused if the database cannot be used. */
export function openToWrite(
  { file, isExpected, isLossAccepted, memoryMib }: Omit<PlaceOf<'sqlite'>, 'masterKey'>,
  vault: Vault,
): Opened {
  let database: DatabaseSync | undefined;
  try {
    const counted = readCommitCount(file);
    const commits = assertUsable(file, isExpected || (counted ?? 0) > 0);
    const lostCommits = assertNothingLost(file, commits, { isLossAccepted });
    database = openForWriting(file, memoryMib);
    // Without this, a commit torn by a power cut could be followed by newer commits (wal.ts).
    database.exec('pragma wal_checkpoint(truncate)');
    refuseMark(markInSqlite(database), 'sqlite');
    migrate(database);
    vault.check(new Statements(database).find(encryptionKeyTable, 'where account = ?', gatewayKeys));
    const engine = new SqliteEngine(database, { vault, memoryMib });
    const count = new CommitCount(file, () => engine.commits);
    const warnings = counted === undefined && commits > 0 ? [noCount(file)] : [];
    return { database, engine, count, durability: { ...readBack(database), lostCommits, warnings } };
  } catch (fault) {
    database?.close();
    throw refusalOf(fault, file);
  }
}

function noCount(file: string): string {
  return `the file ${file}${countSuffix} is missing: the gateway makes it anew, but cannot tell whether the database has lost commits before this start. Copy the whole folder, or use "morsel backup"`;
}

/** A fault of a system call or of SQLite as a refusal; any other as it is. */
function refusalOf(fault: unknown, file: string): unknown {
  if (!(fault instanceof Error) || !('errcode' in fault || 'syscall' in fault)) return fault;
  const full = fullDisk(dirname(file));
  if (full) return full;
  return new StoreRefused(
    `the database ${file} cannot be used: ${fault.message}. Nothing was changed; restore it from a backup, or correct the permissions of its folder`,
  );
}

/** The names of the values of `pragma synchronous`. With FULL, every commit is on disk before it returns. */
const synchronousWords = ['OFF', 'NORMAL', 'FULL', 'EXTRA'];

function readBack(database: DatabaseSync): Pick<Durability, 'engine' | 'commitSettings'> {
  const journalMode = String(database.prepare('pragma journal_mode').get()?.['journal_mode']);
  const synchronous = Number(database.prepare('pragma synchronous').get()?.['synchronous']);
  const level = synchronousWords[synchronous] ?? String(synchronous);
  return { engine: 'SQLite', commitSettings: `journal_mode ${journalMode}, synchronous ${level}` };
}
