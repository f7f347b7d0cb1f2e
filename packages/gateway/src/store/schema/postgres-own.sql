-- What only PostgreSQL has: the version of the schema, and the tables by which nodes of one database communicate.

-- The schema itself

create table morsel_schema (
  -- The number of the newest migration.
  version bigint not null,
  -- Programs that know fewer migrations cannot use this version.
  oldest_program bigint not null
);
insert into morsel_schema values (1, 1);

-- Each group of commands calls this: all of its rows must be unchanged since they were loaded.
create function morsel_expect(counted bigint, wanted bigint) returns boolean language plpgsql as $$
begin
  if counted is distinct from wanted then
    raise exception 'a row was changed by another node' using errcode = 'MV001';
  end if;
  return true;
end $$;

-- Nodes and settings

create table member (
  node bigint not null,
  -- The lease with which the node began.
  lease bigint not null default 0,
  -- The number of the newest migration that the node's program knows.
  program bigint not null default 1,
  -- The version of the settings that the node uses.
  settings bigint not null default 0,
  -- When the node last renewed its lease, by the clock of the database.
  renewed_at timestamptz not null default now(),
  is_stopped boolean not null default true,
  is_draining boolean not null default false,
  -- The keys of the links that are bound at the node.
  bound_links bigint[] not null default '{}',
  -- How many clients are bound at the node.
  sessions bigint not null default 0,
  -- How many milliseconds the node's clock is ahead of the clock of the database.
  clock_off bigint not null default 0,
  name text collate "C" not null unique,
  -- The version of the node's program.
  release text collate "C" not null default '',
  primary key (node)
) with (fillfactor = 20);

-- Duties, each done by one node at a time. A node has a duty for as long as it has the lease.
create table duty (
  key bigint not null,
  node bigint not null,
  lease bigint not null,
  kind text collate "C" not null,
  primary key (kind, key)
) with (fillfactor = 50);

-- Short-lived questions of a node to all others, and their answers.
create table call (
  id bigint generated always as identity,
  node bigint not null,
  made_at timestamptz not null default clock_timestamp(),
  name text collate "C" not null,
  body text collate "C" not null,
  primary key (id)
);

create table answer (
  call bigint not null references call on delete cascade,
  node bigint not null,
  body text collate "C" not null,
  primary key (call, node)
);

create table setting (
  version bigint not null
);
insert into setting values (1);
