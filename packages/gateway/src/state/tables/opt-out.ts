/* Opt-out lists, their history, and the accounts' settings for opt-outs. */

import type { OptOutScope, WordMeaning } from '@morsel/api/values/number.ts';
import { usualHandling, type OptOutHandling } from '../../core/number/opt-out.ts';
import { flag, idOf, integer, messageId, nullable, personal, refersTo, text, word } from './column.ts';
import { by, query } from './lookup.ts';
import { shape, table, type RowOf } from './table.ts';

export const optOutTable = table('opt_out', {
  isAudited: true,
  erased: 'coded',
  key: ['account', 'receiver', 'sender'],
  indexes: { opt_out_receiver: { on: ['receiver'] } },
  fixed: {
    account: idOf('account'),
    receiver: personal('number', text),
    /** The sender that the receiver opted out of; empty for every sender. */
    sender: personal('row', text),
    since: integer,
    /** The event that added the entry to the list. */
    event: idOf('opt_out_event'),
  },
});
export type OptOutRow = RowOf<typeof optOutTable>;

/** Changes of opt-out lists. Events are never changed. */
export const optOutEventTable = table('opt_out_event', {
  erased: 'coded',
  key: ['id'],
  ids: 'traffic',
  indexes: {
    opt_out_event_account: { on: ['account', 'id'] },
    opt_out_event_receiver: { on: ['receiver', 'id'] },
  },
  fixed: {
    id: integer,
    account: idOf('account'),
    receiver: personal('number', text),
    sender: personal('row', text),
    at: integer,
    wish: word<'out' | 'in'>(),
    /** The cause: an inbound message and its word, or an operator and a reason. */
    inbound: nullable(refersTo('inbound', messageId)),
    word: nullable(personal('row', text)),
    actor: nullable(text),
    reason: nullable(personal('row', text)),
  },
});
export type OptOutEventRow = Omit<RowOf<typeof optOutEventTable>, 'change'>;
export type OptOutCause = Pick<OptOutEventRow, 'at' | 'inbound' | 'word' | 'actor' | 'reason'>;

/** The opt-out settings of accounts that differ from the defaults. */
export const optOutHandlingTable = table('opt_out_handling', {
  isAudited: true,
  key: ['account'],
  fixed: { account: idOf('account'), isOn: flag, scope: word<OptOutScope>() },
});

/** The accounts' opt-out words, in the form for comparisons. */
export const optOutWordTable = table('opt_out_word', {
  isAudited: true,
  key: ['account', 'word'],
  fixed: { account: idOf('account'), word: text, means: word<WordMeaning>() },
});

const listShape = shape({ account: integer });
/** A row if the account has an opt-out list. For an account without one, a message causes no other query. */
export const listOfAccount = query<[account: number]>()('opt_out.of-account', listShape);
export const anyList = query<[]>()('opt_out.any', listShape);
export const optOutsOf = by(optOutTable, ['account', 'receiver']);
/** A row if the list has an erased number. An erased number is found by its code, which the store's key makes. */
export const erasedOfAccount = query<[account: number]>()('opt_out.erased-of-account', listShape);
export const anyErased = query<[]>()('opt_out.any-erased', listShape);
/** In the lists of all accounts: an inbound message's account is known only when the message is made. */
export const optOutsOfPhone = by(optOutTable, ['receiver']);
/** When the lists last changed for a receiver. Its inbound messages from before that no longer change them. */
export const lastChanges = query<[receiver: string]>()(
  'opt_out_event.last-changes',
  shape({ account: integer, at: integer }),
);
export const handlingOfAccount = by(optOutHandlingTable, ['account']);
export const wordsOfAccount = by(optOutWordTable, ['account']);

/** Makes the opt-out settings of an account from their rows. */
export function handlingFrom(
  row: RowOf<typeof optOutHandlingTable> | undefined,
  words: () => readonly RowOf<typeof optOutWordTable>[],
): OptOutHandling {
  if (!row) return usualHandling;
  return { isOn: row.isOn, scope: row.scope, words: new Map(words().map(({ word: each, means }) => [each, means])) };
}
