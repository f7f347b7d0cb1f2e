/* Describes a schema, so that tests can compare two: equal schemas have equal texts, whatever the order of columns. */

import type { DatabaseSync } from 'node:sqlite';
import type { Client } from 'pg';

/** A line for each column with its checks and references, each key, index and trigger. */
export function meaningInSqlite(database: DatabaseSync): readonly string[] {
  const tables = database.prepare("select name, sql from sqlite_schema where type = 'table' order by name").all();
  const meaning = tables.flatMap(({ name, sql }) => {
    const of = String(name);
    const all = (pragma: string) => database.prepare(`select * from pragma_${pragma}(?)`).all(of);
    const keys = new Set(all('table_xinfo').flatMap((column) => (column['pk'] === 0 ? [] : [column['name']])));
    return [
      `${of}: ${/\)([^)]*)$/.exec(String(sql))?.[1]?.includes('strict') === true ? 'strict' : 'loose'}`,
      ...all('table_xinfo').map(
        ({ name: column, type, notnull, pk }) =>
          `${of}.${String(column)} ${String(type)}, not null ${notnull === 1 || keys.has(column ?? '')}, key ${String(pk)}`,
      ),
      ...all('foreign_key_list').map(
        ({ seq, table, from }) => `${of}.${String(from)} refers to ${String(table)}, column ${String(seq)}`,
      ),
      ...checksIn(String(sql)).map((check) => `${of}: ${check}`),
      ...all('index_list').flatMap(({ name: index, unique, origin }) =>
        origin === 'c' ? [`${of}: ${String(unique)} ${indexText(database, String(index))}`] : [],
      ),
    ];
  });
  const triggers = database.prepare("select sql from sqlite_schema where type = 'trigger'").all();
  return [...meaning, ...triggers.map(({ sql }) => plain(String(sql)).replaceAll(/'[^']*'/g, "''"))].toSorted();
}

function indexText(database: DatabaseSync, index: string): string {
  return plain(String(database.prepare('select sql from sqlite_schema where name = ?').get(index)?.['sql']));
}

/** The checks of a table. `> 0` of an integer is written as `>= 1`, which means the same. */
function checksIn(sql: string): string[] {
  return [...sql.matchAll(/check \(((?:[^()]|\([^()]*\))*)\)/g)].map(([, check = '']) =>
    plain(check.replace(/ > 0$/, ' >= 1')),
  );
}

function plain(sql: string): string {
  return sql.replaceAll(/\s+/g, ' ').trim();
}

const schemaOfPostgres = [
  // Partitions are left out: their names contain the week in which they were made.
  `select relname, relkind, array_to_string(reloptions, ' '), pg_get_partkeydef(oid) from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
  `select relname, attname, format_type(atttypid, atttypmod), attnotnull, attidentity, collname,
      pg_get_expr(adbin, adrelid)
    from pg_attribute join pg_class on pg_class.oid = attrelid left join pg_collation on pg_collation.oid = attcollation
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and attnum > 0
      and not attisdropped`,
  `select relname, pg_get_indexdef(indexrelid) from pg_index join pg_class on pg_class.oid = indrelid
    where relnamespace = 'public'::regnamespace and not relispartition`,
  `select relname, contype, regexp_replace(pg_get_constraintdef(pg_constraint.oid), ' > 0\\)', ' >= 1)')
    from pg_constraint join pg_class on pg_class.oid = conrelid
    where relnamespace = 'public'::regnamespace and not relispartition`,
  `select relname, tgname, tgtype, tgenabled from pg_trigger join pg_class on pg_class.oid = tgrelid
    where not relispartition and not tgisinternal`,
];

/** Describes the schema `public` of a PostgreSQL database in the same form. */
export async function meaningInPostgres(client: Pick<Client, 'query'>): Promise<readonly string[]> {
  const meaning: string[] = [];
  for (const text of schemaOfPostgres) {
    const { rows } = await client.query({ text, values: [], rowMode: 'array' });
    meaning.push(...rows.map((row) => JSON.stringify(row)));
  }
  return meaning.toSorted();
}
