import { allTables } from '../tables/all.ts';
import { integer } from '../tables/column.ts';
import { nodeTable } from '../tables/rows.ts';
import type { Rows } from '../tables/rows.ts';
import { newestIdSql } from '../tables/table.ts';
import type { Statements } from './statements.ts';

/** The next free id of each table whose ids the store makes. */
export class Counters {
  #next: ReadonlyMap<string, number>;
  #nextOfGroup = new Map<string, number>();

  constructor(statements: Statements) {
    const next = (table: (typeof allTables)[number]) => (statements.value(integer, newestIdSql(table)) ?? 0) + 1;
    this.#next = new Map(allTables.filter(({ ids }) => ids).map((table) => [table.name, next(table)]));
  }

  /** Counts for a new group. Groups share no counts: a group that fails changes nothing. */
  ofGroup(): Rows['nextId'] {
    const counts = new Map(this.#next);
    this.#nextOfGroup = counts;
    return ({ name }, above = 0) => {
      const id = Math.max(counts.get(name) ?? noIds(name), above + 1);
      counts.set(name, id + 1);
      return id;
    };
  }

  /** After the commit: the next group counts on. */
  committed(): void {
    this.#next = this.#nextOfGroup;
  }
}

function noIds(table: string): never {
  throw new Error(`the store makes no ids of ${table}`);
}

/** The number of the one node on SQLite. */
const soleNode = 0;

/** The row of the process. */
export function readNode(statements: Statements): Rows['node'] {
  const newest = (table: string) => statements.value(integer, `select coalesce(max(id), 0) from ${table}`) ?? 0;
  const node = statements.first(nodeTable, 'where id = ?', soleNode);
  if (!node) throw new Error('the database has no row of the process');
  node.lastMessageId = Math.max(node.lastMessageId, newest('message'), newest('inbound'));
  return node;
}
