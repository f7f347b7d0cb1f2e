import { globSync } from 'node:fs';
import { join } from 'node:path';

/*
 * Which test files belong to a layer, and how they run. `test/run.ts` runs a layer.
 *
 * A process that only imports the gateway costs a second of a processor, more than most test files, so files share
 * processes. How many processes run at a time depends on the folder. Measured alone, on a quiet machine, the files of
 * `tour`, `crash`, `smpp` and `client` wait for sockets, disks and other processes for half of their time or more.
 */

export interface Group {
  /** Patterns from the root of the repository. A pattern without a file is an error. */
  readonly files: readonly string[];
  /**
   * Whether the files mostly wait or compute. At a time run eight processes of files that wait, or one process for each
   * processor.
   */
  readonly mostly: 'wait' | 'compute';
  /** How many files share a process, one after the other. Default: one. */
  readonly together?: number;
}

export interface Layer {
  readonly says: string;
  /**
   * The programs that the tests need besides npm packages. A test whose program is missing is skipped, and names it.
   */
  readonly needs?: string;
  readonly groups: readonly Group[];
  readonly environment?: Readonly<Record<string, string>>;
  /** A file with `globalSetup` and `globalTeardown`. */
  readonly setup?: string;
  /** Processes of the layer at a time, if fewer than its groups allow. */
  readonly processesMax?: number;
  /** The deadline of a test; a process has twice as long. Default: 10. */
  readonly minutes?: number;
  /**
   * Ends the process by force after its tests, because programs that a failed test left could keep it alive. Only for
   * processes with one file.
   */
  readonly endsByForce?: true;
}

const root = join(import.meta.dirname, '..');
const gateway = 'packages/gateway';
const postgres = { MORSEL_TEST_ENGINE: 'postgres' };
const postgresSetup = `${gateway}/test/support/store/postgres-test-database.ts`;
const programs = 'Debian packages';

/** Tests of the store that run on both engines. */
const ofStore: readonly Group[] = [
  {
    files: [
      `${gateway}/src/store/*.test.ts`,
      `${gateway}/src/state/decide/*.test.ts`,
      `${gateway}/src/state/decide/*/*.test.ts`,
      `${gateway}/src/store/views/**/*.test.ts`,
      `${gateway}/src/flow/{notification/notify,message/{inbound-answers,id-rules},replay/replays,routing/carriers}.test.ts`,
      `${gateway}/test/crash/ledger-model.test.ts`,
    ],
    mostly: 'compute',
    together: 12,
  },
];

const tour: Group = { files: [`${gateway}/test/tour/*.test.ts`], mostly: 'wait', together: 4 };
const crash: Group = { files: [`${gateway}/test/crash/*.test.ts`], mostly: 'wait', together: 2 };

