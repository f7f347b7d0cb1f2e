-- Where an account is told what happened: an address that the operator registered.
create table webhook (
  id integer primary key,
  account integer not null references account,
  url text not null,
  method text not null,
  -- What it is told, separated by commas: inbound, receipt, alert.
  kinds text not null,
  -- Of messages from phones, only those to this number (or prefix), or to this keyword; null for all.
  number_kind text,
  digits text,
  keyword text,
  -- Our fields by the names that the receiver has for them, as JSON; null for our own.
  template text,
  -- Notices under way to it at once.
  concurrency integer not null check (concurrency between 1 and 1000),
  -- Addresses of private networks that this one may lead to, separated by commas.
  allowed text not null,
  status text not null,
  -- Since when no try has succeeded; null while the newest one has.
  failing_since integer,
  created_at integer not null,
  removed_at integer
) strict;
create index webhook_account on webhook (account);

-- What signs; several at once while one takes the place of another.
create table webhook_secret (
  id integer primary key,
  webhook integer not null references webhook,
  secret text not null,
  created_at integer not null,
  removed_at integer
) strict;
create index webhook_secret_webhook on webhook_secret (webhook);

-- Nothing was ever written into the one that stood here.
drop table notice;

-- Something that an account is told: a message from a phone, what became of a message, an alert.
create table notice (
  id integer primary key,
  account integer not null references account,
  kind text not null,
  -- The message from a phone, the message or the alert that it is about.
  subject integer not null,
  -- What a receipt tells: its message may be put right later, which is a notice of its own.
  event text,
  event_at integer,
  error_code text,
  -- A session of the account that can receive gets it, if one is bound.
  by_session integer not null,
  -- And this webhook otherwise; null if there is none.
  webhook integer references webhook,
  state text not null,
  -- When it is tried next; null unless it waits.
  due integer,
  tries integer not null,
  created_at integer not null,
  ended_at integer,
  -- Of its newest try: by what, and what came of it.
  tried_by text,
  outcome text
) strict;
create index notice_webhook_due on notice (webhook, by_session, due) where due is not null;
create index notice_session_due on notice (account, due) where due is not null and by_session = 1;
create index notice_subject on notice (subject);
create index notice_dead on notice (account, id) where state = 'dead';

-- Tries that failed.
create table notice_try (
  notice integer not null references notice,
  number integer not null,
  at integer not null,
  tried_by text not null,
  outcome text not null,
  primary key (notice, number)
) strict, without rowid;

-- An alert may be about a webhook.
alter table alert add column webhook integer references webhook;
