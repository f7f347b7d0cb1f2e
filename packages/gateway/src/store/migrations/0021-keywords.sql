-- A number may be shared: its messages go to the accounts with keywords on it.
alter table number rename to number_before;
create table number (
  -- Without the plus: carriers write one number with and without it.
  digits text not null,
  kind text not null,
  number text not null,
  -- Its account; with keywords, the account for messages without one. Null for a shared number.
  account integer references account,
  created_at integer not null,
  primary key (digits, kind)
) strict, without rowid;
insert into number select digits, kind, number, account, created_at from number_before;
drop table number_before;
create index number_account on number (account);

-- First words of messages to a number that lead to an account, folded as core/number/keyword.ts folds them.
create table keyword (
  digits text not null,
  kind text not null,
  word text not null,
  account integer not null references account,
  created_at integer not null,
  primary key (digits, kind, word),
  foreign key (digits, kind) references number
) strict, without rowid;
create index keyword_account on keyword (account);

-- How the account was found: by its number, by a keyword, or by its number because no keyword matched. Older messages
-- were found by their number.
alter table inbound add column matched_by text;
alter table inbound add column keyword text;
