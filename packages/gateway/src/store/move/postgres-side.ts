/* PostgreSQL as the source or the target of a move. */

import type { Instant } from '@morsel/api/values/time.ts';
import { nodeCount } from '../../core/base/message-id.ts';
import { arrayOf, elementOf } from '../postgres/wire/arrays.ts';
import { placeOfUrl, whyUnusable } from '../postgres/wire/unusable.ts';
import { PostgresConnection, sqlStateOf } from '../postgres/wire/connection.ts';
import type { Statement } from '../postgres/wire/flight.ts';
import { keepPartitions, livingNodes, openSchema, readMigrations, schemaLock } from '../postgres/migrate.ts';
import { PostgresQueries } from '../postgres/queries.ts';
import { StoreRefused } from '../../state/sealing/refused.ts';
import { Vault } from '../../state/sealing/vault.ts';
import { allTables } from '../../state/tables/all.ts';
import type { Queries } from '../views/queries.ts';
import { markInPostgres, markSql, type MoveMark } from './mark.ts';
import { keyOf, lastSql, pageSql, type AnyTable, type Side, type StoredRow } from './side.ts';

/** A statement over a whole table may take hours. */
const limitMs = 24 * 60 * 60_000;
/** SQLSTATE: a text has a character that PostgreSQL does not store, which is U+0000. */
const noSuchCharacter = '22021';

export class PostgresSide implements Side {
  readonly place: string;
  readonly #connection: PostgresConnection;
  readonly #vault: Vault;

  private constructor(place: string, connection: PostgresConnection, vault: Vault) {
    this.place = place;
    this.#vault = vault;
    this.#connection = connection;
  }

  /** Connects while no node runs. None can start meanwhile: it waits for the lock of the schema, and then gives up. */
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
    const [[isThere] = []] = await this.ask("select to_regclass('morsel_schema')::text");
    if (isThere === null) throw new StoreRefused(`${this.place} has no tables of Morsel`);
    await this.#assertVersion();
    const [[isLocked] = []] = await this.ask(`select pg_try_advisory_lock(${schemaLock})::text`);
    if (isLocked !== 'true')
      throw new StoreRefused(`another move or a node that starts uses ${this.place}: stop it first`);
    const nodes = await livingNodes(this.#connection);
    if (nodes.length === 0) return;
    throw new StoreRefused(
      `the nodes ${nodes.join(', ')} run on ${this.place}, or ended less than a minute ago without a word: stop them, wait a minute and try again`,
    );
  }

  /** Another release may have columns that this program does not know, and would leave behind. */
  async #assertVersion(): Promise<void> {
    const [[version] = []] = await this.ask('select version from morsel_schema');
    const known = readMigrations().length;
    if (Number(version) === known) return;
    const what = `the schema of ${this.place} has version ${String(version)}, and this program has version ${known}`;
    throw new StoreRefused(
      Number(version) > known
        ? `${what}: use the release of its newest node`
        : `${what}: start a node of this release on it, stop the node and move again`,
    );
  }

  async rows(table: AnyTable, after: StoredRow | null, max: number): Promise<readonly StoredRow[]> {
    const keys = after === null ? [] : keyOf(table, after);
    const places = [...keys, max].map((_, at) => `$${at + 1}`);
    return this.#one({ text: pageSql(table, after === null, places), values: [...keys, max] });
  }

  async write(table: AnyTable, rows: readonly StoredRow[]): Promise<void> {
    const columns = table.shape.columns();
    const arrays = columns.map(([, { type }], at) =>
      arrayOf(
        elementOf[type],
        rows.map((row) => row[at] ?? null),
      ),
    );
    const places = columns.map(([, { type }], at) => `$${at + 1}::${elementOf[type]}[]`);
    const text = `insert into ${table.name} (${table.shape.names.join(', ')}) select * from unnest(${places.join(', ')})`;
    try {
      await this.#one({ text, values: arrays });
    } catch (fault) {
      if (sqlStateOf(fault) !== noSuchCharacter) throw fault;
      throw new StoreRefused(
        `a row of the table ${table.name} has a text with the character U+0000, which PostgreSQL does not store`,
      );
    }
  }

  async last(table: AnyTable): Promise<StoredRow | undefined> {
    const [row] = await this.#one({ text: lastSql(table) });
    return row;
  }

  ask(sql: string): Promise<readonly StoredRow[]> {
    return this.#one({ text: sql });
  }

  snapshot<T>(read: (queries: Queries) => Promise<T>): Promise<T> {
    return new PostgresQueries(this.#connection, this.#vault).snapshot(read);
  }

  readMark(): Promise<MoveMark | undefined> {
    return markInPostgres(this.#connection);
  }

  async mark(mark: MoveMark | undefined): Promise<void> {
    const texts = ['begin', 'set local synchronous_commit = on', markSql.make, markSql.clear];
    const write: Statement[] = mark
      ? [{ text: 'insert into morsel_move values ($1, $2)', values: [mark.state, mark.other] }]
      : [{ text: markSql.drop }];
    await this.#transaction([...texts.map((text) => ({ text })), ...write, { text: 'commit' }]);
  }

  async fence(): Promise<void> {
    await this.ask(`update node set lease = lease + ${nodeCount}`);
  }

  async filled(): Promise<void> {
    await this.ask(`analyze ${allTables.map(({ name }) => name).join(', ')}`);
  }

  async clear(newest: Instant): Promise<void> {
    // The clock of the source may have been ahead.
    await keepPartitions(this.#connection, newest);
    // The triggers that keep entries keep those of a ledger and of an audit log, and these are none yet.
    const guarded = ['entry', 'audit_entry'];
    const texts = [
      'begin',
      ...guarded.map((name) => `alter table ${name} disable trigger user`),
      `truncate ${allTables.map(({ name }) => name).join(', ')}`,
      ...guarded.map((name) => `alter table ${name} enable trigger user`),
      'commit',
    ];
    await this.#transaction(texts.map((text) => ({ text })));
  }

  /** Nothing was in flight: the source has put it in doubt. Each node makes its row as it starts. */
  async finish(): Promise<void> {}

  [Symbol.asyncDispose](): Promise<void> {
    return this.#connection.close();
  }

  async #one(statement: Statement): Promise<readonly StoredRow[]> {
    const [rows = []] = await this.#connection.send([statement]);
    return rows;
  }

  async #transaction(statements: readonly Statement[]): Promise<void> {
    try {
      await this.#connection.send(statements);
    } catch (fault) {
      if (!this.#connection.isLost) await this.ask('rollback');
      throw fault;
    }
  }
}

async function connect(url: string): Promise<PostgresConnection> {
  try {
    return await PostgresConnection.open(url, ['set synchronous_commit = off'], { limitMs });
  } catch (fault) {
    throw new StoreRefused(whyUnusable(url, fault));
  }
}
