export interface AnswerOrderOptions {
  readonly answerDelayMs: number;
  readonly answers: 'in_order' | 'reversed';
}

/**
 * How long to collect answers before sending them in reverse order. If answerDelayMs is longer, answers are collected
 * for answerDelayMs.
 */
const gatherMs = 20;

/** Sends answers late or out of order, depending on the options. */
export class AnswerOrder {
  readonly #options: AnswerOrderOptions;
  readonly #timers = new Set<NodeJS.Timeout>();
  #gathered: (() => void)[] = [];

  constructor(options: AnswerOrderOptions) {
    this.#options = options;
  }

  /** Calls `go`, which sends the answer, when the answer is due. `delayMs` overrides the options. */
  put(go: () => void, delayMs: number | undefined): void {
    const { answerDelayMs, answers } = this.#options;
    if (delayMs !== undefined) this.#later(go, delayMs);
    else if (answers === 'reversed') this.#gather(go);
    else if (answerDelayMs > 0) this.#later(go, answerDelayMs);
    else go();
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #gather(go: () => void): void {
    this.#gathered.push(go);
    if (this.#gathered.length > 1) return;
    this.#later(
      () => {
        const gathered = this.#gathered.toReversed();
        this.#gathered = [];
        for (const each of gathered) each();
      },
      Math.max(gatherMs, this.#options.answerDelayMs),
    );
  }

  #later(go: () => void, delayMs: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      go();
    }, delayMs);
    this.#timers.add(timer);
  }
}
