/**
 * Question `nodes`: one and two nodes on PostgreSQL, in turn with SQLite, under the load of `http`. With two cores two
 * nodes are no faster than one, and the CPU a message says more.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setUp, untilBound } from '../packages/gateway/test/peers/set-up.ts';
import type { GatewayProcess } from '../packages/gateway/test/support/gateway/gateway-process.ts';
import { textIn } from '../packages/gateway/test/support/clients/http-client.ts';
import { Postgres } from '../packages/gateway/test/support/store/postgres.ts';
import { waitUntil } from '../packages/gateway/test/support/wait-until.ts';
import {
  checkoutsOf,
  makeFolder,
  measure,
  sendHttp,
  startGateway,
  usageOf,
  windowMax,
  type Answers,
  type Checkout,
  type Options,
  type Question,
  type Round,
  type Side,
} from './harness.ts';
import { measureHttp } from './http.ts';
import { kannelPrograms, kannelSide } from './kannel.ts';
import { Sink } from './sink.ts';

const manyAccounts = 100;

export const question: Question = {
  options: ['seconds', 'rounds', 'repeats', 'connections', 'rate', 'peer', 'against'],
  programs: ({ peer }) => ['cc', 'postgres', ...(peer ? kannelPrograms : [])],
  sides: (options) => [
    ...checkoutsOf(options).flatMap((checkout) => sidesOf(checkout, options)),
    ...(options.peer ? [kannelSide(options)] : []),
  ],
};

/** The settings of docs/nodes.md, with less memory, because everything else runs on this machine, too. */
export const serverSettings = [
  'shared_buffers=1GB',
  'wal_compression=lz4',
  'max_wal_size=16GB',
  'checkpoint_timeout=15min',
  'jit=off',
  'random_page_cost=1.1',
  'autovacuum_naptime=10s',
  'autovacuum_vacuum_cost_delay=0',
];

interface Nodes {
  readonly nodes: number;
  readonly accounts: number;
  /** Each account sends to one node only, as a load balancer can arrange it. */
  readonly isOwn?: boolean;
  readonly hasStandby?: boolean;
}

const setUps: Readonly<Record<string, Nodes>> = {
  [`one node, ${manyAccounts} accounts`]: { nodes: 1, accounts: manyAccounts },
  [`two nodes, ${manyAccounts / 2} own accounts each`]: { nodes: 2, accounts: manyAccounts, isOwn: true },
  [`two nodes, ${manyAccounts} shared accounts`]: { nodes: 2, accounts: manyAccounts },
  'two nodes, one shared account': { nodes: 2, accounts: 1 },
  [`one node, ${manyAccounts} accounts, standby`]: { nodes: 1, accounts: manyAccounts, hasStandby: true },
  [`two nodes, ${manyAccounts} shared accounts, standby`]: { nodes: 2, accounts: manyAccounts, hasStandby: true },
};

function sidesOf(checkout: Checkout, options: Options): readonly Side[] {
  return [
    { name: `${checkout.name}: SQLite`, measure: () => measureHttp(checkout, options) },
    ...Object.entries(setUps).map(([name, nodes]) => ({
      name: `${checkout.name}: ${name}`,
      measure: () => measureNodes(nodes, checkout, options),
    })),
  ];
}

async function measureNodes(
  { nodes, accounts, isOwn = false, hasStandby = false }: Nodes,
  checkout: Checkout,
  options: Options,
): Promise<Round> {
  await using folder = makeFolder();
  await using sink = await Sink.start();
  await using servers = new AsyncDisposableStack();
  const primary = servers.use(await Postgres.start({ settings: serverSettings }));
  if (hasStandby) await addStandby(primary, servers);
  const programs: GatewayProcess[] = [];
  for (let number = 1; number <= nodes; number++) {
    const environment = {
      MORSEL_DATABASE_URL: primary.url,
      MORSEL_NODE_NAME: `n${number}`,
      MORSEL_MASTER_KEY_FILE: join(folder.path, 'master-key'),
    };
    const dataDir = join(folder.path, `n${number}`);
    programs.push(servers.use(await startGateway(checkout, { dataDir, environment })));
  }
  const [first] = programs;
  if (!first) throw new Error('there is no node');
  const { token } = await setUp(first, { port: sink.port, window: windowMax, settings: ['--links', String(nodes)] });
  const others = Array.from({ length: accounts - 1 }, (_none, index) => `acme${index}`);
  const tokens = [token];
  for (const name of others) {
    await first.administer('POST', '/v1/accounts', { name, currency: 'EUR', balance: '1000000' });
    tokens.push(textIn((await first.administer('POST', `/v1/accounts/${name}/tokens`)).body, 'token'));
  }
  await Promise.all(programs.map(untilBound));
  const tokensOf = programs.map((_node, at) => tokens.filter((_token, index) => !isOwn || index % nodes === at));
  return await measure({
    programs,
    sink,
    seconds: options.seconds,
    send: (seconds) => sendToAll(programs, tokensOf, { ...options, seconds }),
    accounts: ['acme', ...others],
    databaseCpu: () => cpuOfFamily(primary.pid),
  });
}

/** Sends to all nodes, each with its share of the connections. The times are those of the slowest node. */
async function sendToAll(
  programs: readonly GatewayProcess[],
  tokensOf: readonly (readonly string[])[],
  options: Options,
): Promise<Answers> {
  const share = (all: number) => Math.ceil(all / programs.length);
  const shares = { connections: share(options.connections), rate: share(options.rate) };
  const load = { gateway: 'morsel', seconds: options.seconds, ...shares } as const;
  const answers = await Promise.all(
    programs.map(({ httpPort: port }, loader) => sendHttp({ ...load, port, loader, tokens: tokensOf[loader] ?? [] })),
  );
  const sum = (name: keyof Answers) => answers.reduce((total, each) => total + each[name], 0);
  const most = (name: keyof Answers) => Math.max(...answers.map((each) => each[name]));
  return {
    sent: sum('sent'),
    answered: sum('answered'),
    refused: sum('refused'),
    broken: sum('broken'),
    p50Ms: most('p50Ms'),
    p99Ms: most('p99Ms'),
  };
}

/** Microseconds of CPU that a process and its children have used, also the children that have ended. */
export function cpuOfFamily(pid: number): number {
  const own = usageOf(pid);
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => usageOf(Number(name)))
    .filter(({ parent }) => parent === pid);
  return children.reduce((sum, { cpu }) => sum + cpu, own.cpu + own.cpuOfEnded);
}

/** Adds a standby. Each commit then waits until the standby has it on its disk. */
async function addStandby(primary: Postgres, servers: AsyncDisposableStack): Promise<void> {
  servers.use(await Postgres.start({ settings: serverSettings, of: primary }));
  await primary.query("alter system set synchronous_standby_names = '*'");
  await primary.query('select pg_reload_conf()');
  await waitUntil('the standby is synchronous', async () => {
    const { rows } = await primary.query("select 1 from pg_stat_replication where sync_state = 'sync'");
    return rows.length > 0;
  });
}
