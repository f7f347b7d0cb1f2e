import { after, before, describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import { missing } from '../peers/needs.ts';
import { postgresFolder } from '../support/postgres.ts';
import { waitUntil } from '../support/wait-until.ts';
import type { Pair } from './database-pair.ts';
import { DatabasePair } from './database-pair.ts';
import { InsertingClients } from './inserting-clients.ts';

/*
 * The primary is killed while clients commit, and what was acknowledged is there afterwards. HA_KILLS is how many times
 * (default: 2); the postmaster and its whole machine in turn. With HA_EVERY=1 other failures follow.
 */

const kills = Number(process.env['HA_KILLS'] ?? 2);
const needed = missing(`${postgresFolder}/postgres`, 'etcd', 'patroni', '/usr/sbin/haproxy');
const limitMs = 300_000;
/** So many commits show that all goes on. */
const enough = 200;
const goesOnMs = 120_000;

/** What uses the database while its primary is killed. */
interface Load extends AsyncDisposable {
  /** Fails if something is missing that was acknowledged. */
  check(): Promise<void>;
}

/** Starts the load at the URL, which leads to the primary. The load calls `acknowledged` for each thing. */
type StartLoad = (url: string, acknowledged: () => void) => Promise<Load>;

const loads: { readonly [name: string]: StartLoad } = {
  'clients of PostgreSQL': (url, acknowledged) => InsertingClients.start(url, acknowledged),
};

/** When things were acknowledged. */
class Acknowledged {
  count = 0;
  #lastAt = performance.now();
  #silenceMs = 0;

  readonly record = (): void => {
    this.count += 1;
    const now = performance.now();
    this.#silenceMs = Math.max(this.#silenceMs, now - this.#lastAt);
    this.#lastAt = now;
  };

  /** The longest time without any since the last call, in seconds. */
  takeSilence(): string {
    const silence = this.#silenceMs;
    this.#silenceMs = 0;
    return (silence / 1_000).toFixed(1);
  }

  async untilMore(): Promise<void> {
    const wanted = this.count + enough;
    await waitUntil(
      () => `${wanted} are acknowledged (${this.count})`,
      () => this.count >= wanted,
      goesOnMs,
    );
  }
}

for (const [name, start] of Object.entries(loads)) {
  describe(`the primary fails under ${name}`, { skip: needed, timeout: limitMs * (kills + 5) }, () => {
    const acknowledged = new Acknowledged();
    let pair: DatabasePair;
    let load: Load | undefined;

    before(async () => {
      pair = await DatabasePair.start();
      load = await start(pair.url, acknowledged.record);
    });
    after(async () => {
      await load?.[Symbol.asyncDispose]();
      await pair[Symbol.asyncDispose]();
    });

    /** Lets it fail, and checks the load when there is a healthy pair again. */
    const check = (what: string, fail: (before: Pair) => Promise<void>): void =>
      void it(what, { timeout: limitMs }, async (test: TestContext) => {
        const healthy = await pair.untilHealthy();
        await acknowledged.untilMore();
        acknowledged.takeSilence();
        await fail(healthy);
        await acknowledged.untilMore();
        await pair.untilHealthy();
        await load?.check();
        test.diagnostic(`${what}: nothing for ${acknowledged.takeSilence()} s, ${acknowledged.count} in all`);
      });

    for (let kill = 1; kill <= kills; kill += 1) {
      if (kill % 2 === 1) {
        check(`kill ${kill}: the postmaster`, async ({ primary, standby }) => {
          pair.killPostmaster(primary);
          await pair.untilTakenOver(standby);
        });
      } else {
        check(`kill ${kill}: the machine`, async ({ primary, standby }) => {
          pair.killMachine(primary);
          await pair.untilTakenOver(standby);
          pair.startAgain(primary);
        });
      }
    }

    if (process.env['HA_EVERY'] !== '1') return;

    check('the operator switches over', async (healthy) => {
      await pair.switchOver(healthy);
      await pair.untilTakenOver(healthy.standby);
    });

    check('the standby is killed', async ({ standby }) => {
      pair.killMachine(standby);
      await acknowledged.untilMore();
      pair.startAgain(standby);
    });

    check('the standby is frozen', async ({ standby }) => {
      pair.freeze(standby);
      await acknowledged.untilMore();
      pair.thaw(standby);
    });
  });
}
