-- The carrier's costs: a price list like any other.
alter table carrier add column cost_list integer references price_list;

-- What the carrier charges for this attempt if it accepts it; null if that was not known when it was sent.
alter table attempt add column cost integer check (cost >= 0);
alter table attempt add column cost_currency text;

-- The least margin of a part's price, as an amount or per cent (15%); null for no check.
alter table account add column margin_min text;
alter table account add column below_margin text not null default 'allow';

-- Alerts are of several kinds, each with its own figures.
create table alert_of_kinds (
  id integer primary key,
  account integer not null references account,
  kind text not null,
  created_at integer not null,
  threshold integer,
  balance integer,
  carrier integer references carrier,
  prefix text,
  unit_price integer,
  unit_cost integer
) strict;
insert into alert_of_kinds select id, account, kind, created_at, threshold, balance, null, null, null, null from alert;
drop table alert;
alter table alert_of_kinds rename to alert;
create index alert_account on alert (account, id);
create index alert_created on alert (created_at);
