/* The SQL of lookups and effects about retention and erasure. */

import { dayMs } from '@morsel/api/values/time.ts';
import { ruleHitTable } from '../../state/tables/account.ts';
import { inboundTable } from '../../state/tables/inbound.ts';
import { messageTable } from '../../state/tables/message.ts';
import { unmatchedReceiptTable } from '../../state/tables/receipt.ts';
import { countRemoved } from './count-removed.ts';
import { deleteRows, emptyNumbers, emptyTexts, eraseNumber, hasNumber, hasText, writeNumbers } from './marks.ts';

const partIsOpen = 'exists (select 1 from part where part.message = message.id and part.deadline is not null)';
/** Because of its `offset`, PostgreSQL 16 and newer never read all notifications into a hash table instead. */
const notificationIsOpen = (kind: string, of: string) => `exists (select 1 from notification
    where subject = ${of}.id and notification.kind = '${kind}' and notification.state = 'waiting'
    limit 1 offset 0)`;
/** An old message is open while a part is not final, or a notification still waits for its destination. */
const old = (of: 'message' | 'inbound', tags: string, isOpen: string) =>
  `select id, account, sender, receiver, ${tags} as tags, (case when ${hasText(of)} then 1 else 0 end) as has_text,
    (case when ${isOpen} then 1 else 0 end) as is_open from ${of}`;
const oldMessage = old('message', 'tags', `${partIsOpen} or ${notificationIsOpen('receipt', 'message')}`);
const oldInbound = old('inbound', 'cast(null as text)', notificationIsOpen('inbound', 'inbound'));
const following = 'where id > ? and id < ? order by id limit ?';

/** The newest notification stays, so that its id is not given out again. */
const deleteNotifications = (kind: string) => {
  const which = `subject between ? and ? and kind = '${kind}' and id < (select max(id) from notification)`;
  return [
    `delete from notification_try where notification in (select id from notification where ${which})`,
    `delete from notification where ${which}`,
  ];
};
/** Adds up the charges or refunds of removed messages for each entry. */
const keepCharges = (sums: string) => `insert into removed_charge (entry, messages, parts, amount) ${sums}
    on conflict (entry) do update set messages = removed_charge.messages + excluded.messages,
      parts = removed_charge.parts + excluded.parts, amount = removed_charge.amount + excluded.amount`;
/** Each part has its newest CDR, and up to four CDRs that were corrected one after the other. */
const cdrsOfPart = 5;
/**
 * Deletes the CDRs of parts, the oldest first. PostgreSQL would read all CDRs for a recursive query, or if the
 * corrected ones had to be not null, because it guesses how many there are.
 */
const deleteCdrs = Array.from({ length: cdrsOfPart }, (_, depth) => {
  const joins = Array.from({ length: depth }, (__, at) => {
    const before = at === 0 ? 'part.cdr' : `cdr${at}.corrects`;
    return ` join cdr as cdr${at + 1} on cdr${at + 1}.id = ${before}`;
  });
  const id = depth === 0 ? 'part.cdr' : `cdr${depth}.corrects`;
  return `delete from cdr where id in (select ${id} from part${joins.join('')}
      where part.message between ? and ? and part.cdr is not null)`;
}).toReversed();

/** The sums of removed messages for each entry. */
const keepSums = [
  keepCharges(`select entry, count(*), sum(num_parts), -sum(total_cost) from message
      where id between ? and ? group by entry`),
  keepCharges(`select entry.id, count(*), count(*), sum(entry.amount) from part join entry on entry.id = part.refund_entry
      where part.message between ? and ? and part.refund_entry is not null group by entry.id`),
];

const partsOfRun = 'part where message between ?2 and ?3';
/** Subtracts the messages of a run from the totals. */
const countRun = [
  countRemoved('notes', { from: 'note where message between ?2 and ?3', word: 'kind' }),
  countRemoved('parts', { from: partsOfRun, word: 'state' }),
  countRemoved('messages', { from: `${partsOfRun} and number = 1`, word: 'report_event' }),
  countRemoved('charged', { from: 'message where id between ?2 and ?3', amount: 'sum(total_cost)' }),
];

/** Statements on the messages from one id to another, of which PostgreSQL then drops the tables. */
export const dropTexts = {
  /** Parts that have not ended, and notifications that wait. */
  open: `select count(*) from (select 1 from part where message between ?1 and ?2 and deadline is not null
    union all select 1 from notification where subject between ?1 and ?2 and kind = 'receipt' and state = 'waiting'
    limit 1) as open`,
  /** How many messages there are, and how many still have tags, which are removed before. */
  messages: 'select count(*), count(tags) from message where id between ?1 and ?2',
  notes: 'select count(*) from note where message between ?1 and ?2',
  counts: countRun,
  sums: [...keepSums, ...deleteNotifications('receipt')],
  /** The tables that remain have notes and CDRs that are newer than all of these messages. */
  laterNotes: 'delete from note where message between ?1 and ?2 and id >= ?3',
  laterCdrs: 'select cdr from part where message between ?1 and ?2 and cdr >= ?3',
  progress: `insert into retention (what, days, through, removed, at) values ('records', ?, ?, ?, ?)
    on conflict (what, days) do update set through = greatest(retention.through, excluded.through),
      removed = retention.removed + excluded.removed, at = excluded.at`,
};

const daysBefore = (column: string, table: string) =>
  `? - ${dayMs} * (select ${column} from account where account.id = ${table}.account)`;

export const privacyTexts = {
  'message.old': `${oldMessage} ${following}`,
  'message.old-by-id': `${oldMessage} where id = ?`,
  'inbound.old': `${oldInbound} ${following}`,
  'inbound.old-by-id': `${oldInbound} where id = ?`,
  'left_behind.after': 'where what = ? and message > ? order by message limit ?',

  'message.remove-texts': emptyTexts('message'),
  'message.write-numbers': writeNumbers(messageTable),
  'note.erase-sender': "update note set detail = 'erased' where message = ? and kind = 'sender-replaced'",
  'tagged.delete': 'delete from tagged where tag = ? and message = ?',
  'message.count-run': countRun,
  'message.remove-records': [...keepSums, ...deleteNotifications('receipt'), ...deleteCdrs, ...deleteRows('message')],
  'inbound.remove-texts': emptyTexts('inbound'),
  'inbound.write-numbers': writeNumbers(inboundTable),
  'inbound.remove-records': [...deleteNotifications('inbound'), ...deleteRows('inbound')],

  'idempotency_key.delete-of-message': `delete from idempotency_key
    where created_at = (select accepted_at from message where id = ?1) and message = ?1`,
  'unmatched_receipt.count-of-number': countRemoved('unmatched', {
    from: `unmatched_receipt where ${hasNumber(unmatchedReceiptTable, 2)}`,
  }),
  'privacy.erase-number': eraseNumber(),
  'opt_out_event.erase-number': 'update opt_out_event set receiver = ? where receiver = ?',
  'rule_hit.erase-old': emptyNumbers(
    ruleHitTable,
    `receiver <> '' and last_at < ${daysBefore('number_days', 'rule_hit')}`,
  ),
  'opt_out_event.delete-old': `delete from opt_out_event where id in (select id from opt_out_event
    where at < ${daysBefore('record_days', 'opt_out_event')} and id < (select max(id) from opt_out_event)
      and not exists (select 1 from opt_out where opt_out.account = opt_out_event.account
        and opt_out.receiver = opt_out_event.receiver and opt_out.event = opt_out_event.id)
    order by id limit ?)`,
} as const;
