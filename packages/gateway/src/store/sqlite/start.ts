import { integer } from '../tables/column.ts';
import { entryTable } from '../tables/ledger.ts';
import { nodeTable } from '../tables/rows.ts';
import type { Rows } from '../tables/rows.ts';
import type { Statements } from './statements.ts';

/** What the first group begins with: the next free ids, and the row of the process. */
export function readStart(statements: Statements): ConstructorParameters<typeof Rows>[0] {
  const newest = (table: string) => statements.value(integer, `select coalesce(max(id), 0) from ${table}`) ?? 0;
  const next = (table: string) => newest(table) + 1;
  const node = statements.first(nodeTable, '');
  if (!node) throw new Error('the database has no row of the process');
  node.lastMessageId = Math.max(node.lastMessageId, newest('message'), newest('inbound'));
  return {
    counters: {
      entry: next('entry'),
      account: next('account'),
      login: next('login'),
      carrier: next('carrier'),
      route: next('route'),
      // Includes the lists of imports under way: their prices may be stored already.
      priceList: next('(select id from price_list union all select price_list from price_import) as lists'),
      unmatchedReceipt: next('unmatched_receipt'),
      inboundPart: next('inbound_part'),
      inboundRepeat: next('inbound_repeat'),
      optOutEvent: next('opt_out_event'),
      note: next('note'),
      notification: next('notification'),
      alert: next('alert'),
      webhook: next('webhook'),
      webhookSecret: next('webhook_secret'),
    },
    node,
    turns: new Map(),
    lastEntryAt: statements.first(entryTable, 'order by id desc limit 1')?.createdAt ?? 0,
  };
}