export const layers: Readonly<Record<string, Layer>> = {
  unit: {
    says: 'everything that needs only npm packages: npm test',
    environment: { PROPERTY_TIMES: '0.25' },
    groups: [
      crash,
      tour,
      { files: [`${gateway}/test/smpp/*.test.ts`, 'packages/client/test/*.test.ts'], mostly: 'wait', together: 4 },
      { files: [`${gateway}/src/edge/admin/**/*.test.ts`], mostly: 'wait', together: 8 },
      { files: [`${gateway}/test/cli/*.test.ts`], mostly: 'wait', together: 6 },
      { files: [`${gateway}/src/{state,store}/**/*.test.ts`], mostly: 'compute', together: 20 },
      {
        files: [
          `${gateway}/src/*.test.ts`,
          `${gateway}/src/!(state|store|edge)/**/*.test.ts`,
          `${gateway}/src/edge/!(admin)/**/*.test.ts`,
          `${gateway}/src/edge/*.test.ts`,
        ],
        mostly: 'compute',
        together: 40,
      },
      { files: ['packages/!(gateway)/src/**/*.test.ts', 'test/*.test.ts'], mostly: 'compute', together: 40 },
      {
        files: ['packages/{gsm,simulator,smpp}/test/*.test.ts', `${gateway}/test/{,simulation/}*.test.ts`],
        mostly: 'compute',
      },
    ],
  },
  shared: {
    says: 'tests with more cases from ../shared/data, the material beside the checkout',
    groups: [
      {
        files: [
          `${gateway}/src/core/{message/carrier-id,money/price-file/read,number/address,number/number-type}.test.ts`,
          'packages/gsm/test/shared-data.test.ts',
          'packages/smpp/src/{codec/wild-pdus,receipt/receipt}.test.ts',
        ],
        mostly: 'compute',
        together: 10,
      },
    ],
  },
  peers: {
    says: 'tests against other programs, and of several nodes',
    needs: `${programs} kannel kannel-extras tshark strace gcc libc6-dev openssl prometheus prometheus-alertmanager haproxy pgbouncer postgresql-15`,
    groups: [{ files: [`${gateway}/test/peers/**/*.test.ts`, `${gateway}/test/nodes/*.test.ts`], mostly: 'wait' }],
    processesMax: 3,
    minutes: 15,
    endsByForce: true,
  },
  postgres: {
    says: 'the tests of the store and of promises, on PostgreSQL',
    needs: `${programs} postgresql-15`,
    groups: [
      ...ofStore,
      {
        files: [`${gateway}/test/tour/{message,idempotency,inbound,opt-out,every-api,webhooks}.test.ts`],
        mostly: 'wait',
        together: 3,
      },
    ],
    environment: { ...postgres, PROPERTY_TIMES: '0.1' },
    setup: postgresSetup,
    processesMax: 4,
    minutes: 15,
  },
  ha: {
    says: 'a primary of PostgreSQL is killed, and its standby takes over',
    needs: `${programs} postgresql-15 etcd-server patroni`,
    groups: [{ files: [`${gateway}/test/ha/*.test.ts`], mostly: 'wait' }],
    minutes: 15,
    endsByForce: true,
  },
  console: {
    says: 'the console in a browser',
    needs: `${programs} chromium`,
    groups: [{ files: ['packages/console/test/browser/*.test.ts'], mostly: 'wait' }],
    processesMax: 2,
    endsByForce: true,
  },
  install: {
    says: 'what is published is installed and used',
    needs: `${programs} systemd debootstrap podman runc`,
    groups: [{ files: ['deploy/test/*.test.ts'], mostly: 'compute' }],
    setup: 'deploy/test/debian-base.ts',
    minutes: 15,
    endsByForce: true,
  },
  long: {
    says: 'properties and kills many more times, and the documentation in both orders',
    groups: [
      { files: [`${gateway}/src/{state,store,flow/replay}/**/*.test.ts`], mostly: 'compute', together: 20 },
      { files: [`${gateway}/test/tour/documented.test.ts`], mostly: 'wait' },
      crash,
    ],
    environment: {
      PROPERTY_TIMES: '20',
      MANY_ROWS: '1',
      EVERY_ORDER: '1',
      CRASH_KILLS: '20',
      CRASH_TRIALS: '25',
      EVERY_PAIR: '1',
    },
    processesMax: 2,
    minutes: 120,
  },
  'long:postgres': {
    says: 'the tests of the store, and all of the tour, on PostgreSQL',
    needs: `${programs} postgresql-15`,
    groups: [...ofStore, tour],
    environment: postgres,
    setup: postgresSetup,
    processesMax: 2,
    minutes: 120,
  },
  nodes: {
    says: 'two nodes on one PostgreSQL die 200 times under load; NODES_DEATHS is the number',
    needs: `${programs} postgresql-15`,
    groups: [{ files: [`${gateway}/test/nodes/two-nodes.test.ts`], mostly: 'wait' }],
    environment: { NODES_DEATHS: '200' },
    minutes: 600,
  },
};

/** The files of a group. A pattern without a file, such as that of a renamed test, is an error. */
export function filesOf({ files }: Pick<Group, 'files'>): readonly string[] {
  const found = files.flatMap(withoutBraces).flatMap((pattern) => {
    const matches = globSync(pattern, { cwd: root }).filter((path) => !path.includes('node_modules'));
    if (matches.length === 0) throw new Error(`no test file matches ${pattern}`);
    return matches;
  });
  return [...new Set(found)].toSorted();
}

/** Divides `{a,b}.test.ts` into `a.test.ts` and `b.test.ts`, because each of them must have a file. */
function withoutBraces(pattern: string): readonly string[] {
  const [braces, alternatives] = /\{([^{}]*)\}/.exec(pattern) ?? [];
  if (braces === undefined || alternatives === undefined) return [pattern];
  return alternatives.split(',').flatMap((each) => withoutBraces(pattern.replace(braces, each)));
}
