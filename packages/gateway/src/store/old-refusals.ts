/*
 * Refusals that may be old: the commands were decided with rows in memory, and another node may have changed these rows
 * meanwhile. The commands are held until they are decided again with fresh rows. An account's held commands are decided
 * again together, at most once in `restMs`, so that a flood of refusals stays cheap.
 */

import { isNewWork, type Command } from '../state/commands.ts';

/** The most time that a client waits for a refusal if its account has just got another one. */
const restMs = 50;

/** Calls a function after some milliseconds. */
export type SetTimer = (call: () => void, afterMs: number) => unknown;

export interface HeldCommand {
  /** The number of a held command. The journal and the writing thread count held commands in the same way. */
  readonly number: number;
  readonly command: Command;
}

export class OldRefusals {
  #due: HeldCommand[] = [];
  /** Commands of accounts that rest, by account. An account rests after its commands were decided again. */
  readonly #resting = new Map<number, HeldCommand[]>();
  #count = 0;
  readonly #wake: () => void;
  readonly #setTimer: SetTimer;

  /** `wake` is called when commands become due after a rest. */
  constructor(wake: () => void, setTimer: SetTimer = setTimeout) {
    this.#wake = wake;
    this.#setTimer = setTimer;
  }

  get isDue(): boolean {
    return this.#due.length > 0;
  }

  /** Holds refused commands of one group. */
  hold(commands: readonly Command[]): void {
    const held = commands.map((command) => ({ number: this.#count++, command }));
    for (const [account, each] of Map.groupBy(held, ({ command }) => accountOf(command))) {
      const resting = account === undefined ? undefined : this.#resting.get(account);
      for (const one of each) (resting ?? this.#due).push(one);
      if (account !== undefined && !resting) this.#rest(account);
    }
  }

  /** Takes commands that must be decided again now. */
  take(max: number): readonly HeldCommand[] {
    return this.#due.splice(0, max);
  }

  /** Gives up the new work among held commands. Returns the numbers of these commands. */
  refuseNewWork(): readonly number[] {
    const all = [...this.#due, ...[...this.#resting.values()].flatMap((each) => each.splice(0))];
    this.#due = all.filter(({ command }) => !isNewWork(command));
    return all.flatMap(({ number, command }) => (isNewWork(command) ? number : []));
  }

  #rest(account: number): void {
    const waiting: HeldCommand[] = [];
    this.#resting.set(account, waiting);
    this.#setTimer(() => {
      this.#resting.delete(account);
      if (waiting.length === 0) return;
      for (const each of waiting) this.#due.push(each);
      this.#rest(account);
      this.#wake();
    }, restMs);
  }
}

/** The account that rests. Only new work has one, because only clients cause floods of commands. */
function accountOf(command: Command): number | undefined {
  return isNewWork(command) && 'account' in command && typeof command.account === 'number'
    ? command.account
    : undefined;
}
