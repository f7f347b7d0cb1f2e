/* The SQL of lookups and effects about messages, their parts, and receipts. */

import { nodeCount, sequenceCount } from '../../core/base/message-id.ts';
import { doubtsMax } from '../../state/decide/message/receipt-rows.ts';
import { lookedBackMax } from '../../state/decide/message/unmatched.ts';
import { operatorRequestTable } from '../../state/tables/access.ts';
import { joinedTable, repeatTable } from '../../state/tables/inbound.ts';
import { referenceTable, sameIdMax } from '../../state/tables/message.ts';
import type { Table } from '../../state/tables/table.ts';
import { countRemoved } from './count-removed.ts';

/** The limit of the query: more parts in flight than all links of all carriers can have. */
const orphansMax = 100_000;
/** The most parts in flight to one receiver that are compared. Above it, a carrier id with two readings waits. */
const inFlightMax = 16;
/** The most parts of a message (3GPP TS 23.040, 9.2.3.24.1). A receipt retries as many unmatched receipts. */
const partsMax = 255;
/**
 * The most inbound messages that a killed process left unanswered: more than a process can receive in the second
 * between two records of its answers.
 */
const unansweredMax = 100_000;

const between = 'carrier = ? and (receiver, sender) in (values (?, ?), (?, ?))';
const ofPlace = `where carrier = ? and sender = ? and receiver = ?
  and concatenation_kind = ? and concatenation_reference = ? and concatenation_total = ?`;
const unansweredIn = (id: string) =>
  `${id} >= (select inbound_answered from node where node.id = ?1) and ${id} / ${sequenceCount} % ${nodeCount} = ?1`;
const oldReceipts = (max: string, before: string) =>
  `unmatched_receipt where id in (select id from unmatched_receipt order by id limit ${max}) and received_at < ${before}`;
const oldestReceipt = (carrier: string) => {
  const oldest = ['unknown', 'unreadable'].map(
    (why) => `(select id from unmatched_receipt where carrier = ${carrier} and why = '${why}' order by id limit 1)`,
  );
  return `unmatched_receipt where id = coalesce(${oldest.join(', ')})`;
};
const oldIn = ({ name, key }: Pick<Table<unknown>, 'name' | 'key'>, order: string) => {
  const columns = key.names.join(', ');
  return `delete from ${name} where (${columns}) in
    (select ${columns} from ${name} where ${order} < ? order by ${order} limit ?)`;
};

export const messageTexts = {
  'part.of-message': 'where message = ? order by number',
  'part.overdue': 'select message, number, state from part where deadline <= ? order by deadline limit ?',
  // The index of claimed parts finds these few parts.
  'part.orphans': `select message, number from part where claim_link is not null and claim_lease % ${nodeCount} = ?
    limit ${orphansMax}`,
  'part.in-flight': `select part.message, part.number as part, part.attempts as number, part.claim_at as claimed_at from part
    join message on message.id = part.message
    where part.tried_by = ? and part.claim_link is not null and message.receiver in (?, ?)
    order by part.message, part.number limit ${inFlightMax}`,
  'message.accepted-after': 'select id, accepted_at, due_at from message where id > ? order by id limit ?',
  'attempt.whole': `where message = ? and claimed_at = ? and is_whole = 1 limit ${partsMax}`,
  'attempt.of-id': `where carrier = ? and carrier_id_key = ?
    order by message desc, part desc, number desc limit ${sameIdMax}`,
  'scheduled.delete': 'delete from scheduled where due_at = ? and message = ?',
  'doubt.any': 'select exists (select 1 from doubt where carrier = ?) as may',
  'doubt.between': `where ${between} order by message, part, attempt limit ${doubtsMax + 1}`,
  'doubt.numbers': 'select distinct carrier, sender, receiver from doubt where message = ? and part = ?',
  'doubt.delete': 'delete from doubt where message = ? and part = ?',

  'unmatched_receipt.of-id': 'where carrier = ? and carrier_id_key = ? order by id',
  'unmatched_receipt.any': 'select exists (select 1 from unmatched_receipt where carrier = ?) as has',
  'unmatched_receipt.count': 'select count(*) as receipts from unmatched_receipt where carrier = ?',
  'unmatched_receipt.between': `where ${between} and why = 'unknown' order by id desc limit ${partsMax}`,
  'unmatched_receipt.first-of-newest': `select id from unmatched_receipt where carrier = ? and why = 'unknown'
    order by id desc limit 1 offset ${lookedBackMax - 1}`,
  'unmatched_receipt.unknown-from': "where carrier = ? and why = 'unknown' and id >= ? order by id limit ?",
  'unmatched_receipt.new-unknown': "where why = 'unknown' and id > ? order by id limit ?",
  'unmatched_receipt.count-oldest': countRemoved('unmatched', { from: oldestReceipt('?2') }),
  'unmatched_receipt.delete-oldest': `delete from ${oldestReceipt('?1')}`,
  'unmatched_receipt.count-old': countRemoved('unmatched', { from: oldReceipts('?2', '?3') }),
  'unmatched_receipt.delete-old': `delete from ${oldReceipts('?1', '?2')}`,

  'inbound.unanswered': `where ${unansweredIn('id')} and id <= (select last_message_id from node where node.id = ?1)
    and num_parts = 1 order by id limit ${unansweredMax}`,
  'inbound_part.together': `${ofPlace} order by id`,
  'inbound_part.overdue': 'where received_at <= ? or received_at > ? order by received_at limit ?',
  'inbound_joined.together': ofPlace,
  'inbound_repeat.between': 'where carrier = ? and sender = ? and receiver = ? and taken_by is null order by id',
  'inbound_repeat.newest': 'select max(expected_at) as expected_at from inbound_repeat',
  'inbound_repeat.taken-unanswered': `where ${unansweredIn('taken_by')}`,

  'idempotency_key.old': 'where created_at < ? order by created_at limit ?',
  'sweep.delete-old': [
    oldIn(referenceTable, 'used_at'),
    oldIn(operatorRequestTable, 'created_at'),
    oldIn(joinedTable, 'joined_at'),
    oldIn(repeatTable, 'expected_at'),
  ],
} as const;
