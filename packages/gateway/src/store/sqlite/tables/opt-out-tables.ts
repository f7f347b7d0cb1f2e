import { optOutScopes, wordMeanings } from '@morsel/api/values/number.ts';
import type { WordMeaning } from '@morsel/api/values/number.ts';
import { usualHandling } from '../../../core/number/opt-out.ts';
import type { OptOutHandling } from '../../../core/number/opt-out.ts';
import type { OptOutEventRow, OptOutRow, OptOutRows } from '../../tables/opt-out.ts';
import { integer, text } from '../columns.ts';
import type { Record } from '../columns.ts';
import type { Statements } from '../statements.ts';

/** Writes the changes of opt-out lists: each event is kept, and the list is their result. */
export function writeOptOuts(rows: OptOutRows, statements: Statements): void {
  for (const { event, row } of rows.steps) {
    writeEvent(event, statements);
    const { account, receiver, sender, since } = row;
    if (event.wish === 'out') {
      // The entry may exist without being loaded, if the message looked like a receipt: no list is loaded for receipts.
      statements.run(
        'insert or ignore into opt_out values (?, ?, ?, ?, ?)',
        account,
        receiver,
        sender,
        since,
        row.event,
      );
    } else {
      statements.run(
        'delete from opt_out where account = ? and receiver = ? and sender = ?',
        account,
        receiver,
        sender,
      );
    }
  }
  for (const account of rows.handlingsChanged) writeHandling(account, rows.handlings.get(account), statements);
}

/** Opt-out settings of accounts that differ from the usual ones. */
export function readHandlings(statements: Statements): Map<number, OptOutHandling> {
  const handlings = new Map<number, OptOutHandling>();
  for (const row of statements.all('select * from opt_out_handling')) {
    handlings.set(integer(row, 'account'), {
      isOn: integer(row, 'is_on') === 1,
      scope: optOutScopes.find((scope) => scope === row['scope']) ?? usualHandling.scope,
      words: readWords(integer(row, 'account'), statements),
    });
  }
  return handlings;
}

export function optOutFrom(row: Record): OptOutRow {
  return {
    account: integer(row, 'account'),
    receiver: text(row, 'receiver'),
    sender: text(row, 'sender'),
    since: integer(row, 'since'),
    event: integer(row, 'event'),
  };
}

function readWords(account: number, statements: Statements): ReadonlyMap<string, WordMeaning> {
  const found = statements.all('select word, means from opt_out_word where account = ?', account);
  return new Map(
    found.map((row) => [text(row, 'word'), wordMeanings.find((means) => means === row['means']) ?? 'nothing']),
  );
}

function writeEvent(row: OptOutEventRow, statements: Statements): void {
  statements.run(
    'insert into opt_out_event values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    row.id,
    row.account,
    row.receiver,
    row.sender,
    row.at,
    row.wish,
    row.inbound,
    row.word,
    row.actor,
    row.reason,
  );
}

function writeHandling(account: number, handling: OptOutHandling | undefined, statements: Statements): void {
  if (!handling) return;
  const { isOn, scope, words } = handling;
  statements.run('insert or replace into opt_out_handling values (?, ?, ?)', account, isOn ? 1 : 0, scope);
  statements.run('delete from opt_out_word where account = ?', account);
  for (const [word, means] of words) statements.run('insert into opt_out_word values (?, ?, ?)', account, word, means);
}
