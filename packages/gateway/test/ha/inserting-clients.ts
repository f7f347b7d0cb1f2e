import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Answer } from 'pg';

/*
 * Clients of PostgreSQL that insert numbers, each in a transaction of its own. A number whose commit was acknowledged is
 * there for good. A number whose answer did not come may be there or not.
 */

const clientsMax = 4;
/** Between attempts to connect, and the longest for an answer. */
const pauseMs = 100;
const limits = { connectionTimeoutMillis: 5_000, query_timeout: 60_000 };

export class InsertingClients implements AsyncDisposable {
  readonly #url: string;
  readonly #acknowledged: () => void;
  readonly #running: Promise<unknown>;
  /** Acknowledged since the last check. */
  #numbers: number[] = [];
  #last = 0;
  #total = 0;
  #isOver = false;

  private constructor(url: string, acknowledged: () => void) {
    this.#url = url;
    this.#acknowledged = acknowledged;
    this.#running = Promise.all(Array.from({ length: clientsMax }, () => this.#insert()));
  }

  /** Starts; calls `acknowledged` after each commit that was acknowledged. */
  static async start(url: string, acknowledged: () => void): Promise<InsertingClients> {
    const client = await connect(url);
    await ask(client, 'create table number (number bigint primary key)');
    await client.end();
    return new InsertingClients(url, acknowledged);
  }

  /** Fails if a number is missing that was acknowledged. */
  async check(): Promise<void> {
    const numbers = this.#numbers;
    this.#numbers = [];
    this.#total += numbers.length;
    const client = await connect(this.#url);
    const [[found, all] = []] = await ask(
      client,
      'select count(*) filter (where number = any($1::bigint[])), count(*) from number',
      [numbers],
    );
    await client.end();
    assert.equal(Number(found), numbers.length, 'numbers that were acknowledged since the last check are there');
    assert.ok(Number(all) >= this.#total, `of ${this.#total} numbers that were acknowledged, ${String(all)} are there`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  async #insert(): Promise<void> {
    while (!this.#isOver) {
      try {
        const client = await connect(this.#url);
        while (!this.#isOver) await this.#insertOne(client);
        await client.end();
      } catch {
        await sleep(pauseMs);
      }
    }
  }

  async #insertOne(client: Client): Promise<void> {
    const number = ++this.#last;
    await ask(client, 'insert into number values ($1)', [number]);
    this.#numbers.push(number);
    this.#acknowledged();
  }
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, ...limits });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function ask(client: Client, text: string, values: readonly unknown[] = []): Promise<Answer['rows']> {
  return (await client.query({ text, values, rowMode: 'array' })).rows;
}
