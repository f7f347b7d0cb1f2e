-- What was learned of a carrier from its receipts. It counts if the id rule of the carrier is `auto`.
create table learning (
  carrier integer primary key references carrier,
  -- Null until enough of its receipts agree.
  id_rule text,
  learned_at integer,
  -- Unmatched receipts from this id on must be looked at again under the present rule; null when all were.
  rematch_from integer,
  -- Unmatched receipts that were deleted for newer ones since the limit was reached.
  dropped integer not null,
  dropped_at integer
) strict;

-- Pairs of ids that taught the rule (`counts_for = 'rule'`), and later ones for another rule.
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

-- The form of a carrier's receipts: how often each value of a trait was seen, with the id of a receipt that has it.
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

-- Why it is unmatched: `unknown` (no answer has its id), `unreadable` (its state cannot be read), `undecided` (its id
-- fits several messages until the carrier's id rule is known, or an answer comes).
alter table parked_receipt add column why text not null default 'unknown';
update parked_receipt set why = 'unreadable' where carrier_state is null;
create index parked_receipt_why on parked_receipt (carrier, why);
create index parked_receipt_undecided on parked_receipt (id) where why = 'undecided';

-- Keys no longer depend on a rule: numbers of either base are stored as written, in lower case and without leading
-- zeros. Ids that are not numbers have that form already. An attempt whose doubt a receipt ended has the receipt's id,
-- with a key in decimal. Its key becomes that of the answer for such a receipt: decimal if receipts are hexadecimal,
-- hexadecimal if answers are (SQLite reads 18 digits).
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
