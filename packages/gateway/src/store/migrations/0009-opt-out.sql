-- Phones that no longer want messages: of one sender of an account, or of every one (an empty sender).
create table opt_out (
  account integer not null references account,
  receiver text not null,
  sender text not null,
  since integer not null,
  -- What put it here: why, and by whom.
  event integer not null references opt_out_event,
  primary key (account, receiver, sender)
) strict, without rowid;
create index opt_out_receiver on opt_out (receiver);

-- Every change of the list, kept for good: an operator has to be able to prove when a phone wished what.
create table opt_out_event (
  id integer primary key,
  account integer not null references account,
  receiver text not null,
  sender text not null,
  at integer not null,
  -- `out` or `in`.
  wish text not null,
  -- The phone's own message and its word, or the operator who did it and the reason given.
  inbound integer references inbound,
  word text,
  actor text,
  reason text
) strict;
create index opt_out_event_receiver on opt_out_event (receiver, id);
create index opt_out_event_account on opt_out_event (account, id);

-- Accounts that the operator set otherwise than usual (core/opt-out.ts).
create table opt_out_handling (
  account integer primary key references account,
  is_on integer not null,
  scope text not null
) strict;

-- An account's own words, folded as core/opt-out.ts folds texts; they go before the usual ones.
create table opt_out_word (
  account integer not null references account,
  word text not null,
  means text not null,
  primary key (account, word)
) strict, without rowid;
