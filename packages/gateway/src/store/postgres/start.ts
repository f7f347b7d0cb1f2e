/* What the first group of a node begins with. */

import { StoreRefused } from '../sqlite/database.ts';
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

/** Nodes on PostgreSQL: numbers below are SQLite's. */
const [firstNode, lastNode] = [4, 127];
/** The advisory lock of the list of nodes: `MorselN` in ASCII. */
const nodesLock = '21783946532426830';

/**
 * The row of the node with this name. A new name gets the lowest free number. The clock of a new node was trusted when
 * that of another one was.
 */
async function readNode(connection: PostgresConnection, name: string): Promise<Start['node']> {
  await connection.send([{ text: 'begin' }, { text: `select pg_advisory_xact_lock(${nodesLock})` }]);
  const free = `select number from generate_series(${firstNode}, ${lastNode}) as number
    where number not in (select node from member) order by number limit 1`;
  const [, [[node] = []] = []] = await connection.send([
    {
      text: `insert into member (node, name) select number, $1 from (${free}) as free
        where not exists (select 1 from member where name = $1)`,
      values: [name],
    },
    { text: 'select node from member where name = $1', values: [name] },
  ]);
  if (node === undefined)
    throw new StoreRefused(`the database has ${lastNode - firstNode + 1} nodes, and takes no more`);
  const first = `insert into node (id, last_message_id, lease, seen_at, groups)
    select $1::bigint, 0, $1::bigint, coalesce(max(seen_at), 0), 0 from node on conflict (id) do nothing`;
  const ask = askNode(Number(node));
  const [, [stored] = []] = await connection.send([{ text: first, values: [node] }, ask, { text: 'commit' }]);
  if (!stored) throw new Error('the database has no row of this node');
  return nodeTable.shape.read(stored);
}

/** What the node with this name begins with. */
export async function startOfNode(connection: PostgresConnection, name: string): Promise<Start> {
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
    node: await readNode(connection, name),
    turns: new Map(),
    lastEntryAt: 0,
  };
}
