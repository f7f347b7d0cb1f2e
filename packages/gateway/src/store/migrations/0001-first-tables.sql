-- Times are milliseconds since 1970 (UTC), amounts millionths of a currency unit.

create table node (
  id integer primary key check (id = 1),
  -- No id at or below it is ever given out again, whatever the clock says.
  message_id_high_water integer not null,
  -- Grows with each start of the process: the owner of a claim.
  lease integer not null
) strict;
insert into node values (1, 0, 0);

create table price_list (
  id integer primary key,
  name text not null unique,
  currency text not null,
  created_at integer not null
) strict;

create table price_list_version (
  price_list integer not null references price_list,
  version integer not null,
  effective_at integer not null,
  created_at integer not null,
  primary key (price_list, version)
) strict, without rowid;

-- A price is valid from version `since` until before version `until`; a version is never changed once it exists.
create table price (
  price_list integer not null references price_list,
  prefix text not null,
  since integer not null,
  until integer,
  unit_price integer not null check (unit_price >= 0),
  primary key (price_list, prefix, since)
) strict, without rowid;
create index price_current on price (price_list) where until is null;

create table account (
  id integer primary key,
  name text not null unique,
  currency text not null,
  status text not null,
  balance integer not null,
  credit_limit integer not null check (credit_limit >= 0),
  price_list integer not null references price_list,
  parts_max integer not null check (parts_max between 1 and 255),
  receipt_wait_ms integer not null check (receipt_wait_ms > 0),
  refund_policy text not null,
  created_at integer not null
) strict;

create table token (
  id text primary key,
  account integer not null references account,
  hash blob not null,
  created_at integer not null,
  expires_at integer,
  revoked_at integer,
  last_used_at integer
) strict, without rowid;
create index token_account on token (account);

create table carrier (
  id integer primary key,
  name text not null,
  host text not null,
  port integer not null,
  system_id text not null,
  password text not null,
  system_type text not null,
  window_max integer not null check (window_max > 0),
  throughput integer not null check (throughput >= 0),
  links integer not null check (links > 0),
  in_doubt text not null,
  id_rule text not null,
  status text not null,
  created_at integer not null
) strict;
create unique index carrier_name on carrier (name) where status <> 'removed';

create table route (
  id integer primary key,
  prefix text not null,
  carrier integer not null references carrier,
  created_at integer not null,
  removed_at integer
) strict;
create unique index route_prefix on route (prefix) where removed_at is null;

-- Entries never change (M4) and the balance of an account is their sum at every commit (M1). The charges of one commit
-- group share an entry an account: its messages are those of the account in [first_message, last_message] that name it.
create table entry (
  id integer primary key,
  account integer not null references account,
  kind text not null,
  amount integer not null,
  balance_after integer not null,
  messages integer not null,
  first_message integer,
  last_message integer,
  part integer,
  reason text not null,
  actor text not null,
  created_at integer not null
) strict;
create index entry_account on entry (account, id);

create table message (
  id integer primary key,
  account integer not null references account,
  source text not null,
  sender text not null,
  receiver text not null,
  dcs text not null,
  encoding text not null,
  text text,
  octets blob,
  header blob,
  num_parts integer not null,
  -- Concatenation reference of its parts (3GPP TS 23.040, 9.2.3.24.1); null for one part.
  reference integer,
  client_ref text,
  flash integer not null,
  priority integer not null,
  route integer not null references route,
  accepted_at integer not null,
  release_at integer not null,
  expires_at integer not null,
  price_list integer not null,
  price_version integer not null,
  unit_price integer not null,
  total_cost integer not null,
  balance_after integer not null,
  entry integer not null references entry,
  entry_place integer not null,
  event text not null,
  event_at integer not null,
  corrected integer not null,
  own_end integer not null,
  error_code text
) strict;

create table part (
  message integer not null references message,
  number integer not null,
  state text not null,
  changed_at integer not null,
  -- When it needs attention next: the end of its validity or of its wait for a receipt, or a resend; null once final.
  deadline integer,
  -- Its place in the queue while it waits.
  due integer,
  carrier integer references carrier,
  attempts integer not null,
  tries integer not null,
  in_doubt integer not null,
  carrier_state text,
  error_code text,
  refund_entry integer references entry,
  primary key (message, number)
) strict, without rowid;
create index part_deadline on part (deadline) where deadline is not null;

create table attempt (
  message integer not null,
  part integer not null,
  number integer not null,
  carrier integer not null references carrier,
  link integer not null,
  lease integer not null,
  claimed_at integer not null,
  answered_at integer,
  outcome text,
  command_status integer,
  carrier_id text,
  carrier_id_key text,
  primary key (message, part, number)
) strict, without rowid;
create index attempt_carrier_id on attempt (carrier, carrier_id_key) where carrier_id_key is not null;
create index attempt_in_flight on attempt (carrier) where outcome is null;

-- Attempts in doubt whose part is not final, found by their numbers for a receipt with an unknown id.
create table doubt (
  carrier integer not null references carrier,
  receiver text not null,
  sender text not null,
  message integer not null,
  part integer not null,
  attempt integer not null,
  primary key (carrier, receiver, sender, message, part, attempt)
) strict, without rowid;
create index doubt_part on doubt (message, part);

create table queue (
  route integer not null,
  priority integer not null,
  account integer not null,
  due integer not null,
  message integer not null,
  part integer not null,
  primary key (route, priority, account, due, message, part)
) strict, without rowid;

-- The last concatenation reference used between two numbers, so that parts under way are never mixed up.
create table reference (
  receiver text not null,
  sender text not null,
  last integer not null,
  used_at integer not null,
  primary key (receiver, sender)
) strict, without rowid;
create index reference_used on reference (used_at);

-- Receipts that match nothing yet (D1), and those that changed nothing.
create table parked_receipt (
  id integer primary key,
  carrier integer not null references carrier,
  carrier_id_key text not null,
  carrier_id text not null,
  carrier_state text,
  error_code text,
  sender text not null,
  receiver text not null,
  received_at integer not null
) strict;
create index parked_receipt_key on parked_receipt (carrier, carrier_id_key);

-- The part of a message's history that other rows do not hold: receipts that were not the last, corrections, guesses.
create table note (
  id integer primary key,
  message integer not null,
  at integer not null,
  part integer,
  kind text not null,
  detail text not null
) strict;
create index note_message on note (message);

-- The next three are used by later versions.
create table idempotency_key (
  account integer not null references account,
  key text not null,
  request_hash blob not null,
  message integer not null references message,
  created_at integer not null,
  primary key (account, key)
) strict, without rowid;
create index idempotency_key_created on idempotency_key (created_at);

-- Inbound messages as received, octets included.
create table inbound_part (
  id integer primary key,
  carrier integer not null references carrier,
  sender text not null,
  receiver text not null,
  data_coding integer not null,
  esm_class integer not null,
  octets blob not null,
  inbound integer references inbound,
  received_at integer not null
) strict;

create table inbound (
  id integer primary key,
  account integer references account,
  carrier integer not null references carrier,
  sender text not null,
  receiver text not null,
  dcs text not null,
  text text,
  octets blob,
  num_parts integer not null,
  complete integer not null,
  received_at integer not null
) strict;

create table notice (
  id integer primary key,
  account integer not null references account,
  kind text not null,
  message integer not null,
  state text not null,
  tries integer not null,
  due integer,
  created_at integer not null
) strict;
create index notice_due on notice (due) where due is not null;
