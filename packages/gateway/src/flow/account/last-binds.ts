import { secondMs, type Instant } from '@morsel/api/values/time.ts';
import type { Timer } from '../../runtime/clock.ts';
import type { Tools } from '../ports.ts';

/** Binds are gathered for this long after a write, then written by one commit: a faulty client may bind very often. */
const gatherMs = secondMs;

export class LastBinds implements AsyncDisposable {
  readonly #needs;
  readonly #binds = new Map<string, Instant>();
  #timer: Timer | undefined;

  constructor(needs: Pick<Tools, 'clock' | 'journal'>) {
    this.#needs = needs;
  }

  note(user: string): void {
    this.#binds.set(user, this.#needs.clock.now());
    if (this.#timer === undefined) void this.#write();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#write();
    this.#timer?.cancel();
  }

  async #write(): Promise<void> {
    if (this.#binds.size === 0) return;
    this.#timer?.cancel();
    this.#timer = this.#needs.clock.setTimer(() => {
      this.#timer = undefined;
      void this.#write();
    }, gatherMs);
    const binds = [...this.#binds].map(([user, at]) => ({ user, at }));
    this.#binds.clear();
    await this.#needs.journal.append<'touch-logins'>({ kind: 'touch-logins', at: this.#needs.clock.now(), binds });
  }
}
