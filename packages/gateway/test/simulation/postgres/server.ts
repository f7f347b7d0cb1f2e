/*
 * PostgreSQL of a simulation: SQLite in memory, with transactions of several connections. A transaction only reads and
 * locks until its last flight, which writes and commits. So that flight alone is one moment, and everything before it
 * happens at moments of its own.
 */

import type { DatabaseSync } from 'node:sqlite';
import { allTables } from '../../../src/state/tables/all.ts';
import { settingsChannel } from '../../../src/store/postgres/wire/connection.ts';
import type { Found, Statement } from '../../../src/store/postgres/wire/flight.ts';
import { beginning, type World } from '../world.ts';
import { DatabaseFault, Dialect, elementsOf, type Row } from './dialect.ts';
import { Locks } from './locks.ts';

/** What the server may suffer. */
export interface ServerFaults {
  /** A commit waits for up to this long. */
  stallMaxMs: number;
  isFull: boolean;
  /** The longest time of a NOTIFY on its way. */
  noticeMaxMs: number;
  /** Connections are refused. */
  isDown: boolean;
}

/** Nothing came from a machine for so long: the server ends its connections (`tcp_user_timeout`). */
export const silentMaxMs = 8_000;
/** The server ends a transaction that waits this long for its node (`sessionSettings` of the engine). */
const idleMaxMs = 900;
/** The share of statements that others' statements may precede. */
const pauses = 0.2;
const pauseMaxMs = 2;

/** SQLSTATEs of conflicts between transactions (`conflicts` of the engine). */
const conflicts = ['MV001', '23505', '40P01'];

const isWrite = /^(insert|update|delete|with )/;
const rowLock = 'row ';

/** The columns of each table's key, by which its rows are locked. */
const keys = new Map(allTables.map(({ name, key }) => [name, key.names]));

/** The server's side of a connection. */
export class ServerSession {
  readonly #server: SimPostgres;
  /** The process at the other side. */
  readonly process: object;
  /** Called when the server ends the connection. */
  readonly #ended: () => void;
  readonly notified: (channel: string, payload: string) => void;
  /** The holder of the locks; undefined outside of transactions. */
  #transaction: object | undefined;
  /** The transaction that runs, or that ran last. */
  #newest: object | undefined;
  #flights = 0;
  #isFlying = false;
  /** The client is gone. */
  #isClosed = false;
  #isOver = false;
  isListening = false;
  /** The leases that this connection locks. */
  readonly leases = new Set<number>();

  constructor(
    server: SimPostgres,
    given: {
      readonly process: object;
      readonly ended: () => void;
      readonly notified: (channel: string, payload: string) => void;
    },
  ) {
    this.#server = server;
    this.process = given.process;
    this.#ended = given.ended;
    this.notified = given.notified;
  }

