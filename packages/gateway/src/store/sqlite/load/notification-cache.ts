import type { NotificationRow } from '../../tables/notification.ts';
import type { Rows } from '../../tables/rows.ts';

/** Rows kept: those that full speed delivers within a second or two. */
const notificationsMax = 20_000;

/**
 * Rows of waiting notifications, so that the result of an attempt need not read them back. With one writing connection,
 * the memory equals the database.
 */
export class NotificationCache {
  readonly #waiting = new Map<number, NotificationRow>();

  readonly #isKeeping: boolean;

  constructor(isKeeping: boolean) {
    this.#isKeeping = isKeeping;
  }

  get(id: number): NotificationRow | undefined {
    const row = this.#waiting.get(id);
    if (row) row.change = 'none';
    return row;
  }

  /** After a commit: keeps waiting notifications, drops ended ones. */
  committed({ notifications: { byId } }: Rows): void {
    if (byId.size === 0 || !this.#isKeeping) return;
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
