-- Where the account's days and months begin (an IANA time zone).
alter table account add column time_zone text not null default 'UTC';
-- What it may spend a day and a month, null for no cap; and what it spent in the day and the month that end then,
-- without refunds.
alter table account add column day_cap integer check (day_cap >= 0);
alter table account add column month_cap integer check (month_cap >= 0);
alter table account add column spent_day integer not null default 0;
alter table account add column day_ends_at integer not null default 0;
alter table account add column spent_month integer not null default 0;
alter table account add column month_ends_at integer not null default 0;
-- Balances below which an alert is raised, the highest first: a JSON list of millionths. The lowest one with an alert
-- since the balance was last put up; null if none.
alter table account add column low_balance text not null default '[]';
alter table account add column alerted_below integer;

-- What the operator should look at.
create table alert (
  id integer primary key,
  account integer not null references account,
  kind text not null,
  threshold integer not null,
  balance integer not null,
  created_at integer not null
) strict;
create index alert_account on alert (account, id);
create index alert_created on alert (created_at);
