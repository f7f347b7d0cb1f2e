import type { OptOutScope, WordMeaning } from '../../core/number/opt-out.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/* What the operator changes of opt-out lists; phones change them by what they send (`inbound`). */

/** Put phones on an account's list: those that are there already stay as they are. */
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

/** Take a phone from an account's list: of one sender, or all that is there of it. */
export interface RemoveOptOut {
  readonly kind: 'remove-opt-out';
  readonly at: Instant;
  readonly account: number;
  readonly receiver: string;
  readonly sender: string | null;
  readonly reason: string;
  readonly actor: string;
}

/** Say whether words of phones change an account's list, and for which senders they count; null leaves it as it is. */
export interface SetOptOutHandling {
  readonly kind: 'set-opt-out-handling';
  readonly account: number;
  readonly isOn: boolean | null;
  readonly scope: OptOutScope | null;
}

/** Give an account a word of its own, or take it back (null). */
export interface SetOptOutWord {
  readonly kind: 'set-opt-out-word';
  readonly account: number;
  /** Folded. */
  readonly word: string;
  readonly means: WordMeaning | null;
}

export type OptOutCommand = AddOptOuts | RemoveOptOut | SetOptOutHandling | SetOptOutWord;

export interface OptOutResults {
  /** Those that were not on the list before. */
  'add-opt-outs': { readonly added: number };
  'remove-opt-out': { readonly removed: number };
  'set-opt-out-handling': null;
  'set-opt-out-word': null;
}
