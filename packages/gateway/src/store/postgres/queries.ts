/* The queries of views in PostgreSQL. */

import type { Column, Stored } from '../../state/tables/column.ts';
import type { Vault } from '../../state/sealing/vault.ts';
import type { Shape, Table } from '../../state/tables/table.ts';
import { Queries, type EntryGuard } from '../views/queries.ts';
import type { PostgresConnection } from './wire/connection.ts';
import type { Found, Statement } from './wire/flight.ts';
import { entryGuardsFound } from './entry-guards.ts';
import { columnsIn } from '../table-sql.ts';
import { toPostgres } from './schema.ts';

/** Rows that are read at a time of a result that is too large for memory. */
const chunkMax = 10_000;

const begin: Statement = { text: 'begin isolation level repeatable read read only' };
const commit: Statement = { text: 'commit' };

export class PostgresQueries extends Queries {
  readonly vault: Vault;
  readonly #connection: Pick<PostgresConnection, 'ask' | 'send'>;
  readonly #texts = new Map<string, string>();

  constructor(connection: Pick<PostgresConnection, 'ask' | 'send'>, vault: Vault) {
    super();
    this.vault = vault;
    this.#connection = connection;
  }

  /** Reads rows of several tables in one state of the database. */
  async snapshot<T>(read: (queries: Queries) => Promise<T>): Promise<T> {
    // The answers to these two statements are not awaited: later statements on the connection come after them.
    this.#connection.send([begin]).catch(() => undefined);
    try {
      return await read(this);
    } finally {
      this.#connection.send([commit]).catch(() => undefined);
    }
  }

  async rows<T>(shape: Shape<T>, sql: string, ...values: readonly Stored[]): Promise<T[]> {
    const { names, found } = await this.#ask(sql, values);
    const places = shape.names.map((name) => names.indexOf(name));
    const wrong = shape.names.find((name, at) => places[at] === -1 || names.lastIndexOf(name) !== places[at]);
    if (wrong !== undefined) throw new Error(`a query has no column ${wrong}, or several`);
    return found.map((stored) => shape.read(places.map((place) => stored[place] ?? null)));
  }

  async *chunks<T>(shape: Shape<T>, sql: string, ...values: readonly Stored[]): AsyncIterable<readonly T[]> {
    await this.#send({ text: `declare chunk no scroll cursor for ${this.#text(sql)}`, values });
    for (;;) {
      const chunk = await this.rows(shape, `fetch ${chunkMax} from chunk`);
      yield chunk;
      if (chunk.length < chunkMax) break;
    }
    await this.#send({ text: 'close chunk' });
  }

  async values<T>(column: Column<T>, sql: string, ...values: readonly Stored[]): Promise<T[]> {
    const { found } = await this.#ask(sql, values);
    return found.map(([first = null]) => column.read(first));
  }

  async find<Row>({ name, shape }: Table<Row>, tail: string, ...values: readonly Stored[]): Promise<Row[]> {
    const { found } = await this.#ask(`select ${columnsIn(name, shape.names)} from ${name} ${tail}`, values);
    return found.map((stored) => shape.read(stored));
  }

  async entryGuards(): Promise<readonly EntryGuard[]> {
    const guards = await this.rows(entryGuardsFound.shape, entryGuardsFound.sql);
    return guards.map(({ found, ...guard }) => ({
      ...guard,
      found: found === 'whole' || found === 'missing' ? found : 'changed',
    }));
  }

  async #ask(
    sql: string,
    values: readonly Stored[],
  ): Promise<{ readonly names: readonly string[]; readonly found: Found }> {
    return this.#connection.ask({ text: this.#text(sql), values });
  }

  async #send(statement: Statement): Promise<void> {
    await this.#connection.send([statement]);
  }

  #text(sql: string): string {
    const known = this.#texts.get(sql) ?? toPostgres(sql);
    this.#texts.set(sql, known);
    return known;
  }
}
