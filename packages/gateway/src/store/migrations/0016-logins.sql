-- What an account may do over SMPP: sessions that it may have bound, requests of each that wait for our answer, and what its
-- data_coding 0 means.
alter table account add column smpp_binds integer not null default 4;
alter table account add column smpp_window integer not null default 10;
alter table account add column smpp_data_coding_0 text not null default 'gsm7';

-- By what an account binds. Of the password only what scrypt made of it, and what it takes to do so again.
create table login (
  id integer primary key,
  account integer not null references account,
  system_id text not null,
  hash blob not null,
  salt blob not null,
  -- N, r and p of RFC 7914: logins keep those that they were made with.
  scrypt_cost integer not null,
  scrypt_block integer not null,
  scrypt_lanes integer not null,
  -- Where it may bind from: a JSON list of addresses and ranges of them, empty for anywhere.
  allowed_from text not null default '[]',
  created_at integer not null,
  removed_at integer,
  last_bind_at integer
) strict;
create unique index login_system_id on login (system_id) where removed_at is null;
create index login_account on login (account);
