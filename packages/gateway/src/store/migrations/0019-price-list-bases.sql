-- The base of a list from an instant on, null for none, so that past prices can be shown. A base from before this
-- migration counts since the list was made.
create table price_list_base (
  price_list integer not null references price_list,
  since integer not null,
  base integer references price_list,
  primary key (price_list, since)
) strict, without rowid;
insert into price_list_base select id, created_at, base from price_list where base is not null;