  /** The server executes all statements of a flight, up to the first fault. */
  async fly(statements: readonly Statement[]): Promise<Found[]> {
    this.#isFlying = true;
    this.#flights += 1;
    try {
      return await this.#run(statements);
    } catch (fault) {
      if (fault instanceof DatabaseFault && conflicts.includes(fault.code)) this.#server.conflicts += 1;
      throw fault;
    } finally {
      this.#isFlying = false;
      if (this.#isClosed) this.lose();
      // What the flight has locked after the end of its connection.
      if (this.#isOver && this.#newest) this.#server.locks.release(this.#newest);
      this.#limitIdle();
    }
  }

  /** The client is gone. The server notices it when the flight under way ends. */
  close(): void {
    this.#isClosed = true;
    if (!this.#isFlying) this.lose();
  }

  /** The server ends the connection, and the client does not know. */
  lose(): void {
    this.#isOver = true;
    this.#server.sessions.delete(this);
    this.#rollback();
  }

  /** The server ends the connection. */
  end(): void {
    this.lose();
    this.#ended();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  async #run(statements: readonly Statement[]): Promise<Found[]> {
    const found: Found[] = [];
    const isLast = statements.at(-1)?.text === 'commit';
    for (const [at, statement] of statements.entries()) {
      if (isLast && isWrite.test(statement.text)) {
        const written = await this.#server.commit(this.#transaction ?? this, statements.slice(at, -1));
        this.#rollback();
        return [...found, ...written, []];
      }
      found.push(await this.#execute(statement));
    }
    return found;
  }

  async #execute(statement: Statement): Promise<Found> {
    const { text } = statement;
    const { world, locks } = this.#server;
    if (this.#isOver) throw new DatabaseFault('57P01');
    if (text === 'begin') this.#transaction = this.#newest = {};
    else if (text === 'rollback' || text === 'commit') this.#rollback();
    else if (text.startsWith('listen ')) this.isListening = true;
    else if (text.startsWith('set ')) return [];
    else if (text.startsWith('select pg_advisory_lock_shared')) this.leases.add(Number(statement.values?.[1]));
    else if (text.startsWith('select pg_notify(')) this.#server.notify(...namesOf(statement));
    else if (text.startsWith('select pg_advisory_xact_lock')) {
      for (const name of advisoryLocksOf(statement)) {
        await locks.take(this.#transaction ?? this, name, text.includes('_shared') ? 'shared' : 'exclusive');
      }
    } else {
      if (world.chance.happens(pauses)) await new Promise<void>((resolve) => world.soon(0, pauseMaxMs, resolve));
      return this.#server.question(this.#transaction, statement);
    }
    return [];
  }

  #rollback(): void {
    const transaction = this.#transaction;
    this.#transaction = undefined;
    if (transaction) this.#server.locks.release(transaction);
  }

  #limitIdle(): void {
    const flights = this.#flights;
    if (!this.#transaction) return;
    const end = () => {
      if (this.#transaction && this.#flights === flights && !this.#isFlying) this.end();
    };
    this.#server.world.after(idleMaxMs, end, true);
  }
}

export class SimPostgres {
  readonly world: World;
  readonly locks: Locks;
  readonly faults: ServerFaults;
  readonly sessions = new Set<ServerSession>();
  /** The processes whose packets do not arrive, each with the cut that did it. */
  readonly cutOff = new Map<object, object>();
  /** How many transactions have failed because of another one. */
  conflicts = 0;
  readonly #database: DatabaseSync;
  readonly #dialect: Dialect;
  #transactions = 1;

  /** `database`: its tables have columns `xmin`, and the tables that only PostgreSQL has. */
  constructor(world: World, database: DatabaseSync, faults: ServerFaults) {
    this.world = world;
    this.locks = new Locks(world);
    this.faults = faults;
    this.#database = database;
    const isLocked = (lease: unknown) => [...this.sessions].some(({ leases }) => leases.has(Number(lease)));
    this.#dialect = new Dialect(database, { now: () => beginning + world.nowMs, isLocked });
  }

  /** Nothing passes between a process and the server for this time. */
  cut(process: object, ms: number): void {
    const cut = {};
    this.cutOff.set(process, cut);
    this.world.after(ms, () => this.cutOff.delete(process));
    this.loseUnless(process, () => this.cutOff.get(process) !== cut);
  }

  /** The server ends the connections of a process that sends nothing for some seconds, unless it is back. */
  loseUnless(process: object, isBack: () => boolean): void {
    this.world.after(silentMaxMs, () => {
      if (isBack()) return;
      for (const session of this.sessions) if (session.process === process) session.lose();
    });
  }

  /** Ends the connection for the lease of a process, which does not know. */
  forget(process: object): void {
    for (const session of this.sessions) if (session.process === process && session.leases.size > 0) session.lose();
  }

  notify(channel: string, payload: string): void {
    for (const session of this.sessions) if (session.isListening) session.notified(channel, payload);
  }

  /** Answers a question, and locks the rows that it finds as it says. */
  async question(transaction: object | undefined, statement: Statement): Promise<Found> {
    if (isWrite.test(statement.text)) return this.#writeEarly(transaction, statement);
    const locking = this.#dialect.lockingOf(statement);
    if (!locking || !transaction) return this.#dialect.run(statement);
    const { table, isSkipping } = locking;
    const nameOf = (row: Row) => `${rowLock}${table} ${JSON.stringify(this.#keyOf(table, row))}`;
    for (;;) {
      const others = new Set(this.locks.ofOthers(transaction, `${rowLock}${table} `));
      const found = this.#dialect.run(statement, isSkipping ? (row) => others.has(nameOf(row)) : undefined);
      const names = found.map(nameOf);
      const isFree = names.every((name) => !others.has(name));
      for (const name of names) await this.locks.take(transaction, name);
      if (isFree) return found;
    }
  }

  /** Writes a group and commits at one moment, when no other transaction has locked one of the rows. */
  async commit(transaction: object, statements: readonly Statement[]): Promise<Found[]> {
    const { stallMaxMs } = this.faults;
    await new Promise<void>((resolve) => this.world.soon(0.1, stallMaxMs, resolve));
    const found = await this.#commit(transaction, statements);
    this.world.commits += 1;
    return found;
  }

  /** Writes outside of a transaction, or before its last flight, as only the start of a node does. */
  async #writeEarly(transaction: object | undefined, statement: Statement): Promise<Found> {
    const holder = transaction ?? {};
    try {
      const [found = []] = await this.#commit(holder, [statement]);
      return found;
    } finally {
      if (!transaction) this.locks.release(holder);
    }
  }

  async #commit(transaction: object, statements: readonly Statement[]): Promise<Found[]> {
    for (;;) {
      let locked: string | undefined;
      const found = this.#write(statements, () => {
        locked = this.#lockedBy(transaction);
        return locked === undefined;
      });
      if (locked === undefined) return found;
      await this.locks.take(transaction, locked);
    }
  }

  /** Runs statements in one transaction of SQLite. Commits if `mayCommit`. */
  #write(statements: readonly Statement[], mayCommit = () => true): Found[] {
    this.#dialect.transaction = ++this.#transactions;
    this.#database.exec('begin immediate');
    let isNews = false;
    try {
      const found = statements.map((statement) => {
        if (statement.text === `notify ${settingsChannel}`) isNews = true;
        else return this.#dialect.run(statement);
        return [];
      });
      const isWritten = mayCommit();
      if (isWritten && this.faults.isFull) throw new DatabaseFault('53100');
      this.#database.exec(isWritten ? 'commit' : 'rollback');
      if (isWritten && isNews) this.notify(settingsChannel, '');
      return found;
    } catch (fault) {
      this.#database.exec('rollback');
      throw fault;
    }
  }

