-- A route is a match (prefix, and where they are set: sender, account, encoding) with carriers in it, each with its rank.

create table route_carrier (
  route integer not null references route,
  carrier integer not null references carrier,
  rank integer not null check (rank > 0),
  weight integer not null check (weight > 0),
  cost integer check (cost >= 0),
  -- How long a message waits for its rank before the next rank may have it.
  wait_ms integer check (wait_ms >= 0),
  created_at integer not null,
  -- Kept when the carrier leaves the route: it finishes the messages that it started.
  removed_at integer,
  primary key (route, carrier)
) strict, without rowid;
create index route_carrier_carrier on route_carrier (carrier);
insert into route_carrier select id, carrier, 1, 1, null, null, created_at, null from route;

create table route_matched (
  id integer primary key,
  prefix text not null,
  sender text,
  account integer references account,
  encoding text,
  rank_order text not null,
  created_at integer not null,
  removed_at integer
) strict;
insert into route_matched select id, prefix, null, null, null, 'weight', created_at, removed_at from route;
drop table route;
alter table route_matched rename to route;
create unique index route_match
  on route (prefix, coalesce(sender, ''), coalesce(account, 0), coalesce(encoding, '')) where removed_at is null;

-- The eligible carriers of a waiting part; empty for every carrier of its route.
alter table part add column lane text not null default '';
-- The carrier of its newest attempt.
alter table part add column tried_by integer references carrier;
-- When the carriers that could not take it may be tried again; null if there are none.
alter table part add column round_ends integer;
update part set tried_by = (select carrier from attempt
  where attempt.message = part.message and attempt.part = part.number and attempt.number = part.attempts)
  where deadline is not null and attempts > 0;

create table queue_in_lines (
  route integer not null,
  lane text not null,
  priority integer not null,
  account integer not null,
  due integer not null,
  message integer not null,
  part integer not null,
  primary key (route, lane, priority, account, due, message, part)
) strict, without rowid;
insert into queue_in_lines select route, '', priority, account, due, message, part from queue;
drop table queue;
alter table queue_in_lines rename to queue;
