-- Versions take effect in the order of their places. A change that takes effect before a future version has a greater
-- number and a smaller place. `since` of a price is the place of its version. An import has a place, too.
alter table price_list_version add column place integer not null default 0;
update price_list_version set place = version;
create unique index price_list_place on price_list_version (price_list, place);
alter table price_import add column place integer not null default 0;
update price_import set place = version;

-- The version was given as a whole list, not as changes: no earlier change reaches into it.
alter table price_list_version add column is_whole integer not null default 0;
alter table price_import add column is_whole integer not null default 0;
-- The place of the version that keeps the former prices of the prefixes that an import changes; null for none.
alter table price_import add column pinned integer;
