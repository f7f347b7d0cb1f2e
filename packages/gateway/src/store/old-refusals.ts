/*
 * Refusals that may be old: they were decided with rows in memory, and another node may have changed them meanwhile. Their
 * commands are held until they are decided again with fresh rows. For one account that is done at most once in a while, for
 * all of its commands together, so that a flood of refusals stays cheap.
 */

import { isNewWork, type Command } from '../state/commands.ts';

/** A client waits this long for a refusal when its account got another one just before. */
const restMs = 50;

export interface HeldCommand {
  /** Held commands are counted at both ends of the thread. */
  readonly number: number;
  readonly command: Command;
}

export class OldRefusals {
  #due: HeldCommand[] = [];
  /** What waits for the next look at an account. An account rests after each look. */
  readonly #resting = new Map<number, HeldCommand[]>();
  #count = 0;
  readonly #wake: () => void;

  /** Calls `wake` when commands are due after a rest. */
  constructor(wake: () => void) {
    this.#wake = wake;
  }

  get isDue(): boolean {
    return this.#due.length > 0;
  }

  /** Holds the commands of one group. */
  hold(commands: readonly Command[]): void {
    const held = commands.map((command) => ({ number: this.#count++, command }));
    for (const [account, each] of Map.groupBy(held, ({ command }) => accountOf(command))) {
      const resting = account === undefined ? undefined : this.#resting.get(account);
      for (const one of each) (resting ?? this.#due).push(one);
      if (account !== undefined && !resting) this.#rest(account);
    }
  }

  /** Takes commands that are to be decided again now. */
  take(max: number): readonly HeldCommand[] {
    return this.#due.splice(0, max);
  }

  /** Gives up new work. Returns the numbers of its commands. */
  refuseNewWork(): readonly number[] {
    const all = [...this.#due, ...[...this.#resting.values()].flatMap((each) => each.splice(0))];
    this.#due = all.filter(({ command }) => !isNewWork(command));
    return all.flatMap(({ number, command }) => (isNewWork(command) ? number : []));
  }

  #rest(account: number): void {
    const waiting: HeldCommand[] = [];
    this.#resting.set(account, waiting);
    setTimeout(() => {
      this.#resting.delete(account);
      if (waiting.length === 0) return;
      for (const each of waiting) this.#due.push(each);
      this.#rest(account);
      this.#wake();
    }, restMs);
  }
}

/** Only clients make floods of commands. */
function accountOf(command: Command): number | undefined {
  return isNewWork(command) && 'account' in command && typeof command.account === 'number'
    ? command.account
    : undefined;
}
