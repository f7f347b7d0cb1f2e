-- What was learned of a carrier from its receipts. Its id rule in `carrier` says whether any of it counts (`auto`).
create table learning (
  carrier integer primary key references carrier,
  -- Null until enough of its receipts agree.
  id_rule text,
  learned_at integer,
  -- Parked receipts from this id on are still to be looked at under the rule of today; null when all were.
  rematch_from integer,
  -- Parked receipts that made room for newer ones, since the limit on them was reached.
  dropped integer not null,
  dropped_at integer
) strict;

-- Pairs of ids that taught the rule (`counts_for = 'rule'`), and the run of those that speak for another one since.
create table learning_evidence (
  carrier integer not null references carrier,
  counts_for text not null,
  place integer not null,
  id_rule text not null,
  message integer not null,
  part integer not null,
  answer_id text not null,
  receipt_id text not null,
  at integer not null,
  primary key (carrier, counts_for, place)
) strict, without rowid;

-- What receipts of a carrier look like: how often each value of a trait was seen, with an id of a receipt that has it.
create table dialect (
  carrier integer not null references carrier,
  trait text not null,
  value text not null,
  seen integer not null,
  first_at integer not null,
  last_at integer not null,
  example text not null,
  primary key (carrier, trait, value)
) strict, without rowid;

-- Why it is parked: `unknown` (no answer has its id), `unreadable` (nobody can tell what it says), `undecided` (its id
-- may be that of several messages until the carrier's id rule is known, or an answer comes).
alter table parked_receipt add column why text not null default 'unknown';
update parked_receipt set why = 'unreadable' where carrier_state is null;
create index parked_receipt_why on parked_receipt (carrier, why);
create index parked_receipt_undecided on parked_receipt (id) where why = 'undecided';

-- Keys no longer depend on a rule: numbers of either base are kept as they are written, in lower case and without zeros
-- in front. Ids that can be no number have that form already. An attempt whose doubt a receipt ended has the receipt's
-- id, and had a key in decimal like all others: the key is that of the answer to which such a receipt belongs, in
-- decimal where receipts are hexadecimal, and in hexadecimal where answers are (SQLite reads 18 digits).
update attempt set carrier_id_key = case (select id_rule from carrier where carrier.id = attempt.carrier)
    when 'hex-receipt' then iif(carrier_id_key not glob '*[^0-9]*', carrier_id_key, ltrim(carrier_id_key, '0'))
    when 'hex-answer' then iif(
      carrier_id_key = ltrim(carrier_id, '0') and length(carrier_id_key) <= 18,
      printf('%x', cast(carrier_id_key as integer)),
      coalesce(nullif(ltrim(lower(carrier_id), '0'), ''), '0'))
    else coalesce(nullif(ltrim(lower(carrier_id), '0'), ''), '0') end
  where carrier_id_key is not null and carrier_id <> '' and carrier_id not glob '*[^0-9a-fA-F]*';
update parked_receipt set carrier_id_key = coalesce(nullif(ltrim(lower(carrier_id), '0'), ''), '0')
  where carrier_id <> '' and carrier_id not glob '*[^0-9a-fA-F]*';
