-- The base: another list of its currency, used where this one has no price.
alter table price_list add column base integer references price_list;
-- The greatest version number given out: none is given out twice.
alter table price_list add column last_version integer not null default 0;
update price_list set last_version =
  coalesce((select max(version) from price_list_version each where each.price_list = price_list.id), 0);

-- How many prefixes a version changes.
alter table price_list_version add column changes integer not null default 0;
update price_list_version set changes =
  (select count(*) from price where price.price_list = price_list_version.price_list and price.since = version);

-- The price of a prefix in a version is its row with the greatest `since` up to that version; a row without a price
-- removes it. Versions take effect in the order of their numbers. Rows of a number without a version belong to an
-- import under way.
create table price_since_version (
  price_list integer not null references price_list,
  prefix text not null,
  since integer not null,
  unit_price integer check (unit_price >= 0),
  primary key (price_list, prefix, since)
) strict, without rowid;
insert into price_since_version select price_list, prefix, since, unit_price from price;
drop table price;
alter table price_since_version rename to price;
create index price_version on price (price_list, since);

-- Imports whose prices are being written or withdrawn. A list has one at most, and nothing else changes its prices
-- meanwhile.
create table price_import (
  id text primary key,
  -- The list may be made with its first version only.
  name text not null unique,
  price_list integer not null,
  version integer not null,
  currency text not null,
  base integer references price_list,
  is_new integer not null,
  -- The import failed: its rows are to be deleted.
  is_over integer not null,
  created_at integer not null
) strict, without rowid;
