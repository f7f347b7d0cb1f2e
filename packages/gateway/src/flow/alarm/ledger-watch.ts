/* Checks the whole ledger day after day, in chunks. Faults open the alarm `ledger-wrong`. One node does it. */

import { checkStart } from '@morsel/api/values/money.ts';
import { dayMs, hourMs, minuteMs } from '@morsel/api/values/time.ts';
import type { LedgerVerdict } from '../../core/alarm/figures.ts';
import { Loop } from '../../runtime/loop.ts';
import type { Tools } from '../ports.ts';

/** The first check waits, so that a gateway that restarts all the time does not spend its time with checks. */
const firstMs = 10 * minuteMs;
const everyMs = dayMs;
/** The next check after a fault comes sooner, so that the alarm closes soon after the repair. */
const wrongEveryMs = hourMs;
/** After each chunk the check rests for this multiple of the chunk's duration. So it takes a twentieth of one core. */
const restShare = 19;

const nothing = { after: checkStart, looked: 0, faults: 0, first: undefined } as const;

interface Pass {
  readonly after: string;
  readonly looked: number;
  readonly faults: number;
  readonly first: LedgerVerdict['first'];
}

export class LedgerWatch implements AsyncDisposable {
  readonly #needs;
  readonly #loop: Loop;
  #pass: Pass = nothing;
  #verdict: LedgerVerdict | undefined;

  constructor(needs: Pick<Tools, 'log' | 'clock' | 'prices'>) {
    this.#needs = needs;
    this.#loop = new Loop({ ...needs, name: 'check the ledger', everyMs: firstMs, turn: () => this.#turn() });
  }

  /** Undefined before the first whole check of this process. */
  get verdict(): LedgerVerdict | undefined {
    return this.#verdict;
  }

  /** Checks one chunk of the ledger. Returns when the next chunk may follow. */
  async #turn(): Promise<number> {
    const { clock, prices, log } = this.#needs;
    const beganMs = clock.monotonicMs();
    const { after, looked, faults, first } = this.#pass;
    const chunk = await prices.ask('ledgerCheck', { after });
    if (!chunk.ok || !chunk.value) return minuteMs;
    const [fault] = chunk.value.faults;
    const known = {
      looked: looked + chunk.value.looked,
      faults: faults + chunk.value.faults.length,
      first: first ?? (fault && { account: fault.account, fault: fault.fault }),
    };
    if (chunk.value.next !== null) {
      this.#pass = { ...known, after: chunk.value.next };
      return Math.max(1, (clock.monotonicMs() - beganMs) * restShare);
    }
    this.#pass = nothing;
    this.#verdict = { at: clock.now(), faults: known.faults, first: known.first };
    if (known.faults === 0) log.info({ looked: known.looked }, 'the daily ledger check found no fault');
    else log.error({ faults: known.faults }, 'the daily ledger check found faults; see morsel ledger check');
    return known.faults === 0 ? everyMs : wrongEveryMs;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop.stop();
  }
}
