-- Receivers that opted out: of one sender of an account, or of every one (an empty sender).
create table opt_out (
  account integer not null references account,
  receiver text not null,
  sender text not null,
  since integer not null,
  -- The event that put it here.
  event integer not null references opt_out_event,
  primary key (account, receiver, sender)
) strict, without rowid;
create index opt_out_receiver on opt_out (receiver);

-- Every change of the list, kept forever: the operator must be able to prove an opt-out.
create table opt_out_event (
  id integer primary key,
  account integer not null references account,
  receiver text not null,
  sender text not null,
  at integer not null,
  -- `out` or `in`.
  wish text not null,
  -- The inbound message and its word, or the operator and the reason given.
  inbound integer references inbound,
  word text,
  actor text,
  reason text
) strict;
create index opt_out_event_receiver on opt_out_event (receiver, id);
create index opt_out_event_account on opt_out_event (account, id);

-- Accounts with opt-out settings other than the usual ones (core/number/opt-out.ts).
create table opt_out_handling (
  account integer primary key references account,
  is_on integer not null,
  scope text not null
) strict;

-- An account's own opt-out words, folded as core/number/opt-out.ts folds texts. They come before the usual ones.
create table opt_out_word (
  account integer not null references account,
  word text not null,
  means text not null,
  primary key (account, word)
) strict, without rowid;
