/* PostgreSQL as the source or the target of a move. */

import type { Instant } from '@morsel/api/values/time.ts';
import { nodeCount } from '../../core/base/message-id.ts';
import { StoreRefused } from '../../state/sealing/refused.ts';
import { Vault } from '../../state/sealing/vault.ts';
import { allTables } from '../../state/tables/all.ts';
import { flag, integer } from '../../state/tables/column.ts';
import { keepPartitions, livingNodes, openSchema, readMigrations, schemaLock } from '../postgres/migrate.ts';
import { PostgresQueries } from '../postgres/queries.ts';
import { toPostgres } from '../postgres/schema.ts';
import { insertOf } from '../postgres/table-writes.ts';
import { PostgresConnection, sqlStateOf } from '../postgres/wire/connection.ts';
import { placeOfUrl, whyUnusable } from '../postgres/wire/unusable.ts';
import { markInPostgres, type MoveMark } from './mark.ts';
import type { MovedRow, MovedTable, Side, Sql } from './side.ts';

/** The time limit: a statement over a whole table may take hours. */
const limitMs = 24 * 60 * 60_000;
/** SQLSTATE: a text has a character that PostgreSQL does not store, which is U+0000. */
const noSuchCharacter = '22021';

const names = allTables.map(({ name }) => name).join(', ');
const guarded = allTables.filter(({ guard }) => guard !== undefined);

export class PostgresSide implements Side {
  readonly engine = 'postgres';
  readonly place: string;
  readonly queries: PostgresQueries;
  readonly #connection: PostgresConnection;

  private constructor(place: string, connection: PostgresConnection, vault: Vault) {
    this.place = place;
    this.queries = new PostgresQueries(connection, vault);
    this.#connection = connection;
  }

  /** Connects while no node runs. No node can start meanwhile: it waits for the schema lock, and then gives up. */
  static async open(
    { url, masterKey }: { readonly url: string; readonly masterKey: string },
    { mayBeNew }: { readonly mayBeNew: boolean },
  ): Promise<PostgresSide> {
    const place = placeOfUrl(url);
    const connection = await connect(url);
    const side = new PostgresSide(place, connection, new Vault(masterKey));
    try {
      if (mayBeNew) await openSchema(url, { isMove: true });
      await side.#assertFree();
      return side;
    } catch (fault) {
      await connection.close();
      throw fault;
    }
  }

  async #assertFree(): Promise<void> {
    const { queries, place } = this;
    if (!(await queries.value(flag, "select (to_regclass('morsel_schema') is not null)::int")))
      throw new StoreRefused(`${place} has no tables of Morsel`);
    await this.#assertVersion();
    if (!(await queries.value(flag, `select pg_try_advisory_lock(${schemaLock})::int`)))
      throw new StoreRefused(`another move or a node that starts uses ${place}: stop it first`);
    const nodes = await livingNodes(this.#connection);
    if (nodes.length === 0) return;
    throw new StoreRefused(
      `the nodes ${nodes.join(', ')} run on ${place}, or ended less than a minute ago without a word: stop them, wait a minute and try again`,
    );
  }

  /** A database of another release may have columns that this program does not know, and would not move. */
  async #assertVersion(): Promise<void> {
    const version = (await this.queries.value(integer, 'select version from morsel_schema')) ?? 0;
    const known = readMigrations().length;
    if (version === known) return;
    const what = `the schema of ${this.place} has version ${version}, and this program has version ${known}`;
    throw new StoreRefused(
      version > known
        ? `${what}: use the release of its newest node`
        : `${what}: start a node of this release on it, stop the node and move again`,
    );
  }

  async insert(table: MovedTable, rows: readonly MovedRow[]): Promise<void> {
    try {
      await this.#connection.send([insertOf(table, 'new', rows)]);
    } catch (fault) {
      if (sqlStateOf(fault) !== noSuchCharacter) throw fault;
      throw new StoreRefused(
        `a row of the table ${table.name} has a text with the character U+0000, which PostgreSQL does not store`,
      );
    }
  }

  /** Outside a transaction, all statements of one flight commit together. */
  async run(...statements: readonly Sql[]): Promise<void> {
    await this.#connection.send(statements.map(([sql, ...values]) => ({ text: toPostgres(sql), values })));
  }

  readMark(): Promise<MoveMark | undefined> {
    return markInPostgres(this.#connection);
  }

  fence(): Promise<void> {
    return this.run([`update node set lease = lease + ${nodeCount}`]);
  }

  async clear(newest: Instant): Promise<void> {
    // Partitions are made up to the newest message, because the clock of the source may have been ahead.
    await keepPartitions(this.#connection, newest);
    // The triggers that guard entries are switched off, because half-moved rows are no ledger or audit log yet.
    await this.run(
      ...guarded.map(({ name }) => [`alter table ${name} disable trigger user`] as const),
      [`truncate ${names}`],
      ...guarded.map(({ name }) => [`alter table ${name} enable trigger user`] as const),
    );
  }

  /** Nothing is in flight: the fence of the source put it in doubt. Each node makes its row when it starts. */
  finish(): Promise<void> {
    return this.run([`analyze ${names}`]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#connection.close();
  }
}

async function connect(url: string): Promise<PostgresConnection> {
  try {
    return await PostgresConnection.open(url, ['set synchronous_commit = on'], { limitMs });
  } catch (fault) {
    throw new StoreRefused(whyUnusable(url, fault));
  }
}
