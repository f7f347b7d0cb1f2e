/** `npm run bench -- nodes`. The constant `help` describes the benchmark and its options. */
import { setUp, untilBound } from '../packages/gateway/test/peers/set-up.ts';
import { GatewayProcess } from '../packages/gateway/test/support/gateway-process.ts';
import { textIn } from '../packages/gateway/test/support/http-client.ts';
import { Postgres, postgresFolder } from '../packages/gateway/test/support/postgres.ts';
import { waitUntil } from '../packages/gateway/test/support/wait-until.ts';
import { makeFolder } from './folder.ts';
import { measureKannel } from './kannel.ts';
import { spreadOf, warmUpSeconds } from './measured.ts';
import type { Measured, RoundSettings } from './measured.ts';
import { measure, measureFresh, windowMax } from './morsel.ts';
import { describeRound } from './report.ts';
import { Sink } from './sink.ts';
import { runTrial } from './trial.ts';
import type { Figure, Say, Trial } from './trial.ts';
import { cpuOfFamily } from './usage.ts';

const help = `Measures one and two nodes on PostgreSQL, in turn with SQLite and with Kannel, under the load of \`http\`.

  npm run bench -- nodes [--rounds 3] [--seconds 10] [--connections 64] [--accounts 100] [--json]

  --rounds N       rounds of each side, of which the median counts (default: 3)
  --seconds N      how long each round sends, after ${warmUpSeconds} seconds to warm up (default: 10)
  --connections N  HTTP connections to all nodes together (default: 64)
  --accounts N     accounts, where there are many (default: 100)
  --json           prints one JSON value

Every process runs on this machine: gateways, PostgreSQL, its standby, client and carrier. So with two cores, two nodes
are no faster than one, and the CPU a message says more. The exit status is 1 unless every message that was answered 200
was charged, submitted and delivered once.

Needs wrk, a C compiler, Kannel and PostgreSQL 15: apt-get install wrk gcc libc6-dev kannel postgresql-15
`;

type Option = 'rounds' | 'seconds' | 'connections' | 'accounts';
const options = { rounds: 3, seconds: 10, connections: 64, accounts: 100 };
const programs = ['wrk', 'cc', 'bearerbox', 'smsbox', `${postgresFolder}/postgres`];
const trial: Trial<Option> = { help, options, programs, run };

/** As an operator sets them (docs/nodes.md), with a memory that fits beside everything else. */
const serverSettings = [
  'shared_buffers=1GB',
  'wal_compression=lz4',
  'max_wal_size=16GB',
  'checkpoint_timeout=15min',
  'jit=off',
  'random_page_cost=1.1',
  'autovacuum_naptime=10s',
  'autovacuum_vacuum_cost_delay=0',
];

interface Side {
  readonly name: string;
  readonly what: string;
  readonly measure: (settings: RoundSettings) => Promise<Measured>;
}

/** What of several nodes a side has. */
interface Nodes {
  readonly nodes: number;
  readonly accounts: number;
  readonly hasStandby: boolean;
}

const postgres = (nodes: Nodes) => (settings: RoundSettings) => measureNodes(nodes, settings);

function sidesOf(accounts: number): readonly Side[] {
  const many = { accounts, hasStandby: false };
  return [
    { name: 'sqlite', what: 'SQLite', measure: measureFresh },
    { name: 'oneNode', what: 'one node', measure: postgres({ ...many, nodes: 1, accounts: 1 }) },
    { name: 'twoNodes', what: 'two nodes, many accounts', measure: postgres({ ...many, nodes: 2 }) },
    { name: 'hotAccount', what: 'two nodes, one account', measure: postgres({ ...many, nodes: 2, accounts: 1 }) },
    {
      name: 'oneNodeStandby',
      what: 'one node, standby',
      measure: postgres({ nodes: 1, accounts: 1, hasStandby: true }),
    },
    {
      name: 'twoNodesStandby',
      what: 'two nodes, many accounts, standby',
      measure: postgres({ nodes: 2, accounts, hasStandby: true }),
    },
    { name: 'kannel', what: 'Kannel', measure: measureKannel },
  ];
}

