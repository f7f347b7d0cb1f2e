-- An alert may be about the gateway itself, without an account: the detail says what.
create table alert_of_all (
  id integer primary key,
  account integer references account,
  kind text not null,
  created_at integer not null,
  threshold integer,
  balance integer,
  carrier integer references carrier,
  prefix text,
  unit_price integer,
  unit_cost integer,
  webhook integer references webhook,
  detail text
) strict;
insert into alert_of_all select id, account, kind, created_at, threshold, balance, carrier, prefix, unit_price, unit_cost, webhook, null from alert;
drop table alert;
alter table alert_of_all rename to alert;
create index alert_account on alert (account, id);
create index alert_created on alert (created_at);
