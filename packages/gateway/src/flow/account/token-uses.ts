import { minuteMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Clock } from '../../runtime/clock.ts';
import { Loop } from '../../runtime/loop.ts';
import type { Journal } from '../../store/journal.ts';

interface TokenUsesNeeds {
  readonly journal: Pick<Journal, 'append'>;
  readonly clock: Clock;
  readonly log: { error(fields: object, message: string): void };
}

/** Writes when tokens were last used: once a minute, because a message does not wait for it. */
export class TokenUses {
  readonly #needs: TokenUsesNeeds;
  readonly #loop: Loop;
  readonly #uses = new Map<string, Instant>();

  constructor(needs: TokenUsesNeeds) {
    const { clock, log } = needs;
    this.#needs = needs;
    this.#loop = new Loop({ clock, log, name: 'write token uses', everyMs: minuteMs, turn: () => this.#write() });
  }

  note(id: string, at: Instant): void {
    this.#uses.set(id, at);
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#write();
  }

  async #write(): Promise<void> {
    if (this.#uses.size === 0) return;
    const uses = [...this.#uses].map(([id, at]) => ({ id, at }));
    this.#uses.clear();
    const { journal, clock } = this.#needs;
    await journal.append<'touch-tokens'>({ kind: 'touch-tokens', at: clock.now(), uses });
  }
}