async function measureNodes({ nodes, accounts, hasStandby }: Nodes, settings: RoundSettings): Promise<Measured> {
  await using folder = makeFolder();
  await using sink = await Sink.start(folder.path);
  await using servers = new AsyncDisposableStack();
  const primary = servers.use(await Postgres.start({ settings: serverSettings }));
  if (hasStandby) await addStandby(primary, servers);
  const started: GatewayProcess[] = [];
  for (let number = 1; number <= nodes; number++) {
    const environment = {
      MORSEL_DATABASE_URL: primary.url,
      MORSEL_NODE_NAME: `n${number}`,
      MORSEL_MASTER_KEY_FILE: `${folder.path}/master-key`,
    };
    const dataDir = `${folder.path}/n${number}`;
    started.push(servers.use(await GatewayProcess.start({ dataDir, environment })));
  }
  const [first] = started;
  if (!first) throw new Error('there is no node');
  const { token } = await setUp(first, {
    port: sink.port,
    window: windowMax,
    settings: ['--links', String(nodes)],
  });
  const others = Array.from({ length: accounts - 1 }, (_none, index) => `acme${index}`);
  const tokens = [token];
  for (const name of others) {
    await first.administer('POST', '/v1/accounts', { name, currency: 'EUR', balance: '1000000' });
    tokens.push(textIn((await first.administer('POST', `/v1/accounts/${name}/tokens`)).body, 'token'));
  }
  await Promise.all(started.map(untilBound));
  return await measure({
    programs: started,
    sink,
    tokens,
    accounts: ['acme', ...others],
    settings,
    databaseCpu: () => cpuOfFamily(primary.pid),
  });
}

/** Each commit waits until the standby has it on its disk. */
async function addStandby(primary: Postgres, servers: AsyncDisposableStack): Promise<void> {
  servers.use(await Postgres.start({ settings: serverSettings, of: primary }));
  await primary.query("alter system set synchronous_standby_names = '*'");
  await primary.query('select pg_reload_conf()');
  await waitUntil('the standby is synchronous', async () => {
    const { rows } = await primary.query("select 1 from pg_stat_replication where sync_state = 'sync'");
    return rows.length > 0;
  });
}

interface Column extends Pick<Figure, 'name' | 'what' | 'unit'> {
  readonly of: (measured: Measured, kannel: Measured | undefined) => number | undefined;
}

const columns: readonly Column[] = [
  { name: 'EndToEndPerSecond', what: 'end to end', unit: '/s', of: (each) => each.endToEndPerSecond },
  {
    name: 'TimesKannel',
    what: 'times Kannel',
    unit: '',
    of: (each, kannel) => kannel && each.endToEndPerSecond / kannel.endToEndPerSecond,
  },
  { name: 'P50Ms', what: 'answer, p50', unit: 'ms', of: (each) => each.p50Ms },
  { name: 'P99Ms', what: 'answer, p99', unit: 'ms', of: (each) => each.p99Ms },
  { name: 'CpuMicroseconds', what: 'CPU a message', unit: 'us', of: ({ own }) => own?.cpuMicrosecondsPerMessage },
  {
    name: 'DatabaseMicroseconds',
    what: 'CPU of PostgreSQL',
    unit: 'us',
    of: ({ own }) => own?.databaseMicrosecondsPerMessage,
  },
];

async function run({ rounds, seconds, connections, accounts }: Readonly<Record<Option, number>>, say: Say) {
  const sides = sidesOf(accounts).map((side) => ({ ...side, measured: new Array<Measured>() }));
  for (let round = 0; round < rounds; round++) {
    for (const side of sides) {
      const measured = await side.measure({ seconds, connections, rate: 0 });
      say(describeRound(side.what, measured));
      side.measured.push(measured);
    }
  }
  const kannel = sides.at(-1)?.measured ?? [];
  const figures = sides.flatMap(({ name, what, measured }) =>
    columns.flatMap((column): Figure[] => {
      const values = measured.flatMap((each, round) => column.of(each, kannel[round]) ?? []);
      if (values.length === 0) return [];
      const value = Math.round(spreadOf(values).median * 100) / 100;
      return [{ name: `${name}${column.name}`, what: `${what}: ${column.what}`, value, unit: column.unit }];
    }),
  );
  const faults = sides
    .filter(({ name }) => name !== 'kannel')
    .flatMap(({ what, measured }) => measured.flatMap((each) => each.faults.map((fault) => `${what}: ${fault}`)));
  return { figures, faults };
}

process.exitCode = await runTrial(trial, process.argv.slice(2));
