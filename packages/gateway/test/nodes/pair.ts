/* Two gateways as processes of their own, on one PostgreSQL, each over a network that a test cuts. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { Postgres } from '../support/store/postgres.ts';
import { Cable } from './cable.ts';

/** Nodes of tests renew their lease often, and wait less for each other. */
export const quickTimes = { renewEveryMs: 100, quietMs: 1_000, actsMs: 2_000, silentMs: 3_000 };

/** A node that may have been replaced ends with this status. */
export const replacedStatus = 75;

const file = join(import.meta.dirname, 'node-program.ts');

/** A place where a node runs: its name, its folder and its way to the database. */
export interface Place {
  readonly name: string;
  readonly cable: Cable;
  node: GatewayProcess;
}

export class Pair implements AsyncDisposable {
  readonly postgres: Postgres;
  readonly folder: string;
  /** How many nodes have ended by themselves. */
  ownEnds = 0;
  readonly #places: Place[] = [];

  private constructor(postgres: Postgres, folder: string) {
    this.postgres = postgres;
    this.folder = folder;
  }

  static async open(): Promise<Pair> {
    const pair = new Pair(await Postgres.start(), mkdtempSync(join(tmpdir(), 'morsel-pair-')));
    // One after the other: the first one makes the schema.
    for (const name of ['n1', 'n2']) pair.#places.push(await pair.#make(name));
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
    const cable = await Cable.open({ path: join(this.postgres.folder, '.s.PGSQL.5432') });
    return { name, cable, node: await this.#start({ name, cable }) };
  }

  /** Starts a node again, after its process has ended. */
  async restart(place: Place): Promise<void> {
    place.node = await this.#start(place);
  }

  /** Starts nodes that ended by themselves, as systemd does: after a stall of the machine a node gives up its lease. */
  async restartEnded(): Promise<void> {
    for (const place of this.#places) {
      if (!place.node.isEnded) continue;
      const { status, errors } = await place.node.ended;
      assert.equal(status, replacedStatus, errors);
      this.ownEnds += 1;
      await this.restart(place);
    }
  }

  /** Another node comes in the place of one that has ended. */
  async replace(place: Place, name: string): Promise<void> {
    const made = await this.#make(name);
    this.#places.splice(this.#places.indexOf(place), 1, made);
    await place.cable[Symbol.asyncDispose]();
  }

  #start({ name, cable }: Pick<Place, 'name' | 'cable'>): Promise<GatewayProcess> {
    const environment = {
      MORSEL_DATABASE_URL: `postgresql://morsel@127.0.0.1:${cable.port}/postgres`,
      MORSEL_NODE_NAME: name,
      MORSEL_MASTER_KEY_FILE: this.masterKey,
    };
    return GatewayProcess.start({ dataDir: join(this.folder, name), environment, file });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#places.map(({ node }) => node.kill()));
    for (const { cable } of this.#places) await cable[Symbol.asyncDispose]();
    await this.postgres[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
