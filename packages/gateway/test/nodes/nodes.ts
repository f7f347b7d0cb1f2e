/* Gateways in this process that are the nodes of one PostgreSQL. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Gateway } from '../../src/app.ts';
import { operatorCalls } from '../../src/edge/admin/handlers.ts';
import { startOn, type GatewayOptions } from '../support/gateway/gateway.ts';
import { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { Postgres } from '../support/store/postgres.ts';

/** The factor for times on a busy machine, where a process may stall for seconds, and must not lose its lease. */
const slowness = Math.min(5, Math.max(1, (loadavg()[0] ?? 0) / availableParallelism()));

/** Short times for nodes: they renew their lease often, and take over soon. */
export const nodeTimes = {
  renewEveryMs: 100,
  quietMs: 2_500 * slowness,
  actsMs: 4_000 * slowness,
  silentMs: 6_000 * slowness,
  clientsStayMs: 1_000,
};

export class Nodes implements AsyncDisposable {
  readonly postgres: Postgres;
  readonly folder = mkdtempSync(join(tmpdir(), 'morsel-nodes-'));
  readonly #running: Gateway[] = [];

  private constructor(postgres: Postgres) {
    this.postgres = postgres;
  }

  /** Starts the database, and a node for each name. */
  static async open(names: readonly string[] = [], options: GatewayOptions = { nodeTimes }): Promise<Nodes> {
    const nodes = new Nodes(await Postgres.start());
    for (const name of names) await nodes.start(name, options);
    return nodes;
  }

  async start(name: string, options: GatewayOptions = {}): Promise<Gateway> {
    const gateway = await startOn(join(this.folder, name), {
      nodeTimes,
      ...options,
      environment: this.#settings(name),
    });
    this.#running.push(gateway);
    return gateway;
  }

  /** Starts a node in a process of its own, with the times that operators have. */
  startProcess(name: string): Promise<GatewayProcess> {
    return GatewayProcess.start({ dataDir: join(this.folder, name), environment: this.#settings(name) });
  }

  /** A node by its place in the order of starts, from 0. */
  at(index: number): Gateway {
    return this.#running[index] ?? assert.fail('it runs');
  }

  /** The operator's calls at this node. */
  operator(index: number): ReturnType<typeof operatorCalls> {
    return operatorCalls(this.at(index).operator);
  }

  #settings(name: string): Readonly<Record<string, string>> {
    return {
      MORSEL_DATABASE_URL: this.postgres.url,
      MORSEL_NODE_NAME: name,
      MORSEL_MASTER_KEY_FILE: join(this.folder, 'master-key'),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#running.map((each) => each.stop()));
    await this.postgres[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