  /** The lock of another transaction on a row that was just written. */
  #lockedBy(transaction: object): string | undefined {
    return this.locks.ofOthers(transaction, rowLock).find((name) => {
      const [, table = '', values = ''] = /^row (\w+) (.*)$/.exec(name) ?? [];
      const where = (keys.get(table) ?? []).map((column, at) => `${column} = json_extract(?1, '$[${at}]')`);
      const row = this.#database.prepare(`select xmin from ${table} where ${where.join(' and ')}`).get(values);
      return row === undefined || row['xmin'] === this.#transactions;
    });
  }

  #keyOf(table: string, row: Row): Row {
    const names = allTables.find(({ name }) => name === table)?.shape.names ?? [];
    return (keys.get(table) ?? []).map((column) => row[names.indexOf(column)] ?? null);
  }
}

function namesOf({ values = [] }: Statement): [string, string] {
  return [String(values[0]), String(values[1])];
}

/** The lock of a number, or the locks of subjects in their order. */
function advisoryLocksOf({ text, values = [] }: Statement): string[] {
  const [number] = /\(\d+\)/.exec(text) ?? [];
  if (number !== undefined) return [`advisory ${number}`];
  const [subjects] = values;
  if (!Buffer.isBuffer(subjects)) throw new Error(`this lock is unknown: ${text}`);
  return [...new Set(elementsOf(subjects))]
    .map(String)
    .toSorted()
    .map((subject) => `subject ${subject}`);
}
