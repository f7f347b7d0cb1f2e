/* A connection to PostgreSQL. Only one flight at a time is under way on it. */

import { randomInt } from 'node:crypto';
import { Client } from 'pg';
import { Flight, PreparedStatements, type FlightAnswer, type Found, type Statement } from './flight.ts';
import { connectionSettings } from '../schema.ts';
import { triesOf } from './tls.ts';

/** The usual name of a connection in pg_stat_activity. */
const usualName = 'morsel';

const connectLimitMs = 5_000;

/** Pauses between attempts to connect, the first and the longest; short enough after a failover. */
const [firstPauseMs, lastPauseMs] = [100, 2_000];
const thousand = 1_000;

/** If a flight has no answer after this time, the connection counts as lost. */
const flightLimitMs = 10_000;

/** Channels of NOTIFY: the operator's settings have changed; another node may have work. */
export const settingsChannel = 'morsel_settings';
export const hintsChannel = 'morsel_hints';

/** Tries the URL's kinds of TLS in order. Throws the first fault that was not a refusal of the TLS of the try. */
async function connect(of: string, name: string): Promise<Client> {
  const { url: connectionString, tries } = triesOf(of);
  const faults: unknown[] = [];
  for (const ssl of tries) {
    const client = new Client({
      connectionString,
      ssl,
      connectionTimeoutMillis: connectLimitMs,
      application_name: name,
      keepAlive: true,
    });
    // The promise below also reports this fault.
    client.on('error', () => undefined);
    try {
      await client.connect();
      return client;
    } catch (fault) {
      client.connection.stream.destroy();
      faults.push(fault);
    }
  }
  throw faults.find((fault) => !isWithoutTls(fault)) ?? faults[0];
}

/** The pause before the next attempt. It is random, because nodes lose their connections at the same moment. */
export function reconnectPauseMs(tries: number, chance = randomInt(thousand) / thousand): number {
  const mostMs = Math.min(lastPauseMs, firstPauseMs * 2 ** tries);
  return mostMs * (0.5 + chance / 2);
}

/** Whether the server has no TLS. `pg` has no code for this fault. */
export function isWithoutTls(fault: unknown): boolean {
  return fault instanceof Error && fault.message.startsWith('The server does not support SSL');
}

/** What a simulation of PostgreSQL has, too. */
export type DatabaseConnection = Pick<PostgresConnection, 'send' | 'listen' | 'isLost' | 'close' | 'destroy'>;

/** The connection was lost. The last statements may have been executed, or not. */
export class ConnectionLost extends Error {}

export class PostgresConnection implements AsyncDisposable {
  readonly #client: Client;
  readonly #limitMs: number;
  readonly #known = new PreparedStatements();
  /** Resolves when the flight that is under way ends. */
  #underWay: Promise<unknown> = Promise.resolve();
  #isLost = false;

  private constructor(client: Client, limitMs: number) {
    this.#client = client;
    this.#limitMs = limitMs;
  }

  /**
   * Opens a connection. A flight without an answer for `limitMs` ends it. Throws the fault of `pg`, which may name the
   * server, or `ConnectionLost`.
   */
  static async open(
    url: string,
    settings: readonly string[] = [],
    { limitMs = flightLimitMs, name = usualName }: { readonly limitMs?: number; readonly name?: string } = {},
  ): Promise<PostgresConnection> {
    const connection = new PostgresConnection(await connect(url, name), limitMs);
    const lose = () => {
      connection.#isLost = true;
    };
    connection.#client.on('error', lose).on('end', lose);
    try {
      await connection.send([...connectionSettings, ...settings].map((text) => ({ text })));
    } catch (fault) {
      connection.destroy();
      throw fault;
    }
    return connection;
  }

  /** Opens a connection as soon as the server answers. `tries`: how often it was tried before. */
  static async openAgain(url: string, settings: readonly string[], tries: number): Promise<PostgresConnection> {
    for (let tried = tries; ; tried++) {
      const pauseMs = tried === 0 ? 0 : reconnectPauseMs(tried - 1);
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      try {
        return await PostgresConnection.open(url, settings);
      } catch {
        // It is tried again.
      }
    }
  }

  /** Calls `hear` for each NOTIFY on these channels. */
  async listen(channels: readonly string[], hear: (channel: string, payload: string) => void): Promise<void> {
    this.#client.on('notification', ({ channel, payload = '' }) => hear(channel, payload));
    await this.send(channels.map((channel) => ({ text: `listen ${channel}` })));
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Rejects with the first fault; later statements are not run. Outside a transaction, all commit together. */
  async send(statements: readonly Statement[]): Promise<Found[]> {
    const answers = await this.#inTurn(() => this.#fly(statements));
    return answers.map(({ found }) => found);
  }

  /**
   * Whether a connection pooler answers instead of the server. It starts connections with numbers of its own, because
   * the server's process changes.
   */
  async isPooled(): Promise<boolean> {
    const [[[pid] = []] = []] = await this.send([{ text: 'select pg_backend_pid()' }]);
    return Number(pid) !== this.#client.processID;
  }

  async ask(statement: Statement): Promise<{ readonly names: readonly string[]; readonly found: Found }> {
    const [answer] = await this.#inTurn(() => this.#fly([statement]));
    return { names: answer?.fields.map(({ name }) => name) ?? [], found: answer?.found ?? [] };
  }

  async run(script: string): Promise<void> {
    await this.#inTurn(() => this.#client.query(script));
  }

  async #fly(statements: readonly Statement[]): Promise<readonly FlightAnswer[]> {
    const flight = new Flight(statements, this.#known);
    this.#client.query(flight);
    return flight.answers;
  }

  /** Runs a call after the calls before it, and waits no longer than the limit. */
  async #inTurn<T>(call: () => Promise<T>): Promise<T> {
    const before = this.#underWay;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#underWay = promise;
    await before;
    if (this.#isLost) {
      resolve();
      throw new ConnectionLost('the connection to the database is lost');
    }
    const limit = afterwards(this.#limitMs, () => this.destroy());
    try {
      return await call();
    } catch (fault) {
      throw this.#faultOf(fault);
    } finally {
      limit.cancel();
      resolve();
    }
  }

  /** Ends the connection without a message to the server, which may still execute the flight under way. */
  destroy(): void {
    this.#isLost = true;
    this.#client.connection.stream.destroy();
  }

  async close(): Promise<void> {
    if (this.#isLost) return;
    this.#isLost = true;
    await this.#client.end();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #faultOf(fault: unknown): unknown {
    if (sqlStateOf(fault) !== undefined && !isElsewhere(fault)) return fault;
    this.destroy();
    return new ConnectionLost('the connection to the database was lost', { cause: fault });
  }
}

/** The SQLSTATE of a fault (appendix A of PostgreSQL's manual). */
export function sqlStateOf(fault: unknown): string | undefined {
  const isAnswer = fault instanceof Error && 'severity' in fault && 'code' in fault;
  return isAnswer ? String(fault.code) : undefined;
}

/** Whether the server is ending this connection (57P01 to 57P05), or is now a standby (25006). */
function isElsewhere(fault: unknown): boolean {
  const state = sqlStateOf(fault) ?? '';
  return state.startsWith('57P') || state === '25006';
}

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
