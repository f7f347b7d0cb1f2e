/* The thread that reads. It has a few connections, so that a long list does not hold up a short report. */

import { parentPort, workerData } from 'node:worker_threads';
import { answerQuestions } from '../views/answer.ts';
import { Vault } from '../../state/sealing/vault.ts';
import type { Queries } from '../views/queries.ts';
import { stopwatchMs } from '../stopwatch.ts';
import type { PlaceOf } from '../writer.ts';
import { ConnectionLost, PostgresConnection, reconnectPauseMs, sqlStateOf } from './wire/connection.ts';
import { PostgresQueries } from './queries.ts';

const connectionsMax = 3;

/** The server ends a query that takes longer. */
const sessionSettings = ["set statement_timeout = '30s'"];
const readLimitMs = 35_000;

class Readers {
  readonly #url: string;
  readonly #vault: Vault;
  readonly #free: PostgresConnection[] = [];
  readonly #waiting: (() => void)[] = [];
  #busy = 0;
  /** The database did not answer. Until this time, questions are refused at once. */
  #pausesUntilMs = Number.NEGATIVE_INFINITY;
  #failures = 0;

  constructor({ url, masterKey }: PlaceOf<'postgres'>) {
    this.#url = url;
    this.#vault = new Vault(masterKey);
  }

  /** Reads on a connection that no other read uses meanwhile. */
  async snapshot<T>(read: (queries: Queries) => Promise<T>): Promise<T> {
    while (this.#busy >= connectionsMax) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#busy += 1;
    try {
      return await this.#read(await this.#take(), read);
    } finally {
      this.#busy -= 1;
      this.#waiting.shift()?.();
    }
  }

  /** A connection is used again only after a successful read: others may be in a failed transaction, or answer late. */
  async #read<T>(connection: PostgresConnection, read: (queries: Queries) => Promise<T>): Promise<T> {
    try {
      const answer = await new PostgresQueries(connection, this.#vault).snapshot(read);
      this.#free.push(connection);
      return answer;
    } catch (fault) {
      connection.destroy();
      throw fault;
    }
  }

  async #take(): Promise<PostgresConnection> {
    for (let free = this.#free.pop(); free; free = this.#free.pop()) if (!free.isLost) return free;
    if (stopwatchMs() < this.#pausesUntilMs) throw new ConnectionLost('the database does not answer');
    try {
      const connection = await PostgresConnection.open(this.#url, sessionSettings, { limitMs: readLimitMs });
      this.#failures = 0;
      return connection;
    } catch {
      this.#pausesUntilMs = stopwatchMs() + reconnectPauseMs(this.#failures++);
      throw new ConnectionLost('the database does not answer');
    }
  }
}

function start(at: PlaceOf<'postgres'>): void {
  const port = parentPort;
  if (!port) throw new Error('this file runs as a worker thread');
  const readers = new Readers(at);
  answerQuestions(port, {
    snapshot: (read) => readers.snapshot(read),
    isAway: (fault) => fault instanceof ConnectionLost,
    describe: (fault) => sqlStateOf(fault) ?? (fault instanceof Error ? fault.message : 'unknown fault'),
  });
}

const place: PlaceOf<'postgres'> = workerData;
start(place);
