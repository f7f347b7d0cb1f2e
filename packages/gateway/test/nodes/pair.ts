/* Two gateways, each in its own process, on one database. A test can cut the network between gateway and database. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from '../support/gateway/child.ts';
import { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { Postgres } from '../support/store/postgres.ts';
import { Cable } from './cable.ts';

/** Short times for nodes: they renew their lease often, and take over soon. */
export const quickTimes = { renewEveryMs: 100, quietMs: 2_000, actsMs: 4_000, silentMs: 6_000 };
/** Times for tests in which no node may lose its lease: a busy machine stalls for seconds. */
export const calmTimes = { renewEveryMs: 100, quietMs: 5_000, actsMs: 10_000, silentMs: 12_000 };

/** How often the start of a node is tried. */
const startsMax = 3;

/** The exit status of a node that may have been replaced. */
export const replacedStatus = 75;

/** A place where a node runs: its name, its folder, its program and its way to the database. */
export interface Place {
  readonly name: string;
  readonly cable: Cable;
  file: string;
  node: GatewayProcess;
}

interface PairOptions {
  /** The URL of a database that the test runs. Default: the pair starts its own server. */
  readonly url?: string;
  /** The program of the nodes. Default: a gateway with short times, if the pair starts its own server. */
  readonly file?: string;
  /** Gives a pair with its own server `calmTimes`. */
  readonly isCalm?: boolean;
}

export class Pair implements AsyncDisposable {
  readonly url: string;
  readonly folder = mkdtempSync(join(tmpdir(), 'morsel-pair-'));
  /** The pair's own server; undefined if the test runs the database. */
  readonly postgres: Postgres | undefined;
  /** The number of nodes that have ended by themselves. */
  ownEnds = 0;
  readonly #file: string;
  readonly #isCalm: boolean;
  readonly #places: Place[] = [];

  private constructor(postgres: Postgres | undefined, url: string, file: string, isCalm: boolean) {
    this.postgres = postgres;
    this.url = url;
    this.#file = file;
    this.#isCalm = isCalm;
  }

  static async open({ url, file, isCalm = false }: PairOptions = {}): Promise<Pair> {
    const postgres = url === undefined ? await Postgres.start() : undefined;
    const quick = join(import.meta.dirname, 'node-program.ts');
    const pair = new Pair(postgres, url ?? postgres?.url ?? '', file ?? (postgres ? quick : program), isCalm);
    try {
      // One after the other: the first one makes the schema.
      for (const name of ['n1', 'n2']) pair.#places.push(await pair.#make(name));
    } catch (fault) {
      await pair[Symbol.asyncDispose]();
      throw fault;
    }
    return pair;
  }

  /** The file of the master key, which both nodes use. */
  get masterKey(): string {
    return join(this.folder, 'master-key');
  }

  get places(): readonly Place[] {
    return this.#places;
  }

  async #make(name: string): Promise<Place> {
    const { hostname, port } = new URL(this.url);
    const to = this.postgres
      ? { path: join(this.postgres.folder, '.s.PGSQL.5432') }
      : { host: hostname, port: Number(port) };
    const place = { name, cable: await Cable.open(to), file: this.#file };
    return { ...place, node: await this.#start(place) };
  }

  /** Starts a node again, after its process has ended. A node that loses its lease while it starts is started again. */
  async restart(place: Place): Promise<void> {
    for (let tried = 1; ; tried += 1) {
      try {
        place.node = await this.#start(place);
        return;
      } catch (fault) {
        if (tried === startsMax || !String(fault).includes('has not renewed its lease')) throw fault;
        this.ownEnds += 1;
      }
    }
  }

  /** Restarts nodes that ended by themselves, as systemd does: a stall of the machine may cost a node its lease. */
  async restartEnded(places: readonly Place[] = this.#places): Promise<void> {
    for (const place of places) {
      if (!place.node.isEnded) continue;
      const { status, errors } = await place.node.ended;
      assert.equal(status, replacedStatus, errors);
      this.ownEnds += 1;
      await this.restart(place);
    }
  }

  /** Starts a node with another name in place of a node that has ended. */
  async replace(place: Place, name: string): Promise<void> {
    const made = await this.#make(name);
    this.#places.splice(this.#places.indexOf(place), 1, made);
    await place.cable[Symbol.asyncDispose]();
  }

  #start({ name, cable, file }: Omit<Place, 'node'>): Promise<GatewayProcess> {
    const url = new URL(this.url);
    url.host = `127.0.0.1:${cable.port}`;
    url.search = '';
    const environment = {
      MORSEL_DATABASE_URL: url.href,
      MORSEL_NODE_NAME: name,
      MORSEL_MASTER_KEY_FILE: this.masterKey,
      ...(this.#isCalm && { TEST_NODE_TIMES: 'calm' }),
    };
    return GatewayProcess.start({ dataDir: join(this.folder, name), environment, file });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#places.map(({ node }) => node.kill()));
    for (const { cable } of this.#places) await cable[Symbol.asyncDispose]();
    await this.postgres?.[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
