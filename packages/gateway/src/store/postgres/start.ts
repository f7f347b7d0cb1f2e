/* What the first group of a node begins with. */

import { nextMessageId } from '../../core/base/message-id.ts';
import type { Command } from '../commands.ts';
import { StoreRefused } from '../sqlite/database.ts';
import { allTables } from '../tables/all.ts';
import { nodeTable, Rows } from '../tables/rows.ts';
import { newestIdSql } from '../tables/table.ts';
import type { PostgresConnection, Statement } from './connection.ts';

/** The newest id of each table whose rows only the operator makes. */
export type OperatorIds = ReadonlyMap<string, number>;

export interface Start extends Pick<Rows, 'node' | 'turns'> {
  readonly operatorIds: OperatorIds;
}

const operatorTables = allTables.filter(({ ids }) => ids === 'operator');

export const askOperatorIds: readonly Statement[] = operatorTables.map((table) => ({ text: newestIdSql(table) }));

/** Of the answers to `askOperatorIds`. */
export function operatorIdsOf(answers: readonly (readonly (readonly unknown[])[])[]): OperatorIds {
  return new Map(operatorTables.map(({ name }, at) => [name, Number(answers[at]?.[0]?.[0])]));
}

/**
 * The rows of a new group, and how it makes ids. Those of rows that traffic makes are times of the node, as the ids of
 * its messages. The others are counted: another node may have taken the next id, and then the group is decided again.
 */
export function rowsOfGroup({ operatorIds, ...start }: Start, commands: readonly Command[]): Rows {
  const counts = new Map(operatorIds);
  const now = Math.max(...commands.map((command) => ('at' in command ? command.at : 0)));
  const { id: node } = start.node;
  const rows: Rows = new Rows({
    ...start,
    nextId({ name, ids }, above = 0) {
      if (ids === 'operator') {
        const id = (counts.get(name) ?? 0) + 1;
        counts.set(name, id);
        return id;
      }
      const id = nextMessageId(Math.max(rows.node.lastMessageId, above), now, node);
      rows.node.lastMessageId = id;
      return id;
    },
  });
  return rows;
}

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
  const ids = await connection.send(askOperatorIds);
  return {
    node: await readNode(connection, name),
    turns: new Map(),
    operatorIds: operatorIdsOf(ids),
  };
}
