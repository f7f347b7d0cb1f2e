/* SQL made from the descriptions of tables, for both engines. */

import { columnOf, shape, type Members, type Table } from '../state/tables/table.ts';

/** The columns of these members with their table's name, for a query of several tables. */
export function columnsOf(from: string, members: Members): string {
  return columnsIn(from, shape(members).names);
}

/** Columns with the name of their table. */
export function columnsIn(from: string, names: readonly string[]): string {
  return names.map((name) => `${from}.${name}`).join(', ');
}

/** The query for the highest id of a table; 0 if it has no rows. */
export function newestIdSql({ name, takenIds }: Pick<Table<unknown>, 'name' | 'takenIds'>): string {
  const taken = takenIds === undefined ? '' : ` union all select ${takenIds.column} from ${takenIds.table}`;
  return `select coalesce(max(id), 0) as newest from (select max(id) as id from ${name}${taken}) as taken`;
}

/** The SQL of the changes that `put` makes to a row with the same key. */
export function replacement<Row>({ name, shape: columns, key, ...of }: Table<Row>): string {
  const [sums, kept] = [of.sums.map(columnOf), of.kept.map(columnOf)];
  const set = columns.names
    .filter((column) => !key.names.includes(column) && !kept.includes(column))
    .map((column) => `${column} = ${sums.includes(column) ? `${name}.${column} + ` : ''}excluded.${column}`);
  return set.length === 0 ? 'nothing' : `update set ${set.join(', ')}`;
}
