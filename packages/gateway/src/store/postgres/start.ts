/* What the first group of a node begins with. */

import { nodeTable } from '../tables/rows.ts';
import type { Rows } from '../tables/rows.ts';
import type { PostgresConnection, Statement } from './connection.ts';

export type Start = ConstructorParameters<typeof Rows>[0];

/** The row of a node. It waits for a commit of this node that is under way. */
export function askNode(node: number): Statement {
  return { text: `select ${nodeTable.shape.names.join(', ')} from node where id = $1 for update`, values: [node] };
}

/** The version of the operator's settings. */
export const askSettings: Statement = { text: 'select version from setting' };

/** Reads the row of a node. A new node gets one. */
export async function startOfNode(connection: PostgresConnection, node: number): Promise<Start> {
  const first = {
    text: `insert into node (id, last_message_id, lease, seen_at, groups) values ($1, 0, $1, 0, 0)
      on conflict (id) do nothing`,
    values: [node],
  };
  const [, [stored] = []] = await connection.send([first, askNode(node)]);
  if (!stored) throw new Error('the database has no row of this node');
  const newest = async (table: string) => {
    const [[row] = []] = await connection.send([{ text: `select coalesce(max(id), 0) + 1 from ${table}` }]);
    return Number(row?.[0]);
  };
  return {
    counters: {
      entry: await newest('entry'),
      account: await newest('account'),
      login: await newest('login'),
      carrier: await newest('carrier'),
      route: await newest('route'),
      priceList: await newest('(select id from price_list union all select price_list from price_import) as lists'),
      unmatchedReceipt: await newest('unmatched_receipt'),
      inboundPart: await newest('inbound_part'),
      inboundRepeat: await newest('inbound_repeat'),
      optOutEvent: await newest('opt_out_event'),
      note: await newest('note'),
      notification: await newest('notification'),
      alert: await newest('alert'),
      webhook: await newest('webhook'),
      webhookSecret: await newest('webhook_secret'),
    },
    node: nodeTable.shape.read(stored),
    turns: new Map(),
    lastEntryAt: 0,
  };
}
