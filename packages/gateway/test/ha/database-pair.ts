/*
 * PostgreSQL as docs/nodes.md sets it up: etcd, two Patronis and HAProxy, from Debian's packages, with that page's
 * configuration. Each machine of the page is an address of 127.0.0.0/8 and a folder. All processes of a machine run in
 * its folder, so that they are found even if their parent was killed.
 */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import {
  chownSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { unprivileged } from '../support/store/postgres.ts';
import { waitUntil } from '../support/wait-until.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/nodes.md'), 'utf8');

/** The machines of docs/nodes.md, each with the last number of its address. */
const machines = { db1: 1, db2: 2, db3: 3, gw1: 11 } as const;
type Machine = keyof typeof machines;
type DatabaseMachine = 'db1' | 'db2';

/** The limit for a start or a fail-over of the pair: the leader key must expire, and the old primary is rewound. */
const limitMs = 120_000;
const lookEveryMs = 100;
const answerLimitMs = 5_000;

/** A script that kills all processes in the folder when its standard input ends, so also if this process is killed. */
const guard = `cat >/dev/null
while
  found=
  for process in /proc/[0-9]*; do
    case $(readlink "$process/cwd") in "$1"/*) found=1; kill -KILL "\${process#/proc/}";; esac
  done
  [ "$found" ]
do :; done
rm -rf "$1"`;

/** The machines of a healthy pair. */
export interface Pair {
  readonly primary: DatabaseMachine;
  /** The synchronous standby, for which each commit waits. */
  readonly standby: DatabaseMachine;
}

export class DatabasePair implements AsyncDisposable {
  readonly #folder: string;
  /** The first three numbers of the addresses. */
  readonly #network: string;
  readonly #user = unprivileged();
  readonly #guard;

