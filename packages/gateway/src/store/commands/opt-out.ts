import type { OptOutScope, WordMeaning } from '@morsel/api/values/number.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/* Commands of the operator about opt-out lists. Inbound messages (STOP, START) change the lists, too. */

/** Adds numbers to an account's list. Entries that exist stay as they are. */
export interface AddOptOuts {
  readonly kind: 'add-opt-outs';
  readonly at: Instant;
  readonly account: number;
  readonly list: readonly OptOutWanted[];
  readonly actor: string;
}

export interface OptOutWanted {
  readonly receiver: string;
  /** Empty for every sender. */
  readonly sender: string;
  readonly reason: string;
}

/** Removes a number from an account's list: for one sender, or for all. */
export interface RemoveOptOut {
  readonly kind: 'remove-opt-out';
  readonly at: Instant;
  readonly account: number;
  readonly receiver: string;
  readonly sender: string | null;
  readonly reason: string;
  readonly actor: string;
}

/** Sets whether opt-out words change an account's list, and for which senders; null keeps a setting. */
export interface SetOptOutHandling {
  readonly kind: 'set-opt-out-handling';
  readonly account: number;
  readonly isOn: boolean | null;
  readonly scope: OptOutScope | null;
}

/** Gives an account an opt-out word of its own, or removes it (null). */
export interface SetOptOutWord {
  readonly kind: 'set-opt-out-word';
  readonly account: number;
  /** Folded. */
  readonly word: string;
  readonly means: WordMeaning | null;
}

export type OptOutCommand = AddOptOuts | RemoveOptOut | SetOptOutHandling | SetOptOutWord;

export interface OptOutResults {
  /** Entries that are new. */
  'add-opt-outs': { readonly added: number };
  'remove-opt-out': { readonly removed: number };
  'set-opt-out-handling': null;
  'set-opt-out-word': null;
}
