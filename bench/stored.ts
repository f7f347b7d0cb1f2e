/**
 * Question `stored`: what old messages cost. A store with ten million ended messages is measured in turn with one
 * that has a hundredth of them, on PostgreSQL and on SQLite: reports and lists, and the load of `http`.
 */
import { join } from 'node:path';
import { newAccountSettings } from '@morsel/api/values/account.ts';
import { dayMs } from '@morsel/api/values/time.ts';
import { setUp, untilBound } from '../packages/gateway/test/peers/set-up.ts';
import { HttpClient } from '../packages/gateway/test/support/clients/http-client.ts';
import type { GatewayProcess } from '../packages/gateway/test/support/gateway/gateway-process.ts';
import { dropPartitions } from '../packages/gateway/src/store/postgres/drop-partitions.ts';
import { Postgres, postgresFolder } from '../packages/gateway/test/support/store/postgres.ts';
import { readSettledBooks } from './books.ts';
import {
  figure,
  makeFolder,
  measure,
  sendHttp,
  startGateway,
  windowMax,
  type Figure,
  type Options,
  type Question,
  type Round,
  type Side,
} from './harness.ts';
import { chargedTogether, fillPostgres, fillSqlite, idOfHistory, makeOldSchema, type History } from './history.ts';
import { cpuOfFamily, serverSettings } from './nodes.ts';
import { Sink } from './sink.ts';

export const question: Question = {
  options: ['seconds', 'rounds', 'repeats', 'connections', 'rate', 'stored'],
  programs: () => ['cc', `${postgresFolder}/postgres`],
  sides: (options) => (['PostgreSQL', 'SQLite'] as const).flatMap((engine) => sidesOf(engine, options)),
};

type Engine = 'PostgreSQL' | 'SQLite';

const accounts = 20;
const days = 10;
/** The newest of the old messages is so old. */
const restMs = 60_000;
const asks = 300;
/** The small store has full pages of each list, too, so that both read as many rows. */
const small = 100;

/** The stores are kept for all rounds: filling one takes minutes. */
function sidesOf(engine: Engine, options: Options): readonly Side[] {
  const whole = accounts * chargedTogether;
  return [options.stored / small, options.stored].map((wanted) => {
    const messages = Math.ceil(wanted / whole) * whole;
    let made: Promise<Store> | undefined;
    return {
      name: `${engine}: ${messages.toLocaleString('en')} stored`,
      measure: async () => (await (made ??= makeStore(engine, messages))).round(options),
    };
  });
}

async function makeStore(engine: Engine, messages: number): Promise<Store> {
  const folder = makeFolder();
  const server = engine === 'PostgreSQL' ? await Postgres.start({ settings: serverSettings }) : undefined;
  server?.unref();
  if (server) await makeOldSchema(server.url, Date.now() - days * dayMs);
  const environment: Record<string, string> = server ? { MORSEL_DATABASE_URL: server.url } : {};
  await using sink = await Sink.start();
  const start = () => startGateway({ name: engine }, { dataDir: folder.path, environment });
  await using program = await start();
  const { token } = await setUp(program, { port: sink.port, window: windowMax });
  const tokens: string[] = [];
  for (let number = 0; number < accounts; number++) {
    tokens.push(await program.addAccount({ name: `old${number}`, creditLimit: '1000000000' }));
  }
  await untilBound(program);
  await sendHttp({ gateway: 'morsel', port: program.httpPort, tokens: [token], seconds: 1, connections: 1, rate: 1 });
  await readSettledBooks(program, ['acme']);
  await program.stop();
  const history: History = { messages, days, until: Date.now() - restMs, firstAccount: 2, accounts };
  // The stores of all sides are removed when this process ends.
  process.setMaxListeners(0);
  if (server) await fillPostgres(server.url, history);
  else await fillSqlite(join(folder.path, 'morsel.db'), history);
  return new Store({ start, server, token, oldToken: tokens[0] ?? '', history });
}

interface Kept {
  readonly start: () => Promise<GatewayProcess>;
  readonly server: Postgres | undefined;
  readonly token: string;
  /** The token of the first account of the old messages. */
  readonly oldToken: string;
  readonly history: History;
}

class Store {
  readonly #kept: Kept;
  #round = 0;

  constructor(kept: Kept) {
    this.#kept = kept;
  }

  async round(options: Options): Promise<Round> {
    const { start, server, token } = this.#kept;
    // No round uses the ids of another again.
    await using sink = await Sink.start(Date.now() * 1_000);
    await using program = await start();
    await program.morsel('carrier', 'set', 'sink', '--port', String(sink.port));
    await untilBound(program);
    const load = { ...options, gateway: 'morsel', port: program.httpPort, tokens: [token] } as const;
    const first = await sendHttp({ ...load, seconds: 1 });
    await sink.has(first.answered);
    await sink.countAnew();
    const reads = await this.#reads(program);
    const { figures, faults } = await measure({
      programs: [program],
      sink,
      seconds: options.seconds,
      send: (seconds) => sendHttp({ ...load, seconds }),
      ...(server && { databaseCpu: () => cpuOfFamily(server.pid) }),
    });
    return { figures: [...figures, ...reads, ...(await this.#drop())], faults };
  }

  /** Drops one more day of the old messages in each round, as when the accounts keep them no longer. */
  async #drop(): Promise<Figure[]> {
    const { server, history } = this.#kept;
    if (!server) return [];
    const end = history.until - (days - ++this.#round - 1) * dayMs;
    const begin = performance.now();
    await dropPartitions(server.url, end + newAccountSettings.recordDays * dayMs);
    return [figure('dropMs', 'a day of records removed', 'ms', performance.now() - begin)];
  }

  async #reads(program: GatewayProcess): Promise<Figure[]> {
    const { history, oldToken } = this.#kept;
    const client = new HttpClient(program.httpPort, 1);
    const report = async (number: number) => {
      const id = idOfHistory(history, Math.floor((number * history.messages) / asks / accounts) * accounts);
      const { status, text } = await client.ask({ path: `/sms/dlr?auth=${oldToken}&messageId=${id}&details=1` });
      if (status !== 200) throw new Error(`the report of ${id} was refused: ${text}`);
    };
    const list = (path: string) => () => program.ask(`v1/${path}`);
    const figures = [
      await timesOf('report', '/sms/dlr', report, asks),
      await timesOf('find', 'message find', list('messages'), asks / 10),
      await timesOf('findAccount', 'message find --account', list('messages?account=old0'), asks / 10),
      await timesOf('findReceiver', 'message find --receiver', list('messages?receiver=%2B41791234567'), asks / 10),
      await timesOf('findId', 'message find --carrier-message-id', list('messages?carrierMessageId=123'), asks / 10),
      await timesOf('cdrs', 'cdr list', list('cdrs'), asks / 10),
      await timesOf('statement', 'account statement', list('accounts/old0/statement'), asks / 10),
    ];
    client.close();
    return figures;
  }
}

/** The median time of a request, one after the other. */
async function timesOf(
  name: string,
  what: string,
  ask: (number: number) => Promise<unknown>,
  times: number,
): Promise<Figure> {
  const took: number[] = [];
  for (let number = 0; number < times; number++) {
    const begin = performance.now();
    await ask(number);
    took.push(performance.now() - begin);
  }
  const median = took.toSorted((one, other) => one - other)[Math.floor(took.length / 2)] ?? Number.NaN;
  return figure(`${name}Ms`, `${what}, p50`, 'ms', median);
}
