import type { Postgres } from './postgres.ts';
import type { TestDatabase } from './test-database.ts';

/* Checks by SQL that the ledger of a store is correct. */

/** Faults of the ledger, as sentences; a correct ledger has none. */
export async function moneyFaultsIn(database: Pick<TestDatabase, 'rows' | 'strays'>): Promise<string[]> {
  const faults: string[] = [];
  const look = async (sentence: string, sql: string) => {
    const found = await database.rows(sql, []);
    if (found.length > 0) faults.push(`${sentence}: ${JSON.stringify(found[0])}`);
  };
  await look(
    'M1: a balance is not the sum of its entries',
    `select id from account where balance <>
    (select coalesce(sum(amount), 0) from entry where entry.account = account.id)`,
  );
  await look('M2: a balance is below its limit', 'select id from account where balance < -credit_limit');
  await look(
    'M3: a charge is not the sum of its messages',
    `select id from entry left join (select entry, sum(total_cost) as cost, count(*) as count, count(distinct entry_place) as places
      from message group by entry) as charged on charged.entry = entry.id
    where kind = 'charge' and (-amount <> coalesce(cost, 0) or messages <> coalesce(count, 0) or messages <> coalesce(places, 0))`,
  );
  await look(
    'M1: the chain of an account has a gap',
    `select id, account, balance_after, expected from (select id, account, balance_after,
      sum(amount) over (partition by account order by id) as expected from entry) as chained where balance_after <> expected`,
  );
  await look(
    'an entry is before the one before it',
    'select id from (select id, created_at, lag(created_at) over (partition by account order by id) as last from entry) as timed where created_at < last',
  );
  await look('M3: a message has no charge', 'select id from message where entry not in (select id from entry)');
  await look(
    'M3: a part was refunded twice',
    `select first_message, part from entry where kind = 'refund'
    group by first_message, part having count(*) > 1`,
  );
  await look(
    'A5: a message has not its parts',
    `select id from message where num_parts <>
    (select count(*) from part where part.message = message.id)`,
  );
  const ended = "('delivered', 'undelivered', 'rejected', 'expired', 'unknown', 'canceled')";
  await look(
    'a part has ended without a CDR, or has one before its end',
    `select message, number from part where case when cdr is null then 0 else 1 end <> case when state in ${ended} then 1 else 0 end`,
  );
  await look(
    'the newest CDR of a part is not of its end',
    `select part.message, number from part left join cdr on cdr.id = part.cdr and cdr.message = part.message and cdr.part = number
    where part.cdr is not null and (cdr.event is null or cdr.event <> state)`,
  );
  await look(
    'the CDRs of a part are not its charge and refund',
    `select part.message, number from part where cdr is not null and case when refund_entry is null then 1 else 0 end <>
    (select sum(case when corrects is null then case when refund_entry is null then 1 else 0 end
      else case when refund_entry is null then 0 else -1 end end)
      from cdr where cdr.message = part.message and cdr.part = part.number)`,
  );
  for (const stray of await database.strays()) faults.push(`a foreign key points nowhere: ${JSON.stringify(stray)}`);
  return faults;
}

/** Faults of the ledger in a database of PostgreSQL, which has no foreign keys. */
export function moneyFaultsOf(postgres: Postgres): Promise<string[]> {
  const rows = async (sql: string) => {
    const found = await postgres.query(sql);
    return found.rows.map((row) => Object.fromEntries(found.fields.map(({ name }, at) => [name, String(row[at])])));
  };
  return moneyFaultsIn({ rows, strays: async () => [] });
}