  private constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), 'morsel-ha-'));
    if (this.#user) chownSync(this.#folder, this.#user.uid, this.#user.gid);
    this.#network = `127.${randomInt(1, 255)}.${randomInt(255)}`;
    this.#guard = spawn('sh', ['-c', guard, 'sh', this.#folder], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
  }

  /** Starts all machines, and makes the database of the gateways. */
  static async start(): Promise<DatabasePair> {
    const pair = new DatabasePair();
    try {
      for (const machine of ['db1', 'db2', 'db3', 'gw1'] as const) pair.#startMachine(machine);
      await pair.#until('a primary', () => pair.#primary());
      const [, statements = ''] = /^```sql\n(.*?)^```$/ms.exec(page) ?? assert.fail('the page has statements');
      for (const statement of statements.matchAll(/^[a-z].*;$/gm)) await pair.#ask(statement[0]);
      await pair.untilHealthy();
    } catch (fault) {
      await pair[Symbol.asyncDispose]();
      throw fault;
    }
    return pair;
  }

  /** The URL of the database for gateways: that of HAProxy, which connects to the primary. */
  get url(): string {
    return this.#urlOf('morsel', 'morsel');
  }

  /** Waits until there are a primary and a synchronous standby. */
  untilHealthy(): Promise<Pair> {
    return this.#until('a primary with a synchronous standby', async () => {
      const primary = await this.#primary();
      const standby = primary === 'db1' ? 'db2' : 'db1';
      const found = await this.#ask(
        `select from pg_stat_replication where application_name = '${standby}'
          and state = 'streaming' and sync_state = 'sync'`,
      ).catch(() => []);
      if (primary === undefined || found.length === 0) return undefined;
      // Patroni promotes only a standby that it knows as synchronous.
      const isKnown = new RegExp(`"name": "${standby}", "role": "sync_standby"`);
      return isKnown.test(await this.#patroni(primary, '/cluster')) && { primary, standby };
    });
  }

  /** Waits until the primary is on this machine. */
  async untilTakenOver(machine: DatabaseMachine): Promise<void> {
    await this.#until(`the primary is ${machine}`, async () => (await this.#primary()) === machine);
  }

  /** Kills PostgreSQL's main process on a machine. The machine's Patroni goes on. */
  killPostmaster(machine: DatabaseMachine): void {
    const [postmaster = ''] = readFileSync(join(this.#folder, machine, 'morsel/postmaster.pid'), 'utf8').split('\n');
    process.kill(Number(postmaster), 'SIGKILL');
  }

  /** Kills all processes of a machine. `startAgain` starts its programs again. */
  killMachine(machine: DatabaseMachine): void {
    this.#signal(machine, 'SIGKILL');
  }

  startAgain(machine: DatabaseMachine): void {
    this.#startMachine(machine);
  }

  /** Suspends all processes of a machine until `thaw`. */
  freeze(machine: DatabaseMachine): void {
    this.#signal(machine, 'SIGSTOP');
  }

  thaw(machine: DatabaseMachine): void {
    this.#signal(machine, 'SIGCONT');
  }

  /** Makes the standby the primary by an orderly switchover. */
  async switchOver({ primary, standby }: Pair): Promise<void> {
    await this.#patroni(primary, '/switchover', JSON.stringify({ leader: primary, candidate: standby }));
  }

  /** Stops everything, and removes the folder. */
  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#guard.once('exit', resolve));
    this.#guard.stdin.end();
    await ended;
  }

  #startMachine(machine: Machine): void {
    const folder = join(this.#folder, machine);
    mkdirSync(folder, { recursive: true });
    if (this.#user) chownSync(folder, this.#user.uid, this.#user.gid);
    if (machine === 'gw1') {
      this.#run(machine, 'haproxy', ['/usr/sbin/haproxy', '-f', this.#write(machine, '/etc/haproxy/haproxy.cfg')]);
      return;
    }
    const settings = readFileSync(this.#write(machine, '/etc/default/etcd'), 'utf8').matchAll(/^(\w+)=(.*)$/gm);
    const environment = Object.fromEntries([...settings].map(([, name, value]) => [name, value]));
    this.#run(machine, 'etcd', ['etcd'], environment);
    if (machine !== 'db3') this.#run(machine, 'patroni', ['patroni', this.#write(machine, '/etc/patroni/config.yml')]);
  }

  /** Starts a program of a machine. */
  #run(machine: Machine, name: string, [program = '', ...words]: readonly string[], environment = {}): void {
    const cwd = join(this.#folder, machine);
    const log = openSync(join(cwd, `${name}.log`), 'a');
    const env = { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', ...environment };
    // The program gets its own session, so that Ctrl-C reaches only the tests, which then end the machines.
    spawn(program, words, { ...this.#user, cwd, env, detached: true, stdio: ['ignore', log, log] }).unref();
    closeSync(log);
  }

  /** Writes a configuration file of docs/nodes.md, adapted to this machine. Returns the path of the file. */
  #write(machine: Machine, file: string): string {
    const block = new RegExp(`^\`\`\`\\w+\\n# ${file} on (db1|gw1)[^\\n]*\\n(.*?)^\`\`\`$`, 'ms').exec(page);
    const [, model, text = ''] = block ?? assert.fail(`docs/nodes.md has ${file}`);
    // docs/nodes.md has the file of one machine. Lines with several machines are the same on all of them.
    const own = text.replaceAll(/^(?!.*db2|.*10\.0\.0\.2).*$/gm, (line) =>
      model === 'db1' ? line.replace('db1', machine).replace('10.0.0.1:', `10.0.0.${machines[machine]}:`) : line,
    );
    const folder = join(this.#folder, machine);
    const path = join(folder, file.replaceAll('/', '-').slice(1));
    const here = own
      .replaceAll('10.0.0.0/24', '127.0.0.0/8')
      .replaceAll('10.0.0.', `${this.#network}.`)
      .replaceAll('127.0.0.1:', `${this.#addressOf('gw1')}:`)
      .replaceAll(/\/var\/(?:lib|run)\/(?:etcd|postgresql\/15|postgresql)/g, folder)
      .replaceAll('8GB', '64MB');
    writeFileSync(path, here);
    return path;
  }

  #signal(machine: Machine, signal: NodeJS.Signals): void {
    const folder = join(this.#folder, machine);
    for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
      try {
        const at = readlinkSync(`/proc/${name}/cwd`);
        if (at === folder || at.startsWith(`${folder}/`)) process.kill(Number(name), signal);
      } catch {
        // The process ended meanwhile, or belongs to another user.
      }
    }
  }

  #addressOf(machine: Machine): string {
    return `${this.#network}.${machines[machine]}`;
  }

  #urlOf(user: string, database: string): string {
    const password = user === 'morsel' ? 'morsel-secret' : 'superuser-secret';
    return `postgresql://${user}:${password}@${this.#addressOf('gw1')}:5000/${database}`;
  }

  /** The machine to which HAProxy connects. */
  async #primary(): Promise<DatabaseMachine | undefined> {
    const [found] = await this.#ask('select host(inet_server_addr())').catch(() => []);
    return (['db1', 'db2'] as const).find((machine) => this.#addressOf(machine) === found?.[0]);
  }

  /** Runs a query on the primary, as PostgreSQL's superuser. */
  async #ask(text: string): Promise<readonly (readonly unknown[])[]> {
    const limits = { connectionTimeoutMillis: answerLimitMs, query_timeout: answerLimitMs };
    const client = new Client({ connectionString: this.#urlOf('postgres', 'postgres'), ...limits });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query({ text, rowMode: 'array' })).rows;
    } finally {
      client.end().catch(() => undefined);
    }
  }

  async #patroni(machine: Machine, path: string, body?: string): Promise<string> {
    const answer = await fetch(`http://${this.#addressOf(machine)}:8008${path}`, {
      signal: AbortSignal.timeout(limitMs),
      ...(body !== undefined && { method: 'POST', body }),
    });
    const text = await answer.text();
    assert.ok(answer.ok, text);
    return text;
  }

  /** Waits for a condition. If that takes too long, fails with the last lines of all logs. */
  #until<T>(what: string, condition: () => Promise<T | undefined | false>): Promise<T> {
    return waitUntil(() => [what, ...this.#logs()].join('\n'), condition, limitMs, lookEveryMs);
  }

  #logs(): readonly string[] {
    return readdirSync(this.#folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.log'))
      .map((name) => `== ${name}\n${readFileSync(join(this.#folder, name), 'utf8').slice(-2_000)}`);
  }
}
