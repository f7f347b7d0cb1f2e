/* The engine and the list of nodes for PostgreSQL, with connections of a simulation. */

import { PostgresEngine } from '../../../src/store/postgres/engine.ts';
import { NodeMembers } from '../../../src/store/postgres/members.ts';
import { startOfNode } from '../../../src/store/postgres/start.ts';
import type { DatabaseConnection } from '../../../src/store/postgres/wire/connection.ts';
import type { Start } from '../../../src/state/rows/rows.ts';
import type { AnyResult, Command } from '../../../src/state/commands.ts';
import type { Applied } from '../../../src/store/writer.ts';
import { testVault } from '../../support/store/vault.ts';
import type { ProcessClock } from '../world.ts';
import { SimConnection } from './connection.ts';
import type { SimPostgres } from './server.ts';

/** If a group takes longer, the database counts as away (`awayMs` of the engine, which has no clock of a simulation). */
const awayMs = 2_000;

/** Called with each command that was committed or refused. */
export type Seen = (command: Command, result: AnyResult | undefined) => void;

interface Given {
  readonly server: SimPostgres;
  readonly clock: ProcessClock;
  readonly name: string;
  readonly away: (isAway: boolean) => void;
  readonly seen: Seen;
}

export class SimPostgresEngine extends PostgresEngine {
  readonly #given: Given;

  private constructor(given: Given, connection: DatabaseConnection, start: Start) {
    super({ vault: testVault, url: '', name: given.name }, connection, start);
    this.#given = given;
  }

  static async start(given: Given): Promise<SimPostgresEngine> {
    const connection = await SimConnection.openAgain(given.server, given.clock);
    const start = { ...(await startOfNode(connection, given.name)), vault: testVault };
    return new SimPostgresEngine(given, connection, start);
  }

  override async apply(commands: readonly Command[]): Promise<Applied> {
    const { clock, away, seen } = this.#given;
    let isAway = false;
    const timer = clock.setTimer(() => {
      isAway = true;
      away(true);
    }, awayMs);
    try {
      const applied = await super.apply(commands);
      for (const [at, command] of commands.entries()) seen(command, applied.results[at]);
      return applied;
    } finally {
      timer.cancel();
      if (isAway) away(false);
    }
  }

  protected override connectAgain(tries: number): Promise<DatabaseConnection> {
    return SimConnection.openAgain(this.#given.server, this.#given.clock, tries);
  }
}

export class SimMembers extends NodeMembers {
  readonly #server: SimPostgres;
  readonly #clock: ProcessClock;

  constructor(
    { server, clock, name }: Pick<Given, 'server' | 'clock' | 'name'>,
    self: { readonly node: number; readonly lease: number },
  ) {
    super({ url: '', name, release: '', ...self });
    this.#server = server;
    this.#clock = clock;
  }

  protected override connect(): Promise<DatabaseConnection> {
    return SimConnection.open(this.#server, this.#clock);
  }
}
