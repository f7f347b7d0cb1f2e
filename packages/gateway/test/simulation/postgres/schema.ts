/* The tables of PostgreSQL in SQLite: those of the gateway, with the columns that PostgreSQL adds, and its own ones. */

/** What only PostgreSQL has (`src/store/schema/postgres-own.sql`). */
const own = `
  create table member (node integer primary key, lease integer not null default 0, program integer not null default 1,
    settings integer not null default 0, renewed_at real not null default (clock_timestamp()),
    is_stopped integer not null default true, is_draining integer not null default false,
    bound_links text not null default '{}', sessions integer not null default 0, clock_off integer not null default 0,
    name text not null unique, release text not null default '');
  create table duty (key integer not null, node integer not null, lease integer not null, kind text not null,
    primary key (kind, key));
  create table call (id integer primary key autoincrement, node integer not null,
    made_at real not null default (clock_timestamp()), name text not null, body text not null);
  create table answer (call integer not null references call on delete cascade, node integer not null,
    body text not null, primary key (call, node));
  create table setting (version integer not null);
  insert into setting values (1);`;

/** Adds what is missing to the statements that make SQLite's tables. */
export function postgresSchemaOf(sqlite: string): string {
  const made = sqlite.split(';\n').map((statement) => {
    const [, name, columns = ''] = /^create table (\w+) \((.*)$/is.exec(statement) ?? [];
    if (name === undefined) return statement;
    const key = keyOf(columns);
    const isRow = key.map((column) => `${column} = new.${column}`).join(' and ');
    return `create table ${name} (xmin integer not null default (pg_current_xact_id()), ${columns};
      create trigger ${name}_has_version after update on ${name} when new.xmin <> pg_current_xact_id()
      begin update ${name} set xmin = pg_current_xact_id() where ${isRow}; end`;
  });
  return `${made.join(';\n')};\ndelete from node;\n${own}`;
}

function keyOf(columns: string): string[] {
  const [, several] = /primary key \(([^)]*)\)/.exec(columns) ?? [];
  const [, one = ''] = /(\w+) (?:integer|text|blob)[^,]* primary key/.exec(columns) ?? [];
  return several?.split(', ') ?? [one];
}
