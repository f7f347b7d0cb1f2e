/* A connection to PostgreSQL. Statements go in flights: all at once, with one wait for all answers. */

import { Client } from 'pg';
import type { Answer } from 'pg';
import type { Stored } from '../tables/column.ts';
import { connectionSettings } from './schema.ts';

export interface Statement {
  readonly text: string;
  /** Values of columns, and arrays in their binary form. */
  readonly values?: readonly (Stored | Buffer)[];
}

/** The rows of an answer. Integers of 64 bits are texts. */
export type Found = readonly (readonly Stored[])[];

const connectLimitMs = 5_000;

/** Between attempts to connect. */
const connectPauseMs = 200;

/** A flight of a group without an answer for this long: the connection counts as lost. */
const flightLimitMs = 10_000;

/** Channels of NOTIFY: the operator's settings have changed; another node may have work. */
export const settingsChannel = 'morsel_settings';
export const hintsChannel = 'morsel_hints';

/** The connection was lost. What was sent last may have been done, or not. */
export class ConnectionLost extends Error {}

export class PostgresConnection {
  readonly #client: Client;
  readonly #limitMs: number;
  readonly #names = new Map<string, string>();
  #isLost = false;

  private constructor(client: Client, limitMs: number) {
    this.#client = client;
    this.#limitMs = limitMs;
  }

  /**
   * Connects. A flight without an answer for `limitMs` ends the connection. Throws the fault of `pg`, which may name the
   * server, or `ConnectionLost`.
   */
  static async open(
    url: string,
    settings: readonly string[] = [],
    limitMs = flightLimitMs,
  ): Promise<PostgresConnection> {
    const client = new Client({
      connectionString: url,
      connectionTimeoutMillis: connectLimitMs,
      application_name: 'morsel',
      keepAlive: true,
      pipeline: true,
    });
    const connection = new PostgresConnection(client, limitMs);
    const lose = () => {
      connection.#isLost = true;
    };
    client.on('error', lose).on('end', lose);
    await client.connect();
    await connection.send([...connectionSettings, ...settings].map((text) => ({ text })));
    return connection;
  }

  /** Connects, as soon as the server answers. */
  static async openAgain(url: string, settings: readonly string[]): Promise<PostgresConnection> {
    for (;;) {
      try {
        return await PostgresConnection.open(url, settings);
      } catch {
        await new Promise((resolve) => setTimeout(resolve, connectPauseMs));
      }
    }
  }

  /** Calls `hear` when a connection notifies one of these channels. */
  async listen(channels: readonly string[], hear: (channel: string, payload: string) => void): Promise<void> {
    this.#client.on('notification', ({ channel, payload = '' }) => hear(channel, payload));
    await this.send(channels.map((channel) => ({ text: `listen ${channel}` })));
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /**
   * Sends statements and returns the rows of each. Rejects with the first fault, after all answers have come. Outside a
   * transaction each statement is one of its own.
   */
  async send(statements: readonly Statement[]): Promise<Found[]> {
    if (this.#isLost) throw new ConnectionLost('the connection to the database is lost');
    const { stream } = this.#client.connection;
    const limit = afterwards(this.#limitMs, () => this.destroy());
    stream.cork();
    const sent = statements.map((statement) => this.#send(statement));
    stream.uncork();
    const answers = await Promise.allSettled(sent);
    limit.cancel();
    return answers.map((answer, at) => {
      if (answer.status === 'rejected') throw this.#faultOf(answer.reason);
      // A commit after a fault rolls back, and does not fail by itself.
      if (statements[at]?.text === 'commit' && answer.value.command !== 'COMMIT') throw new Error('rolled back');
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our columns have these types only
      return answer.value.rows as Found;
    });
  }

  /** Asks one question, and returns the names of the columns, too. */
  async ask(statement: Statement): Promise<{ readonly names: readonly string[]; readonly found: Found }> {
    if (this.#isLost) throw new ConnectionLost('the connection to the database is lost');
    const limit = afterwards(this.#limitMs, () => this.destroy());
    try {
      const { fields, rows } = await this.#send(statement);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our columns have these types only
      return { names: fields.map(({ name }) => name), found: rows as Found };
    } catch (fault) {
      throw this.#faultOf(fault);
    } finally {
      limit.cancel();
    }
  }

  /** Ends it without a word to the server: what is under way may still be done. */
  destroy(): void {
    this.#isLost = true;
    this.#client.connection.stream.destroy();
  }

  async close(): Promise<void> {
    if (this.#isLost) return;
    this.#isLost = true;
    await this.#client.end();
  }

  #send({ text, values }: Statement): Promise<Answer> {
    const rowMode = 'array';
    // A statement without values is sent as it is.
    if (!values) return this.#client.query({ text, rowMode });
    const name = this.#names.get(text) ?? `s${this.#names.size}`;
    this.#names.set(text, name);
    return this.#client.query({ name, text, values, rowMode });
  }

  #faultOf(fault: unknown): unknown {
    if (sqlStateOf(fault) !== undefined && !isElsewhere(fault)) return fault;
    this.destroy();
    return new ConnectionLost('the connection to the database was lost');
  }
}

/** The SQLSTATE of an answer of PostgreSQL (appendix A of its manual). */
export function sqlStateOf(fault: unknown): string | undefined {
  const isAnswer = fault instanceof Error && 'severity' in fault && 'code' in fault;
  return isAnswer ? String(fault.code) : undefined;
}

/** The server ends this connection (57P01 to 57P05), or is a standby now (25006). */
function isElsewhere(fault: unknown): boolean {
  const state = sqlStateOf(fault) ?? '';
  return state.startsWith('57P') || state === '25006';
}

/** Calls the function once, after `ms` milliseconds, unless it is canceled before. */
export function afterwards(
  ms: number,
  call: () => void,
): { readonly isOver: () => boolean; readonly cancel: () => void } {
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    call();
  }, ms);
  return { isOver: () => isOver, cancel: () => clearTimeout(timer) };
}
