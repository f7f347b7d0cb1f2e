/* Reads, copies and changes the database file of a stopped gateway. */

import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { toPostgres } from '../../../src/store/postgres/schema.ts';
import { copyStore } from './store-copy.ts';
import { isOnPostgres } from './test-database.ts';
import { gatewayKeys } from '../../../src/state/rows/keys.ts';
import { decodeContent } from '../../../src/state/sealing/content.ts';
import { keyVersionOf } from '../../../src/state/sealing/data-key.ts';
import { masterKeyName } from '../../../src/state/sealing/master-key.ts';
import { Vault } from '../../../src/state/sealing/vault.ts';
import { Statements } from '../../../src/store/sqlite/statements.ts';
import { encryptionKeyTable } from '../../../src/state/tables/account.ts';

/** A row by its columns; integers as bigints. */
export interface Row {
  text(column: string): string;
  integer(column: string): number;
  micros(column: string): bigint;
}

/** The database of a gateway, read from outside. */
export class StoreFile implements Disposable {
  readonly #database: DatabaseSync;
  readonly #close: () => void;
  /** Statements are prepared once, because some run thousands of times. */
  readonly #statements = new Map<string, StatementSync>();

  private constructor(file: string, masterKey: string, close: () => void) {
    this.#database = new DatabaseSync(file, { readOnly: true });
    this.#close = close;
    const [statements, vault] = [new Statements(this.#database), new Vault(masterKey)];
    // `text_in('message', account, id, content)` opens the text of a message or of an inbound message.
    this.#database.function('text_in', (table, account, id, content) => {
      if (!(content instanceof Uint8Array)) return null;
      const where = 'where account = ? and version = ?';
      const key = statements.first(encryptionKeyTable, where, account ?? gatewayKeys, keyVersionOf(content));
      const column = table === 'message' ? 'message.content' : 'inbound.content';
      const opened = key && vault.keyOf(key).open({ column, id: Number(id) }, content);
      return opened ? decodeContent(opened).text : null;
    });
  }

  /** The store of a stopped gateway. */
  static of(dataDir: string): StoreFile {
    return new StoreFile(join(dataDir, 'morsel.db'), join(dataDir, masterKeyName), () => undefined);
  }

  /** The store of a stopped gateway on any engine; a PostgreSQL store is first copied to a file. */
  static async read(dataDir: string): Promise<StoreFile> {
    if (!isOnPostgres) return StoreFile.of(dataDir);
    const { askDatabase } = await import('./postgres-test-database.ts');
    const folder = mkdtempSync(join(tmpdir(), 'morsel-copy-'));
    await askDatabase(dataDir, (client) => copyStore(client, folder));
    return new StoreFile(join(folder, 'morsel.db'), join(dataDir, masterKeyName), () =>
      rmSync(folder, { recursive: true, force: true }),
    );
  }

  /** A copy of the store as the process left it. The next start must still recover the original. */
  static copyOf(dataDir: string): StoreFile {
    const folder = mkdtempSync(join(tmpdir(), 'morsel-copy-'));
    for (const name of ['morsel.db', 'morsel.db-wal']) {
      if (existsSync(join(dataDir, name))) copyFileSync(join(dataDir, name), join(folder, name));
    }
    return new StoreFile(join(folder, 'morsel.db'), join(dataDir, masterKeyName), () =>
      rmSync(folder, { recursive: true, force: true }),
    );
  }

  rows(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#statement(sql)
      .all(...values)
      .map(rowOf);
  }

  /** The first column of every row that a query returns. */
  texts(sql: string, ...values: SQLInputValue[]): string[] {
    return this.#statement(sql)
      .all(...values)
      .map((row) => String(Object.values(row)[0]));
  }

  count(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.texts(sql, ...values)[0] ?? 0);
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    statement.setReadBigInts(true);
    this.#statements.set(sql, statement);
    return statement;
  }

  [Symbol.dispose](): void {
    this.#database.close();
    this.#close();
  }
}

/** Changes the database of a stopped gateway, to skip long waits. Only tests may do that. */
export async function alterStore(
  dataDir: string,
  sql: string,
  ...values: (string | number | bigint)[]
): Promise<number> {
  if (isOnPostgres) {
    const { askDatabase } = await import('./postgres-test-database.ts');
    const question = { text: `${toPostgres(sql)} returning 1`, values, rowMode: 'array' } as const;
    return (await askDatabase(dataDir, (client) => client.query(question))).rows.length;
  }
  const database = new DatabaseSync(join(dataDir, 'morsel.db'));
  try {
    return Number(database.prepare(sql).run(...values).changes);
  } finally {
    database.close();
  }
}

function rowOf(columns: Readonly<Record<string, unknown>>): Row {
  const fail = (column: string, wanted: string): never => {
    throw new TypeError(`${column} is no ${wanted}: ${String(columns[column])}`);
  };
  const text = (column: string): string => {
    const value = columns[column];
    return typeof value === 'string' ? value : fail(column, 'text');
  };
  const micros = (column: string): bigint => {
    const value = columns[column];
    return typeof value === 'bigint' ? value : fail(column, 'integer');
  };
  return { text, micros, integer: (column) => Number(micros(column)) };
}
