/*
 * Sees the end of other nodes soon, by the locks of their connections to the database: the server frees a lock at once
 * if the process dies, and after some seconds if its machine or network does. A frozen process keeps its lock, but does
 * not renew its lease.
 */

import { secondMs } from '@morsel/api/values/time.ts';
import { Loop } from '../../runtime/loop.ts';
import type { WatchRows } from '../../store/postgres/members/watch-rows.ts';
import type { Tools } from '../ports.ts';

const lookEveryMs = 250;

/** A node without its lock has ended this long after its last renewal: it sends nothing then (`provenMs`). */
const goneMs = 1_750;

/**
 * A node that has its lock, and has not renewed its lease for so long, is frozen, if this node could renew its own all
 * the time. Longer than a busy machine stalls, or than loading the settings takes.
 */
const frozenMs = 20 * secondMs;

/** This node ends no other one until its own connection is so old: at first, connections come and go in a failover. */
const settledMs = 12 * secondMs;

export class Watch {
  readonly #needs;
  readonly #loop: Loop;
  /** The connection of this node, and since when it is there. */
  #connection = { number: 0, from: 0 };
  /** The leases whose lock was seen since then. A node of an older version has none. */
  readonly #locked = new Set<number>();
  /** When this node saw the last renewal of each lease first, on its own clock. */
  #seen = new Map<number, { readonly renewedAt: string; readonly at: number }>();

  constructor(
    needs: Pick<Tools, 'clock' | 'log'> & {
      readonly rows: WatchRows;
      /** Whether there may be other nodes. */
      readonly hasOthers: () => boolean;
      /** For how long this node has renewed its lease without a break. */
      readonly unbrokenMs: () => number;
      readonly takeOver: (node: number, lease: number) => Promise<void>;
    },
  ) {
    this.#needs = needs;
    const { clock, log } = needs;
    this.#loop = new Loop({ clock, log, name: 'watch other nodes', everyMs: lookEveryMs, turn: () => this.#turn() });
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Returns when the next look is due: renewals use the same connection, so a slow database is asked less often. */
  async #turn(): Promise<number> {
    const { clock, hasOthers } = this.#needs;
    const from = clock.monotonicMs();
    // While the database does not answer, nobody ends another node.
    if (hasOthers()) await this.#look().catch(() => undefined);
    return Math.max(lookEveryMs, 2 * (clock.monotonicMs() - from));
  }

  async #look(): Promise<void> {
    const { rows, clock, log, unbrokenMs, takeOver } = this.#needs;
    const { connection, leases } = await rows.look();
    const now = clock.monotonicMs();
    if (connection !== this.#connection.number) {
      this.#connection = { number: connection, from: now };
      this.#locked.clear();
    }
    const before = this.#seen;
    this.#seen = new Map();
    for (const each of leases) {
      const { lease, renewedAt } = each;
      const known = before.get(lease);
      const seen = known?.renewedAt === renewedAt ? known : { renewedAt, at: now };
      this.#seen.set(lease, seen);
      if (each.isLocked) this.#locked.add(lease);
      const silentMs = now - seen.at;
      const isSettled = now - this.#connection.from >= settledMs;
      const isGone = !each.isLocked && silentMs >= goneMs && isSettled && this.#locked.has(lease);
      const isFrozen = each.isLocked && silentMs >= frozenMs && unbrokenMs() >= frozenMs;
      if (!isGone && !isFrozen) continue;
      if (await rows.end(each)) {
        log.warn({ node: each.name, lease, silentMs }, 'a node has ended or is frozen: its work is taken over');
      }
    }
    for (const { node, lease, isEnded } of leases) if (isEnded) await takeOver(node, lease);
  }
}
