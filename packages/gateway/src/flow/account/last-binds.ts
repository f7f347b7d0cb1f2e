import { secondMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Journal } from '../../store/journal.ts';

/** Binds are rare, but for those of a client that errs: what comes within this time after one is one commit. */
const gatherMs = secondMs;

interface LastBindNeeds {
  readonly journal: Pick<Journal, 'append'>;
  readonly clock: { now(): Instant };
}

/** Writes when logins were last bound. */
export class LastBinds implements AsyncDisposable {
  readonly #needs: LastBindNeeds;
  readonly #binds = new Map<string, Instant>();
  #timer: NodeJS.Timeout | undefined;

  constructor(needs: LastBindNeeds) {
    this.#needs = needs;
  }

  note(systemId: string): void {
    this.#binds.set(systemId, this.#needs.clock.now());
    if (this.#timer === undefined) void this.#write();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#write();
    clearTimeout(this.#timer);
  }

  async #write(): Promise<void> {
    if (this.#binds.size === 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#write();
    }, gatherMs);
    const binds = [...this.#binds].map(([systemId, at]) => ({ systemId, at }));
    this.#binds.clear();
    await this.#needs.journal.append<'touch-logins'>({ kind: 'touch-logins', at: this.#needs.clock.now(), binds });
  }
}
