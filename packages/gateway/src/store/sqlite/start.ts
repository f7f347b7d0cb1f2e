import { nodeTable } from '../../state/tables/node.ts';
import { allTables } from '../../state/tables/all.ts';
import { integer } from '../../state/tables/column.ts';
import type { Start } from '../../state/rows/rows.ts';
import { newestIdSql } from '../table-sql.ts';
import type { Statements } from './statements.ts';

export function readStart(statements: Statements): Omit<Start, 'vault'> {
  const newest = (table: Parameters<typeof newestIdSql>[0]) => statements.value(integer, newestIdSql(table)) ?? 0;
  const counted = allTables.filter(({ ids }) => ids);
  const newestIds = new Map(counted.map((table) => [table.name, newest(table)]));
  return { node: readNode(statements), turns: new Map(), newestIds };
}

/** The number of the only node on SQLite. */
export const soleNode = 0;

function readNode(statements: Statements): Start['node'] {
  const newest = (table: string) => statements.value(integer, `select coalesce(max(id), 0) from ${table}`) ?? 0;
  const node = statements.first(nodeTable, 'where id = ?', soleNode);
  if (!node) throw new Error('the database has no row of the process');
  node.lastMessageId = Math.max(node.lastMessageId, newest('message'), newest('inbound'));
  return node;
}
