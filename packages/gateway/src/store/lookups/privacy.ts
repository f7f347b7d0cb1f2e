/* The SQL of lookups and effects about retention and erasure. */

import { dayMs } from '@morsel/api/values/time.ts';
import { countRemoved } from './count-removed.ts';

const hasContent = '(case when content is null then 0 else 1 end) as has_text';
/** A part is not final, or a receipt still waits for its destination. */
const messageIsOpen = `(case when exists (select 1 from part where part.message = message.id and part.deadline is not null)
    or exists (select 1 from notification where subject = message.id and notification.kind = 'receipt' and notification.state = 'waiting')
  then 1 else 0 end) as is_open`;
const oldMessage = `select id, account, sender, receiver, entry, num_parts, total_cost, tags, ${hasContent}, ${messageIsOpen} from message`;
const inboundIsOpen = `(case when exists (select 1 from notification where subject = inbound.id and notification.kind = 'inbound'
    and notification.state = 'waiting') then 1 else 0 end) as is_open`;
const oldInbound = `select id, account, sender, receiver, ${hasContent}, ${inboundIsOpen} from inbound`;
const following = 'where id > ? and id < ? order by id limit ?';

const ofRun = (table: string, first = '?', last = '?') => `${table} where message between ${first} and ${last}`;
const ofNumber = (at: number) => {
  const forms = [at, at + 1, at + 2].map((each) => `?${each}`).join(', ');
  return `receiver in (${forms}) or sender in (${forms})`;
};
const receiptsOf = (at: number) => `unmatched_receipt where ${ofNumber(at)} or or_inbound like ?${at + 3}`;
const daysBefore = (column: string, table: string) =>
  `? - ${dayMs} * (select ${column} from account where account.id = ${table}.account)`;

export const privacyTexts = {
  'message.old': `${oldMessage} ${following}`,
  'message.old-by-id': `${oldMessage} where id = ?`,
  'inbound.old': `${oldInbound} ${following}`,
  'inbound.old-by-id': `${oldInbound} where id = ?`,
  'left_behind.after': 'where what = ? and message > ? order by message limit ?',
  'part.cdrs': 'select message, cdr from part where message between ? and ? and cdr is not null',
  'cdr.corrects': 'select corrects from cdr where id = ?',
  'entry.refunds': `select entry.id as entry, part.message, entry.amount from part join entry on entry.id = part.refund_entry
    where part.message between ? and ?`,

  'message.erase-texts': [
    'update message set content = null, tlvs = null where id between ? and ?',
    'update part set text_end = null where message between ? and ? and text_end is not null',
  ],
  'message.erase-numbers':
    'update message set receiver = ?, sender = ?, client_ref = null, tags = null, address = null where id = ?',
  'note.erase-sender': "update note set detail = 'erased' where message = ? and kind = 'sender-replaced'",
  'tagged.delete': 'delete from tagged where tag = ? and message = ?',
  'cdr.delete': 'delete from cdr where id = ?',
  'message.count-run': [
    countRemoved('notes', { from: ofRun('note', '?2', '?3'), word: 'kind' }),
    countRemoved('parts', { from: ofRun('part', '?2', '?3'), word: 'state' }),
    countRemoved('messages', { from: `${ofRun('part', '?2', '?3')} and number = 1`, word: 'report_event' }),
    countRemoved('charged', { from: 'message where id between ?2 and ?3', amount: 'sum(total_cost)' }),
  ],
  'message.delete-run': [
    ...['note', 'attempt', 'part'].map((table) => `delete from ${ofRun(table)}`),
    'delete from message where id between ? and ?',
  ],
  'inbound.delete-run': 'delete from inbound where id between ? and ?',
  'inbound.erase-texts': 'update inbound set content = null where id between ? and ?',
  'inbound.erase-number': 'update inbound set sender = ? where id = ?',

  'idempotency_key.delete-of-message': `delete from idempotency_key
    where created_at = (select accepted_at from message where id = ?1) and message = ?1`,
  'privacy.erase-brief-rows': [
    ...['reference', 'inbound_part', 'inbound_joined', 'inbound_repeat'].map(
      (table) => `delete from ${table} where ${ofNumber(1)}`,
    ),
    `update rule_hit set receiver = '', sender = '' where ${ofNumber(1)}`,
  ],
  'unmatched_receipt.count-of-number': countRemoved('unmatched', { from: receiptsOf(2) }),
  'unmatched_receipt.delete-of-number': `delete from ${receiptsOf(1)}`,
  'opt_out_event.erase-number': 'update opt_out_event set receiver = ? where receiver = ?',
  'rule_hit.erase-old': `update rule_hit set sender = '', receiver = ''
    where receiver <> '' and last_at < ${daysBefore('number_days', 'rule_hit')}`,
  'opt_out_event.delete-old': `delete from opt_out_event where id in (select id from opt_out_event
    where at < ${daysBefore('record_days', 'opt_out_event')} and id < (select max(id) from opt_out_event)
      and not exists (select 1 from opt_out where opt_out.account = opt_out_event.account
        and opt_out.receiver = opt_out_event.receiver and opt_out.event = opt_out_event.id)
    order by id limit ?)`,
} as const;
