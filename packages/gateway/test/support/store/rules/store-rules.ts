/*
 * For tests: what must hold in a store at every commit, whatever happened to the process, as SQL that every engine
 * understands.
 */

/** Each promise with a query that returns a row for each violation. */
export const storeRules: readonly (readonly [promise: string, sql: string])[] = [
  [
    'M1: a balance is the sum of its entries',
    `select name from account where balance <> (select coalesce(sum(amount), 0) from entry where account = account.id)`,
  ],
  ['M2: no balance is below its limit', 'select name from account where balance < -credit_limit'],
  [
    'A1: no message without its charge',
    `select message.id from message left join entry on entry.id = message.entry
      where entry.id is null or entry.kind <> 'charge' or entry.account <> message.account`,
  ],
  [
    'A1: no charge without its messages, and its amount is what they cost',
    `select entry.id from entry left join
      (select entry, count(*) as messages, sum(total_cost) as cost, min(id) as first, max(id) as last,
        min(entry_place) as lowest, max(entry_place) as highest, count(distinct entry_place) as places
        from message group by entry) as charged on charged.entry = entry.id
      where entry.kind = 'charge' and (charged.entry is null or entry.amount <> -charged.cost
        or entry.messages <> charged.messages or entry.first_message <> charged.first or entry.last_message <> charged.last
        or charged.lowest <> 0 or charged.highest <> charged.messages - 1 or charged.places <> charged.messages)`,
  ],
  [
    'M3: the price of a message is that of its parts',
    'select id from message where total_cost <> unit_price * num_parts',
  ],
  [
    'A5: a message has the parts that were answered',
    `select id from message where num_parts <> (select count(*) from part where message = message.id)
      or num_parts <> (select max(number) from part where message = message.id)`,
  ],
  ['no part without its message', 'select message from part where message not in (select id from message)'],
  [
    'M3: at most one refund a part, of its price, to who paid',
    `select entry.id from entry left join part on part.refund_entry = entry.id left join message on message.id = part.message
      where entry.kind = 'refund' and (part.message is null or part.number <> entry.part
        or entry.amount <> message.unit_price or entry.account <> message.account)`,
  ],
  [
    'M3: no two parts share a refund',
    `select refund_entry from part where refund_entry is not null group by refund_entry having count(*) > 1`,
  ],
  [
    'no money back for what is in doubt or delivered',
    `select message from part where refund_entry is not null and (in_doubt > 0 or state = 'delivered')
      and message not in (select message from note where kind = 'corrected')`,
  ],
  [
    'a part is in the queue if and only if it waits',
    `select part.message from part where (state = 'queued') <> exists
      (select 1 from queue where queue.message = part.message and queue.part = part.number and queue.due = part.due and queue.eligible = part.eligible)`,
  ],
  [
    'nothing is in the queue twice, or under another account or route',
    `select queue.message from queue join message on message.id = queue.message
      where queue.route <> message.route or queue.account <> message.account or queue.priority <> message.priority
      union all select message from queue group by message, part having count(*) > 1`,
  ],
  [
    'a message stands among the scheduled ones if and only if it is one, all parts of it',
    `select id from message join part as first on first.message = id and first.number = 1
      where (report_event = 'scheduled') <> exists
        (select 1 from scheduled where scheduled.message = id and scheduled.due_at = message.due_at)
      or (report_event = 'scheduled') <> exists (select 1 from part where part.message = id and state = 'scheduled')
      union all select message from scheduled where message not in (select id from message)`,
  ],
  [
    'a message travels by one carrier: no two of them accepted parts of it, or may have',
    `select message from (select message, carrier from attempt where outcome in ('accepted', 'in_doubt')
        union all select message, tried_by from part where claim_link is not null) as taken
      group by message having count(distinct carrier) > 1`,
  ],
  [
    'S5: a carrier accepts a part once, and once more for each time it was in doubt',
    `select message from attempt group by message, part
      having count(*) filter (where outcome = 'accepted') > 1 + count(*) filter (where outcome = 'in_doubt')`,
  ],
  [
    'A3: what is not final has a deadline, what is final has none',
    `select message from part where (deadline is null) <> (state in
      ('delivered', 'undelivered', 'rejected', 'expired', 'unknown', 'canceled'))`,
  ],
  [
    'S3: a part has the attempts that it counts, one of them open while it is claimed',
    `select part.message from part where attempts <> case when claim_link is null then 0 else 1 end + (select count(*) from attempt
        where attempt.message = part.message and attempt.part = part.number)
      or (state = 'claimed') > (claim_link is not null)
      union all select message from attempt where outcome is null`,
  ],
  [
    'a doubt is kept until its part ends',
    `select part.message from part where state = 'in_doubt' and not exists
      (select 1 from doubt where doubt.message = part.message and doubt.part = part.number)
      union all select doubt.message from doubt join part on part.message = doubt.message and part.number = doubt.part
      where part.state in ('delivered', 'undelivered', 'rejected', 'expired', 'unknown', 'canceled')`,
  ],
  [
    'the newest id is under the high-water mark',
    'select max(id) from message having max(id) > (select max(last_message_id) from node)',
  ],
  [
    'ids of inbound messages are of the same kind, and no two are the same',
    `select id from inbound where id in (select id from message)
      or id > (select max(last_message_id) from node)`,
  ],
  [
    'a part from a phone waits once, and not when all are there',
    `select min(id) from inbound_part
      group by carrier, sender, receiver, concatenation_kind, concatenation_reference, concatenation_total
      having count(*) >= concatenation_total or count(distinct concatenation_number) < count(*)`,
  ],
  [
    'M1: the chain of an account has a gap',
    `select id from (select id, balance_after, sum(amount) over (partition by account order by id) as expected from entry)
      as chained where balance_after <> expected`,
  ],
  [
    'M6: the balance in the answer to a message is that after its charge',
    `select id from (select message.id, message.balance_after, entry.balance_after + coalesce(sum(total_cost) over
        (partition by entry order by entry_place desc rows between unbounded preceding and 1 preceding), 0) as expected
        from message join entry on entry.id = message.entry) as answered where balance_after <> expected`,
  ],
  [
    'an entry is before the one before it',
    `select id from (select id, created_at, lag(created_at) over (partition by account order by id) as last from entry)
      as timed where created_at < last`,
  ],
  [
    'a part has ended without a CDR, or has one before its end',
    `select message from part where (cdr is null) <> (deadline is not null)`,
  ],
  [
    'the newest CDR of a part is not of its end',
    `select part.message from part left join cdr on cdr.id = part.cdr and cdr.message = part.message and cdr.part = number
      where part.cdr is not null and (cdr.event is null or cdr.event <> state)`,
  ],
  [
    'the CDRs of a part are not its charge and refund',
    `select part.message from part join
      (select message, part, sum(case when corrects is null then case when refund_entry is null then 1 else 0 end
        else case when refund_entry is null then 0 else -1 end end) as charges
        from cdr group by message, part) as made on made.message = part.message and made.part = part.number
      where cdr is not null and case when refund_entry is null then 1 else 0 end <> charges`,
  ],
];
