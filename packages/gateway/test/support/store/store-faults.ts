import { combineParts, isFinal, partStates, type PartState } from '../../../src/core/base/message.ts';
import type { StoreFile } from './store-file.ts';

/*
 * What must hold in a store at every commit, whatever happened to the process. This file reads the database
 * file directly, and describes each fault in a sentence.
 */

/** The promises, each with a query that returns a row for each violation. */
const promises: readonly (readonly [promise: string, sql: string])[] = [
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
    'A3: what is not final has a deadline, what is final has none',
    `select message from part where (deadline is null) <> (state in
      ('delivered', 'undelivered', 'rejected', 'expired', 'unknown', 'canceled'))`,
  ],
  [
    'S3: a part has the attempts that it counts, one of them open while it is claimed',
    `select part.message from part where attempts <> (claim_link is not null) + (select count(*) from attempt
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
    'a receipt does not stay unmatched once its answer is known',
    `select unmatched_receipt.id from unmatched_receipt join attempt on attempt.carrier = unmatched_receipt.carrier
      and attempt.carrier_id_key = unmatched_receipt.carrier_id_key
      where unmatched_receipt.carrier_state is not null and attempt.outcome = 'accepted'`,
  ],
  [
    'the newest id is under the high-water mark',
    'select max(id) from message having max(id) > (select last_message_id from node)',
  ],
  [
    'ids of inbound messages are of the same kind, and no two are the same',
    `select id from inbound where id in (select id from message)
      or id > (select last_message_id from node)`,
  ],
  [
    'O3: an inbound message is complete if and only if it has its parts, and it says something',
    // An inbound message of an erased number has no text any more, so its text is not checked.
    `select id from inbound where complete <> (parts_received = num_parts) or sender not like '~%'
      and (text_in('inbound', account, id, content) is null) <> (dcs = 'BIN')`,
  ],
  [
    'a part from a phone waits once, and not when all are there',
    `select min(id) from inbound_part
      group by carrier, sender, receiver, concatenation_kind, concatenation_reference, concatenation_total
      having count(*) >= concatenation_total or count(distinct concatenation_number) < count(*)`,
  ],
  ["SQLite's own check", `select integrity_check from pragma_integrity_check where integrity_check <> 'ok'`],
];

const shownMax = 5;

/** Returns a sentence for each broken promise. */
export function storeFaults(store: StoreFile): string[] {
  const faults: string[] = [];
  for (const [promise, sql] of promises) {
    const broken = store.texts(sql);
    if (broken.length > 0)
      faults.push(`${promise}: ${broken.length} times not so, such as ${broken.slice(0, shownMax).join(', ')}`);
  }
  return [...faults, ...eventFaults(store), ...balanceFaults(store)];
}

/** A message's event follows from its parts' states, or was reached earlier: events only move forward (A4). */
function eventFaults(store: StoreFile): string[] {
  const states = new Map<string, PartState[]>();
  for (const row of store.rows('select message, state from part order by message, number')) {
    const message = row.micros('message').toString();
    const known = states.get(message) ?? [];
    known.push(partState(row.text('state')));
    states.set(message, known);
  }
  const faults: string[] = [];
  for (const row of store.rows('select message as id, report_event as event from part where number = 1')) {
    const id = row.micros('id').toString();
    const parts = states.get(id) ?? [];
    const expected = combineParts(parts);
    if (parts.every(isFinal) && expected !== row.text('event')) {
      faults.push(`message ${id} is ${row.text('event')} and its parts make ${expected}`);
    }
  }
  return faults.slice(0, shownMax);
}

/** M6: adds up the entries in order. Each balance that was answered to a client must equal the sum at its message. */
function balanceFaults(store: StoreFile): string[] {
  const charged = new Map<number, { id: bigint; cost: bigint; after: bigint }[]>();
  for (const row of store.rows(
    'select id, entry, total_cost, balance_after from message order by entry, entry_place',
  )) {
    const entry = charged.get(row.integer('entry')) ?? [];
    entry.push({ id: row.micros('id'), cost: row.micros('total_cost'), after: row.micros('balance_after') });
    charged.set(row.integer('entry'), entry);
  }
  const faults: string[] = [];
  const balances = new Map<number, bigint>();
  for (const row of store.rows('select id, account, amount, balance_after from entry order by id')) {
    const account = row.integer('account');
    const before = balances.get(account) ?? 0n;
    let balance = before;
    for (const { id, cost, after } of charged.get(row.integer('id')) ?? []) {
      balance -= cost;
      if (balance !== after) faults.push(`M6: message ${id} has the balance ${after} after it, and it was ${balance}`);
    }
    const after = before + row.micros('amount');
    if (after !== row.micros('balance_after')) {
      faults.push(`M1: entry ${row.integer('id')} has the balance ${row.micros('balance_after')}, and it was ${after}`);
    }
    balances.set(account, after);
  }
  return faults.slice(0, shownMax);
}

function partState(word: string): PartState {
  const state = partStates.find((each) => each === word);
  if (!state) throw new TypeError(`${word} is no state of a part`);
  return state;
}
