import type { NotificationRow } from '../../tables/notification.ts';
import type { Rows } from '../../tables/rows.ts';

/** Rows kept: what is told at full speed within a second or two. */
const notificationsMax = 20_000;

/**
 * The rows of notifications that wait, so that what came of a try need not read back what was just written. There is one writing
 * connection, so what is kept here is what the database holds.
 */
export class NotificationCache {
  readonly #waiting = new Map<number, NotificationRow>();

  get(id: number): NotificationRow | undefined {
    const row = this.#waiting.get(id);
    if (row) row.change = 'none';
    return row;
  }

  /** After a commit: keeps what goes on waiting, forgets what has ended. */
  committed({ notifications: { byId } }: Rows): void {
    if (byId.size === 0) return;
    for (const row of byId.values()) {
      if (row.state === 'waiting') this.#waiting.set(row.id, row);
      else this.#waiting.delete(row.id);
    }
    for (const id of this.#waiting.keys()) {
      if (this.#waiting.size <= notificationsMax) break;
      this.#waiting.delete(id);
    }
  }

  rolledBack(): void {
    this.#waiting.clear();
  }
}
