-- A number may be nobody's own: its messages are for the accounts that have keywords on it.
alter table number rename to number_before;
create table number (
  -- Without the plus: carriers name one number with and without it.
  digits text not null,
  kind text not null,
  number text not null,
  -- Whose it is; where there are keywords, who gets what has none of them. Null for a shared number.
  account integer references account,
  created_at integer not null,
  primary key (digits, kind)
) strict, without rowid;
insert into number select digits, kind, number, account, created_at from number_before;
drop table number_before;
create index number_account on number (account);

-- First words of messages to a number that lead to an account, folded as core/keyword.ts folds them.
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

-- What led to the account: its number, a keyword, or that the number was its own and had no such keyword. Of what came before,
-- it was the number.
alter table inbound add column matched_by text;
alter table inbound add column keyword text;
