-- What a list stood on from an instant on, null for no other list, so that prices of the past can be told again. What was
-- there when this began to be kept is taken to have stood since the list was made.
create table price_list_base (
  price_list integer not null references price_list,
  since integer not null,
  base integer references price_list,
  primary key (price_list, since)
) strict, without rowid;
insert into price_list_base select id, created_at, base from price_list where base is not null;
