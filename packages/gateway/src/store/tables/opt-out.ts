/* Opt-out lists, their history, and how accounts handle opt-outs. */

import type { OptOutScope, WordMeaning } from '@morsel/api/values/number.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { OptOutHandling } from '../../core/number/opt-out.ts';
import { flag, integer, messageId, nullable, text, word } from './column.ts';
import { table } from './table.ts';
import type { RowOf } from './table.ts';

export const optOutTable = table('opt_out', {
  key: ['account', 'receiver', 'sender'],
  fixed: {
    account: integer,
    receiver: text,
    /** Empty for every sender. */
    sender: text,
    since: integer,
    /** The event that put it on the list. */
    event: integer,
  },
});
export type OptOutRow = Omit<RowOf<typeof optOutTable>, 'change'>;

/** Changes of lists. Events are never changed. */
export const optOutEventTable = table('opt_out_event', {
  key: ['id'],
  fixed: {
    id: integer,
    account: integer,
    receiver: text,
    sender: text,
    at: integer,
    wish: word<'out' | 'in'>(),
    /** The cause: an inbound message and its word, or an operator and a reason. */
    inbound: nullable(messageId),
    word: nullable(text),
    actor: nullable(text),
    reason: nullable(text),
  },
});
export type OptOutEventRow = Omit<RowOf<typeof optOutEventTable>, 'change'>;
export type OptOutCause = Pick<OptOutEventRow, 'at' | 'inbound' | 'word' | 'actor' | 'reason'>;

/** Settings of accounts that differ from the usual ones. */
export const optOutHandlingTable = table('opt_out_handling', {
  key: ['account'],
  fixed: { account: integer, isOn: flag, scope: word<OptOutScope>() },
});

/** The accounts' opt-out words, in their folded form. */
export const optOutWordTable = table('opt_out_word', {
  key: ['account', 'word'],
  fixed: { account: integer, word: text, means: word<WordMeaning>() },
});

/** A change of a list, in the order in which they were decided. */
export interface OptOutStep {
  readonly event: OptOutEventRow;
  readonly row: OptOutRow;
}

/** Opt-out lists that one group has loaded and changed. Empty in nearly every group. */
export class OptOutRows {
  /** The entries of the receivers that commands name, by `receiverKey`. Other receivers have none. */
  readonly byReceiver = new Map<string, readonly OptOutRow[]>();
  readonly steps: OptOutStep[] = [];
  /** When the lists of a number changed last, by `receiverKey`: of the senders of replayed messages. */
  readonly changedAt = new Map<string, Instant>();
  /** Settings of accounts that differ from the usual ones. Groups share one map. */
  handlings: Map<number, OptOutHandling> = new Map();
  readonly handlingsChanged = new Set<number>();
}

export function receiverKey({ account, receiver }: Pick<OptOutRow, 'account' | 'receiver'>): string {
  return `${account} ${receiver}`;
}

/** The settings of each account, made of their rows. */
export function handlingsOf(
  handlings: readonly RowOf<typeof optOutHandlingTable>[],
  words: readonly RowOf<typeof optOutWordTable>[],
): Map<number, OptOutHandling> {
  const byAccount = Map.groupBy(words, ({ account }) => account);
  return new Map(
    handlings.map(({ account, isOn, scope }) => {
      const own = new Map(byAccount.get(account)?.map((each) => [each.word, each.means]));
      return [account, { isOn, scope, words: own }];
    }),
  );
}
