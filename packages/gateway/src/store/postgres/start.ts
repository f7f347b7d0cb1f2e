/* The state with which the first group of a node begins. */

import { nodeTable } from '../../state/tables/node.ts';
import { nodeCount } from '../../core/base/message-id.ts';
import type { Command } from '../../state/commands.ts';
import { StoreRefused } from '../../state/sealing/refused.ts';
import { allTables } from '../../state/tables/all.ts';
import { Rows, type Start } from '../../state/rows/rows.ts';
import { newestIdSql } from '../table-sql.ts';
import type { DatabaseConnection } from './wire/connection.ts';
import type { Found, Statement } from './wire/flight.ts';

const operatorTables = allTables.filter(({ ids }) => ids === 'operator');
const countedTables = allTables.filter(({ ids }) => ids);

/** Node 0 counts all ids up, as SQLite does, so that tests can compare both engines. */
function countedBy(node: number): typeof allTables {
  return node === 0 ? countedTables : operatorTables;
}

export function askNewestIds(node: number): Statement[] {
  return countedBy(node).map((table) => ({ text: newestIdSql(table) }));
}

export function newestIdsOf(node: number, answers: readonly Found[]): Start['newestIds'] {
  return new Map(countedBy(node).map(({ name }, at) => [name, Number(answers[at]?.[0]?.[0])]));
}

/**
 * The rows of a group. Rows that traffic makes get ids from the node's time. Ids of other rows are counted up: if
 * another node has taken the next one, the group is decided again.
 */
export function rowsOfNode(start: Start, commands: readonly Command[]): Rows {
  return new Rows({ ...start, now: Math.max(...commands.map((command) => ('at' in command ? command.at : 0))) });
}

/** Reads the row of a node. Waits for a commit of this node that is under way. */
export function askNode(node: number): Statement {
  return { text: `select ${nodeTable.shape.names.join(', ')} from node where id = $1 for update`, values: [node] };
}

export const askSettings: Statement = { text: 'select version from setting' };

/** The numbers of nodes on PostgreSQL. A gateway on SQLite has a lower number. */
const [firstNode, lastNode] = [4, nodeCount - 1];
/** The advisory lock of the list of nodes: `MorselN` in ASCII. */
const nodesLock = '21783946532426830';

/** A node has ended if it was stopped, or silent for a day: other nodes have taken over its work. */
const ended = "(is_stopped or renewed_at < now() - interval '1 day')";

/**
 * A new name gets the lowest free number, or that of the node that ended first: containers have new names at each
 * start. The node begins with the newest instant at which another node trusted its clock.
 */
async function readNode(connection: DatabaseConnection, name: string): Promise<Start['node']> {
  await connection.send([{ text: 'begin' }, { text: `select pg_advisory_xact_lock(${nodesLock})` }]);
  const free = `select number from generate_series(${firstNode}, ${lastNode}) as number
    where number not in (select node from member) order by number limit 1`;
  const [, , [[node] = []] = []] = await connection.send([
    {
      text: `insert into member (node, name) select number, $1 from (${free}) as free
        where not exists (select 1 from member where name = $1)`,
      values: [name],
    },
    {
      text: `update member set name = $1 where not exists (select 1 from member where name = $1)
        and node = (select node from member where ${ended} order by renewed_at, node limit 1)`,
      values: [name],
    },
    { text: 'select node from member where name = $1', values: [name] },
  ]);
  if (node === undefined)
    throw new StoreRefused(
      `the database has ${lastNode - firstNode + 1} nodes that ran today, and takes no more: see node list, and start nodes again under the names that they had`,
    );
  const first = `insert into node (id, last_message_id, lease, seen_at, last_cdr, groups)
    select $1::bigint, 0, $1::bigint, coalesce(max(seen_at), 0), 0, 0 from node on conflict (id) do nothing`;
  const ask = askNode(Number(node));
  const [, [stored] = []] = await connection.send([{ text: first, values: [node] }, ask, { text: 'commit' }]);
  if (!stored) throw new Error('the database has no row of this node');
  return nodeTable.shape.read(stored);
}

export async function startOfNode(connection: DatabaseConnection, name: string): Promise<Omit<Start, 'vault'>> {
  const node = await readNode(connection, name);
  const newestIds = newestIdsOf(node.id, await connection.send(askNewestIds(node.id)));
  return { node, turns: new Map(), newestIds };
}
