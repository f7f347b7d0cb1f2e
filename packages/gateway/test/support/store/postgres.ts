/* A PostgreSQL server of its own, for tests: a database in a temporary folder, on a socket in that folder. */

import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client, type Answer } from 'pg';
import { waitUntil } from '../wait-until.ts';

/** The oldest version that the gateway takes. */
const oldestVersion = 15;
/**
 * The folder of PostgreSQL's programs: that of the environment variable, or of the newest version. Debian keeps the
 * programs of each version in a folder of their own.
 */
export const postgresFolder = process.env['POSTGRES_BIN'] ?? `${newestOf('/usr/lib/postgresql')}/bin`;

const superuser = 'morsel';
/** The owner of the databases, whose name gateways use: as on a managed server, it has no other rights. */
export const databaseOwner = 'gateway';
const initLimitMs = 300_000;
/** A dictionary's sort order, as an operator's database may have; Morsel's columns must not depend on it. */
const collation = ['--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];
const queryLimitMs = 60_000;

const run = promisify(execFile);

/** The copy of a new cluster, from which servers start: copying it takes a tenth of the time of making one. */
const madeBefore = join(
  import.meta.dirname,
  '../../../../../node_modules/.cache',
  `postgresql${postgresFolder.replaceAll('/', '-')}`,
);

/** Keeps a copy of a new cluster for the next servers. Another process may do the same at the same time. */
async function keep(data: string): Promise<void> {
  const copy = `${madeBefore}-${process.pid}`;
  mkdirSync(dirname(madeBefore), { recursive: true });
  await run('cp', ['-a', data, copy]);
  try {
    renameSync(copy, madeBefore);
  } catch {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Commits do not wait for the disk, and no vacuum starts by itself. */
const settingsOfTests = ['fsync=off', 'autovacuum=off'];

interface PostgresOptions {
  /** Settings as `postgres -c` takes them (default: those for tests). */
  readonly settings?: readonly string[];
  /** The primary server, if the new server is a standby. */
  readonly of?: Postgres;
}

/** A server with an empty database. It stops with this process, however that ends. */
export class Postgres implements AsyncDisposable {
  readonly folder: string;
  /** The id of the server's main process, the parent of all its others. */
  readonly pid: number;
  readonly #client: Client;
  readonly #stop: () => void;
  #databases = 0;

  private constructor(folder: string, client: Client, { pid, stop }: { pid: number; stop: () => void }) {
    this.folder = folder;
    this.pid = pid;
    this.#client = client;
    this.#stop = stop;
  }

  static async start({ settings = settingsOfTests, of }: PostgresOptions = {}): Promise<Postgres> {
    const folder = mkdtempSync(join(tmpdir(), 'morsel-pg-'));
    const user = unprivileged();
    if (user) chownSync(folder, user.uid, user.gid);
    const data = join(folder, 'data');
    const options = { ...user, cwd: folder, env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' } };
    const make = (maker: string, ...words: readonly string[]) =>
      run(join(postgresFolder, maker), ['-D', data, '-U', superuser, ...words], { ...options, timeout: initLimitMs });
    if (of) await make('pg_basebackup', '-h', of.folder, '--write-recovery-conf', '--checkpoint=fast');
    else if (existsSync(madeBefore)) await run('cp', ['-a', madeBefore, data]);
    else {
      await make('initdb', '--auth=trust', '--no-sync', '--encoding=UTF8', ...collation);
      await keep(data);
    }
    const own = ['listen_addresses=', `unix_socket_directories=${folder}`, ...settings];
    // The kernel stops the server even if this process is killed.
    const [ender, ...ending] = ['setpriv', '--pdeathsig', 'INT'] as const;
    const words = [...ending, join(postgresFolder, 'postgres'), '-D', data, ...own.flatMap((each) => ['-c', each])];
    const server = spawn(ender, words, { ...options, stdio: 'ignore' });
    server.unref();
    const stop = () => {
      process.off('exit', stop);
      // A fast shutdown: it also removes the server's shared memory.
      spawnSync(join(postgresFolder, 'pg_ctl'), ['stop', '-D', data, '-m', 'fast', '-s'], options);
      rmSync(folder, { recursive: true, force: true });
    };
    process.on('exit', stop);
    const client = await waitUntil('PostgreSQL answers', () => tryTo(() => connectTo(folder)), initLimitMs);
    if (!of)
      await client.query(`create role ${databaseOwner} login; alter database postgres owner to ${databaseOwner}`);
    return new Postgres(folder, client, { pid: server.pid ?? 0, stop });
  }

  /** The URL of the database, for its owner. */
  get url(): string {
    return urlOf(this.folder, 'postgres');
  }

  /** Makes another database on this server. Returns its URL. */
  async makeDatabase(options = 'template template0', name = `d${++this.#databases}`): Promise<string> {
    await this.query(`create database "${name}" owner ${databaseOwner} ${options}`);
    return urlOf(this.folder, name);
  }

  /** Runs one statement as superuser; integers of 64 bits come as texts. */
  query(text: string, values: readonly unknown[] = []): Promise<Answer> {
    return this.#client.query({ text, values, rowMode: 'array' });
  }

  /** Lets this process end while the server still runs. */
  unref(): void {
    this.#client.unref();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.ref();
    await this.#client.end();
    this.#stop();
  }
}

export function urlOf(folder: string, database: string, user = databaseOwner): string {
  return `postgresql://${user}@localhost/${database}?host=${encodeURIComponent(folder)}`;
}

/** Connects as superuser. */
export function connectTo(folder: string, database = 'postgres'): Promise<Client> {
  return connectAt(urlOf(folder, database, superuser));
}

export async function connectAt(url: string, limitMs = queryLimitMs): Promise<Client> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: queryLimitMs,
    query_timeout: limitMs,
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function tryTo<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch {
    return undefined;
  }
}

function newestOf(folder: string): string {
  const versions = existsSync(folder) ? readdirSync(folder).map(Number) : [];
  return join(folder, String(Math.max(oldestVersion, ...versions)));
}

/** The server refuses to run as root. Debian's package makes the user `postgres`. */
export function unprivileged(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return { uid: idOf('-u'), gid: idOf('-g') };
}

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
}
