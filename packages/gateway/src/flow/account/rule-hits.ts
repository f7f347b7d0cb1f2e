/* Counts how often each rule of an account was broken, and writes the counts now and then. */

import type { Account } from '../../core/account/account.ts';
import type { RuleMode, RuleName } from '@morsel/api/values/account.ts';
import { minuteMs } from '@morsel/api/values/time.ts';
import type { Clock } from '../../runtime/clock.ts';
import { Loop } from '../../runtime/loop.ts';
import type { Journal } from '../../store/journal.ts';
import type { RuleHits } from '../../store/commands/rule.ts';

interface RuleHitNeeds {
  readonly journal: Pick<Journal, 'append'>;
  readonly clock: Clock;
  readonly log: { error(fields: object, message: string): void };
  /** What else is to be done each time. */
  readonly sweep: () => void;
}

const writeEveryMs = minuteMs;

/**
 * Counts broken rules in memory and writes them down once a minute: a flood of refused messages costs the disk nothing. There
 * is one count an account and rule, so their number has its limit. A process that is killed forgets its last minute.
 */
export class RuleHitCounts {
  readonly #needs: RuleHitNeeds;
  readonly #loop: Loop;
  #counts = new Map<string, RuleHits>();

  constructor(needs: RuleHitNeeds) {
    this.#needs = needs;
    const { clock, log } = needs;
    const turn = () => {
      needs.sweep();
      return this.write();
    };
    this.#loop = new Loop({ clock, log, name: 'write rule hits', everyMs: writeEveryMs, turn });
  }

  /** One message; nothing of its text is kept. */
  count(
    account: Account,
    rule: RuleName,
    { mode, message }: { mode: RuleMode; message: { readonly sender: string; readonly receiver: string } },
  ): void {
    const at = this.#needs.clock.now();
    const isRefused = mode === 'refuse';
    const { sender, receiver } = message;
    this.#add({
      account: account.id,
      rule,
      sender,
      receiver,
      firstAt: at,
      lastAt: at,
      watched: isRefused ? 0 : 1,
      refused: isRefused ? 1 : 0,
    });
  }

  /** Writes what was counted since; it is counted on if it cannot be written. */
  async write(): Promise<void> {
    if (this.#counts.size === 0) return;
    const hits = [...this.#counts.values()];
    this.#counts = new Map();
    const at = this.#needs.clock.now();
    const written = await this.#needs.journal.append<'count-rule-hits'>({ kind: 'count-rule-hits', at, hits });
    if (!written.ok) for (const hit of hits) this.#add(hit);
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.write();
  }

  #add(hit: RuleHits): void {
    const key = `${hit.account} ${hit.rule}`;
    const known = this.#counts.get(key);
    this.#counts.set(key, known ? joined(known, hit) : hit);
  }
}

function joined(a: RuleHits, b: RuleHits): RuleHits {
  const last = b.lastAt >= a.lastAt ? b : a;
  return {
    ...last,
    watched: a.watched + b.watched,
    refused: a.refused + b.refused,
    firstAt: Math.min(a.firstAt, b.firstAt),
  };
}
