-- SMPP settings of an account: how many sessions it may have bound, how many unanswered requests each may have, and
-- what its data_coding 0 means.
alter table account add column smpp_binds integer not null default 4;
alter table account add column smpp_window integer not null default 10;
alter table account add column smpp_data_coding_0 text not null default 'gsm7';

-- What a client binds with. The password is stored as a scrypt hash with its parameters.
create table login (
  id integer primary key,
  account integer not null references account,
  system_id text not null,
  hash blob not null,
  salt blob not null,
  -- N, r and p of RFC 7914: a login keeps those that it was made with.
  scrypt_cost integer not null,
  scrypt_block integer not null,
  scrypt_lanes integer not null,
  -- The addresses it may bind from: a JSON list of addresses and ranges, empty for any.
  allowed_from text not null default '[]',
  created_at integer not null,
  removed_at integer,
  last_bind_at integer
) strict;
create unique index login_system_id on login (system_id) where removed_at is null;
create index login_account on login (account);
