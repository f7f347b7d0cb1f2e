-- An address that the operator registered for the notifications of an account.
create table webhook (
  id integer primary key,
  account integer not null references account,
  url text not null,
  method text not null,
  -- Its kinds of notifications, separated by commas: inbound, receipt, alert.
  kinds text not null,
  -- Of inbound messages, only those to this number (or prefix), or with this keyword; null for all.
  number_kind text,
  digits text,
  keyword text,
  -- The receiver's names for our fields, as JSON; null for our names.
  template text,
  -- Requests to it at once.
  concurrency integer not null check (concurrency between 1 and 1000),
  -- Addresses of private networks that it may resolve to, separated by commas.
  allowed text not null,
  status text not null,
  -- When its present series of failures began; null after a success.
  failing_since integer,
  created_at integer not null,
  removed_at integer
) strict;
create index webhook_account on webhook (account);

-- The secrets that sign requests; there are several during a rotation.
create table webhook_secret (
  id integer primary key,
  webhook integer not null references webhook,
  secret text not null,
  created_at integer not null,
  removed_at integer
) strict;
create index webhook_secret_webhook on webhook_secret (webhook);

-- The earlier table of this name was never used.
drop table notice;

-- A notification to an account: an inbound message, the state of a message, or an alert.
create table notice (
  id integer primary key,
  account integer not null references account,
  kind text not null,
  -- The inbound message, the message or the alert that it is about.
  subject integer not null,
  -- The state in a receipt. A correction of the message makes another notification.
  event text,
  event_at integer,
  error_code text,
  -- A receiving session of the account gets it, if one is bound.
  by_session integer not null,
  -- Otherwise this webhook gets it; null if there is none.
  webhook integer references webhook,
  state text not null,
  -- When it is tried next; null unless it waits.
  due integer,
  tries integer not null,
  created_at integer not null,
  ended_at integer,
  -- Of its newest try: who tried, and the result.
  tried_by text,
  outcome text
) strict;
create index notice_webhook_due on notice (webhook, by_session, due) where due is not null;
create index notice_session_due on notice (account, due) where due is not null and by_session = 1;
create index notice_subject on notice (subject);
create index notice_dead on notice (account, id) where state = 'dead';

-- Failed tries.
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
