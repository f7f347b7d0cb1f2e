-- Versions take effect in the order of their places. A change that takes effect before a version that is still to come has a
-- greater number and a smaller place. `since` of a price is the place of its version. A place is kept of an import, too.
alter table price_list_version add column place integer not null default 0;
update price_list_version set place = version;
create unique index price_list_place on price_list_version (price_list, place);
alter table price_import add column place integer not null default 0;
update price_import set place = version;

-- What a version says of every prefix was given, and not only of those that it changes: no earlier change reaches into it.
alter table price_list_version add column is_whole integer not null default 0;
alter table price_import add column is_whole integer not null default 0;
-- The version into which the prices of before are written down that an import changes, by its place; null for none.
alter table price_import add column pinned integer;
