/* The queries of views in PostgreSQL. */

import { text, word, type Column, type Stored } from '../../state/tables/column.ts';
import type { Vault } from '../../state/sealing/vault.ts';
import { shape, type Shape, type Table } from '../../state/tables/table.ts';
import { Queries, type EntryGuard } from '../views/queries.ts';
import type { PostgresConnection } from './wire/connection.ts';
import type { Found, Statement } from './wire/flight.ts';
import { columnsIn } from '../table-sql.ts';
import { toPostgres } from './schema.ts';

/** Rows that are read at a time of a result that is too large for memory. */
const chunkMax = 10_000;

const begin: Statement = { text: 'begin isolation level repeatable read read only' };
const commit: Statement = { text: 'commit' };

/**
 * The triggers that prevent changes of ledger entries (M4). `changed` has an entry, too, for a trigger that is switched
 * off. Bits of `tgtype` (pg_trigger.h): 1 for each row, 2 before, 8 delete, 16 update, 32 truncate.
 */
export const entryGuardsFound = {
  shape: shape({ event: text, trigger: text, found: word<EntryGuard['found']>() }),
  sql: `select guard.event, guard.trigger, case
      when t.tgname is null then 'missing'
      when t.tgtype = guard.type and t.tgenabled in ('O', 'A') and t.tgqual is null and t.tgattr = ''
        and f.prosrc ~ '^\\s*begin\\s+raise exception ''[^'']*'';\\s+end\\s*$' then 'whole'
      else 'changed' end as found
    from (values ('update', 'entry_is_never_changed', 19), ('delete', 'entry_is_never_removed', 11),
      ('truncate', 'entry_is_never_emptied', 34)) as guard (event, trigger, type)
    left join pg_trigger as t on t.tgrelid = 'entry'::regclass and t.tgname = guard.trigger
    left join pg_proc as f on f.oid = t.tgfoid`,
};

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

  async rows<T>(of: Shape<T>, sql: string, ...values: readonly Stored[]): Promise<T[]> {
    const { names, found } = await this.#ask(sql, values);
    const places = of.names.map((name) => names.indexOf(name));
    const wrong = of.names.find((name, at) => places[at] === -1 || names.lastIndexOf(name) !== places[at]);
    if (wrong !== undefined) throw new Error(`a query has no column ${wrong}, or several`);
    return found.map((stored) => of.read(places.map((place) => stored[place] ?? null)));
  }

  async *chunks<T>(of: Shape<T>, sql: string, ...values: readonly Stored[]): AsyncIterable<readonly T[]> {
    await this.#send({ text: `declare chunk no scroll cursor for ${this.#text(sql)}`, values });
    for (;;) {
      const chunk = await this.rows(of, `fetch ${chunkMax} from chunk`);
      yield chunk;
      if (chunk.length < chunkMax) break;
    }
    await this.#send({ text: 'close chunk' });
  }

  async values<T>(column: Column<T>, sql: string, ...values: readonly Stored[]): Promise<T[]> {
    const { found } = await this.#ask(sql, values);
    return found.map(([first = null]) => column.read(first));
  }

  async find<Row>({ name, shape: of }: Table<Row>, tail: string, ...values: readonly Stored[]): Promise<Row[]> {
    const { found } = await this.#ask(`select ${columnsIn(name, of.names)} from ${name} ${tail}`, values);
    return found.map((stored) => of.read(stored));
  }

  async entryGuards(): Promise<readonly EntryGuard[]> {
    return this.rows(entryGuardsFound.shape, entryGuardsFound.sql);
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
