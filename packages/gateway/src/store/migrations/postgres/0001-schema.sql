-- The tables of Morsel in PostgreSQL. store/tables describes them for the code; a test compares both, and this file with
-- the schema of SQLite. Columns of one width come first, so that a row has no gaps between them.
--
-- Every text is compared octet by octet (collate "C"), whatever the collation of the operator's database is. There are no
-- foreign keys: to check one, PostgreSQL locks the row of the account for each message.

-- The schema itself

create table morsel_schema (
  -- The number of the newest migration.
  version bigint not null,
  -- Programs that know fewer migrations cannot use this version.
  oldest_program bigint not null
);
insert into morsel_schema values (1, 1);

-- A group of commands calls it: each of its rows must still be as it was loaded.
create function morsel_expect(counted bigint, wanted bigint) returns boolean language plpgsql as $$
begin
  if counted is distinct from wanted then
    raise exception 'a row was changed by another node' using errcode = 'MV001';
  end if;
  return true;
end $$;

-- Nodes and settings

create table member (
  node bigint not null,
  -- The lease that it began with.
  lease bigint not null default 0,
  -- The number of the newest migration that its program knows.
  program bigint not null default 1,
  -- The version of the settings that it uses.
  settings bigint not null default 0,
  -- When it renewed its lease last, by the clock of the database.
  renewed_at timestamptz not null default now(),
  is_stopped boolean not null default true,
  is_draining boolean not null default false,
  -- The keys of the links that are bound there.
  bound_links bigint[] not null default '{}',
  -- How many clients are bound there.
  sessions bigint not null default 0,
  -- How many milliseconds its clock is ahead of that of the database.
  clock_off bigint not null default 0,
  name text collate "C" not null unique,
  -- The version of its program.
  release text collate "C" not null default '',
  primary key (node)
) with (fillfactor = 20);

-- What one node does at a time. It has the duty for as long as it has the lease.
create table duty (
  key bigint not null,
  node bigint not null,
  lease bigint not null,
  kind text collate "C" not null,
  primary key (kind, key)
) with (fillfactor = 50);

-- What a node asks all others, for a moment, and their answers.
create table call (
  id bigint generated always as identity,
  node bigint not null,
  made_at timestamptz not null default clock_timestamp(),
  name text collate "C" not null,
  body text collate "C" not null,
  primary key (id)
);

create table answer (
  call bigint not null references call on delete cascade,
  node bigint not null,
  body text collate "C" not null,
  primary key (call, node)
);

create table setting (
  version bigint not null
);
insert into setting values (1);

create table node (
  id bigint not null,
  last_message_id bigint not null,
  lease bigint not null,
  inbound_answered bigint,
  seen_at bigint not null,
  untrusted_from bigint,
  last_cdr bigint not null,
  groups bigint not null,
  primary key (id)
) with (fillfactor = 20);

-- Operators

create table operator (
  created_at bigint not null,
  name text collate "C" not null,
  role text collate "C" not null check (role in ('owner', 'operator', 'support', 'finance', 'viewer')),
  primary key (name)
);

create table operator_key (
  created_at bigint not null,
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint,
  id text collate "C" not null,
  operator text collate "C" not null,
  hash bytea not null,
  allowed_from text collate "C" not null,
  kind text collate "C" not null check (kind in ('key', 'session')),
  agent text collate "C",
  primary key (id)
);
create index operator_key_operator on operator_key (operator, created_at, id);
create index operator_key_newest on operator_key (created_at, id);

create table operator_sign_in (
  id bigint not null,
  password_cost bigint not null,
  password_block bigint not null,
  password_lanes bigint not null,
  code_step bigint not null,
  changed_at bigint not null,
  operator text collate "C" not null,
  password_hash bytea not null,
  password_salt bytea not null,
  code_secret bytea,
  primary key (id)
);
create unique index operator_sign_in_operator on operator_sign_in (operator);

-- Each entry has the hash of itself and of the entry before.
create table audit_entry (
  node bigint not null,
  number bigint not null,
  at bigint not null,
  operator text collate "C" not null,
  role text collate "C" not null,
  operator_key text collate "C" not null,
  address text collate "C" not null,
  request_id text collate "C" not null,
  operation text collate "C" not null,
  account text collate "C",
  carrier text collate "C",
  reason text collate "C",
  given text collate "C" not null,
  changes text collate "C" not null,
  hash bytea not null,
  primary key (node, number)
);
create index audit_entry_newest on audit_entry (at, node, number);
create index audit_entry_operator on audit_entry (operator, at, node, number);
create index audit_entry_operation on audit_entry (operation, at, node, number);
create index audit_entry_account on audit_entry (account, at, node, number) where account is not null;
create index audit_entry_carrier on audit_entry (carrier, at, node, number) where carrier is not null;
create function audit_entry_refuses_changes() returns trigger language plpgsql as $$
begin
  raise exception 'entries of the audit log cannot be changed or deleted';
end $$;
create trigger audit_entry_is_never_changed before update on audit_entry
  for each row execute function audit_entry_refuses_changes();
create trigger audit_entry_is_never_removed before delete on audit_entry
  for each row execute function audit_entry_refuses_changes();
create trigger audit_entry_is_never_emptied before truncate on audit_entry
  for each statement execute function audit_entry_refuses_changes();

-- Changes with an idempotency key, which are done once.
create table operator_request (
  created_at bigint not null,
  operator text collate "C" not null,
  key text collate "C" not null,
  hash bytea not null,
  primary key (operator, key)
);
create index operator_request_created on operator_request (created_at, operator, key);

-- The newest entry of each node.
create table audit_head (
  node bigint not null,
  number bigint not null,
  hash bytea not null,
  primary key (node)
);

-- Accounts and their credentials

create table account (
  id bigint not null,
  balance bigint not null,
  credit_limit bigint not null check (credit_limit >= 0),
  price_list bigint not null,
  parts_max bigint not null check (parts_max between 1 and 255),
  receipt_wait_ms bigint not null check (receipt_wait_ms > 0),
  created_at bigint not null,
  day_cap bigint check (day_cap >= 0),
  month_cap bigint check (month_cap >= 0),
  spent_day bigint not null,
  spent_day_ends_at bigint not null,
  spent_month bigint not null,
  spent_month_ends_at bigint not null,
  alerted_below bigint,
  last_entry bigint not null,
  last_entry_at bigint not null,
  smpp_binds bigint not null,
  smpp_window bigint not null,
  text_days bigint not null check (text_days > 0),
  number_days bigint not null check (number_days >= text_days),
  record_days bigint not null check (record_days >= number_days),
  name text collate "C" not null,
  currency text collate "C" not null,
  status text collate "C" not null,
  refund_policy text collate "C" not null,
  time_zone text collate "C" not null,
  low_balance text collate "C" not null,
  rules text collate "C",
  allowed_from text collate "C" not null,
  margin_min text collate "C",
  below_margin text collate "C" not null,
  smpp_data_coding0 text collate "C" not null,
  smpp_long text collate "C" not null,
  store_text text collate "C" not null,
  primary key (id)
) with (fillfactor = 50);
create unique index account_name on account (name);
create index account_price_list on account (price_list, name, id);
create index account_low on account (id) where alerted_below is not null;
create index account_capped on account (id) where day_cap is not null or month_cap is not null;

-- The keys that encrypt texts, passwords and secrets. The keys of account 0 are those of the gateway itself.
create table encryption_key (
  account bigint not null,
  version bigint not null,
  created_at bigint not null,
  -- Encrypted with the master key.
  wrapped bytea not null,
  primary key (account, version)
);

create table account_limit (
  account bigint not null,
  after_entry bigint not null,
  credit_limit bigint not null check (credit_limit >= 0),
  primary key (account, after_entry)
);

create table refusal (
  id bigint not null,
  at bigint not null,
  account text collate "C" not null,
  code text collate "C" not null,
  request_id text collate "C" not null,
  operation text collate "C",
  field text collate "C",
  rule text collate "C",
  receiver text collate "C",
  primary key (id)
);
create index refusal_account on refusal (account, id);
create index refusal_request on refusal (request_id, id);

create table refusal_hour (
  hour bigint not null,
  account text collate "C" not null,
  code text collate "C" not null,
  refusals bigint not null,
  last_at bigint not null,
  request_id text collate "C" not null,
  primary key (hour, account, code)
);

create table rule_hit (
  account bigint not null,
  watched bigint not null,
  refused bigint not null,
  first_at bigint not null,
  last_at bigint not null,
  rule text collate "C" not null,
  sender text collate "C" not null,
  receiver text collate "C" not null,
  primary key (account, rule)
);
create index rule_hit_newest on rule_hit (last_at, account, rule);

-- In a slot of ten minutes.
create table rule_slot (
  slot bigint not null,
  account bigint not null,
  broken bigint not null,
  refused bigint not null,
  rule text collate "C" not null,
  primary key (slot, account, rule)
);

create table token (
  account bigint not null,
  created_at bigint not null,
  expires_at bigint,
  revoked_at bigint,
  id text collate "C" not null,
  hash bytea not null,
  scopes text collate "C" not null,
  allowed_from text collate "C" not null,
  primary key (id)
);
create index token_account on token (account, created_at, id);
create index token_newest on token (created_at, id);

create table token_day (
  day bigint not null,
  requests bigint not null,
  messages bigint not null,
  last_at bigint not null,
  token text collate "C" not null,
  primary key (token, day)
);
create index token_day_newest on token_day (day, token);

create table login (
  id bigint not null,
  account bigint not null,
  password_cost bigint not null,
  password_block bigint not null,
  password_lanes bigint not null,
  created_at bigint not null,
  removed_at bigint,
  last_bind_at bigint,
  system_id text collate "C" not null,
  password_hash bytea not null,
  password_salt bytea not null,
  allowed_from text collate "C" not null,
  primary key (id)
);
create index login_account on login (account, id);
create unique index login_system_id on login (system_id) where removed_at is null;

-- Money

create table entry (
  id bigint not null,
  account bigint not null,
  amount bigint not null,
  balance_after bigint not null,
  messages bigint not null,
  first_message bigint,
  last_message bigint,
  part bigint,
  created_at bigint not null,
  parts bigint not null,
  kind text collate "C" not null,
  reason text collate "C" not null,
  actor text collate "C" not null,
  key text collate "C",
  primary key (id)
);
create index entry_account on entry (account, id);
create unique index entry_key on entry (account, key) where key is not null;
create function entry_is_final() returns trigger language plpgsql as $$
begin
  raise exception 'entries of the ledger cannot be changed or deleted: post an adjustment';
end $$;
create trigger entry_is_never_changed before update on entry for each row execute function entry_is_final();
create trigger entry_is_never_removed before delete on entry for each row execute function entry_is_final();
create trigger entry_is_never_emptied before truncate on entry for each statement execute function entry_is_final();

create table alert (
  id bigint not null,
  account bigint,
  at bigint not null,
  threshold bigint,
  balance bigint,
  carrier bigint,
  unit_price bigint,
  unit_cost bigint,
  webhook bigint,
  kind text collate "C" not null,
  prefix text collate "C",
  detail text collate "C",
  primary key (id)
);
create index alert_account on alert (account, id);
create index alert_at on alert (at, id);

create table price_list (
  id bigint not null,
  created_at bigint not null,
  base bigint,
  last_version bigint not null,
  removed_at bigint,
  name text collate "C" not null,
  currency text collate "C" not null,
  primary key (id)
);
create unique index price_list_name on price_list (name);

create table price_list_version (
  price_list bigint not null,
  version bigint not null,
  effective_at bigint not null,
  created_at bigint not null,
  changes bigint not null,
  place bigint not null,
  is_whole smallint not null,
  primary key (price_list, version)
);
create unique index price_list_place on price_list_version (price_list, place);

create table price_list_base (
  price_list bigint not null,
  since bigint not null,
  base bigint,
  primary key (price_list, since)
);

create table price (
  price_list bigint not null,
  place bigint not null,
  unit_price bigint check (unit_price >= 0),
  prefix text collate "C" not null,
  primary key (price_list, prefix, place)
);
create index price_version on price (price_list, place, prefix);

create table price_import (
  price_list bigint not null,
  version bigint not null,
  base bigint,
  created_at bigint not null,
  place bigint not null,
  pinned bigint,
  is_new smallint not null,
  is_over smallint not null,
  is_whole smallint not null,
  id text collate "C" not null,
  name text collate "C" not null,
  currency text collate "C" not null,
  primary key (id)
);
create unique index price_import_name on price_import (name);

-- Carriers and routes

create table carrier (
  id bigint not null,
  port bigint not null,
  window_max bigint not null check (window_max > 0),
  throughput text collate "C" not null,
  links bigint not null check (links > 0),
  created_at bigint not null,
  cost_list bigint,
  name text collate "C" not null,
  host text collate "C" not null,
  system_id text collate "C" not null,
  password bytea not null,
  system_type text collate "C" not null,
  in_doubt text collate "C" not null,
  id_rule text collate "C" not null,
  status text collate "C" not null,
  profile text collate "C" not null,
  receiver_password bytea,
  tls_key bytea,
  primary key (id)
);
create unique index carrier_name on carrier (name) where status <> 'removed';

create table route (
  id bigint not null,
  account bigint,
  created_at bigint not null,
  removed_at bigint,
  prefix text collate "C" not null,
  sender text collate "C",
  encoding text collate "C",
  rank_order text collate "C" not null,
  primary key (id)
);
create unique index route_match
  on route (prefix, coalesce(sender, ''), coalesce(account, 0), coalesce(encoding, '')) where removed_at is null;

create table route_carrier (
  route bigint not null,
  carrier bigint not null,
  rank bigint not null check (rank > 0),
  weight bigint not null check (weight > 0),
  cost bigint check (cost >= 0),
  wait_ms bigint check (wait_ms >= 0),
  created_at bigint not null,
  removed_at bigint,
  primary key (route, carrier)
);
create index route_carrier_carrier on route_carrier (carrier, route);

create table route_to_follow (
  route bigint not null,
  changed_at bigint not null,
  forgets text collate "C" not null,
  primary key (route)
);

create table learning (
  carrier bigint not null,
  learned_at bigint,
  rematch_from bigint,
  dropped bigint not null,
  dropped_at bigint,
  marked_at bigint,
  has_text_receipts smallint not null,
  learned text collate "C",
  news text collate "C",
  primary key (carrier)
);

create table learning_evidence (
  carrier bigint not null,
  place bigint not null,
  message bigint not null,
  part bigint not null,
  at bigint not null,
  counts_for text collate "C" not null,
  rule text collate "C" not null,
  answer_id text collate "C" not null,
  receipt_id text collate "C" not null,
  primary key (carrier, counts_for, place)
);

create table dialect (
  carrier bigint not null,
  seen bigint not null,
  first_at bigint not null,
  last_at bigint not null,
  trait text collate "C" not null,
  value text collate "C" not null,
  example text collate "C" not null,
  primary key (carrier, trait, value)
);

-- Messages. The program attaches the partitions (store/postgres/partitions.ts).

create table message (
  id bigint not null,
  account bigint not null,
  num_parts bigint not null,
  reference bigint,
  priority bigint not null,
  route bigint not null,
  accepted_at bigint not null,
  due_at bigint not null,
  expires_at bigint not null,
  price_list bigint not null,
  price_version bigint not null,
  unit_price bigint not null,
  total_cost bigint not null,
  balance_after bigint not null,
  entry bigint not null,
  entry_place bigint not null,
  registered bigint not null check (registered between 0 and 3),
  store_text smallint not null,
  flash smallint not null,
  source text collate "C" not null,
  sender text collate "C" not null,
  receiver text collate "C" not null,
  dcs text collate "C" not null,
  encoding text collate "C" not null,
  -- Its text, or the octets of a client-encoded part, encrypted. Null once they are erased.
  content bytea,
  client_ref text collate "C",
  tags text collate "C",
  tlvs text collate "C",
  submitter text collate "C",
  address text collate "C",
  session text collate "C",
  primary key (id)
) partition by range (id);

create table part (
  message bigint not null,
  number bigint not null,
  changed_at bigint not null,
  deadline bigint,
  due bigint,
  carrier bigint,
  attempts bigint not null,
  tries bigint not null,
  in_doubt bigint not null,
  refund_entry bigint,
  tried_by bigint,
  round_ends bigint,
  cdr bigint,
  claim_link bigint,
  claim_lease bigint,
  claim_at bigint,
  report_event_at bigint,
  claim_is_whole smallint,
  report_corrected smallint,
  report_own_end smallint,
  state text collate "C" not null,
  carrier_state text collate "C",
  error_code text collate "C",
  eligible text collate "C" not null,
  text_end text collate "C",
  report_event text collate "C",
  report_error_code text collate "C",
  primary key (message, number)
) partition by range (message);
create index part_claimed on part (tried_by, message, number) where claim_link is not null;
create index part_deadline on part (deadline, message, number) where deadline is not null;

create table attempt (
  message bigint not null,
  part bigint not null,
  number bigint not null,
  carrier bigint not null,
  link bigint not null,
  lease bigint not null,
  claimed_at bigint not null,
  answered_at bigint,
  command_status bigint,
  cost_amount bigint check (cost_amount >= 0),
  is_whole smallint not null,
  outcome text collate "C",
  carrier_id text collate "C",
  carrier_id_key text collate "C",
  cost_currency text collate "C",
  primary key (message, part, number)
) partition by range (message);
create index attempt_carrier_id
  on attempt (carrier, carrier_id_key, message, part, number) where carrier_id_key is not null;

create table cdr (
  id bigint not null,
  account bigint not null,
  message bigint not null,
  part bigint not null,
  ended_at bigint not null,
  carrier bigint,
  refund_entry bigint,
  corrects bigint,
  event text collate "C" not null,
  error_code text collate "C",
  primary key (id)
) partition by range (id);

create table queue (
  route bigint not null,
  priority bigint not null,
  account bigint not null,
  due bigint not null,
  message bigint not null,
  part bigint not null,
  eligible text collate "C" not null,
  primary key (route, eligible, priority, account, due, message, part)
) with (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0
);

create table scheduled (
  due_at bigint not null,
  message bigint not null,
  primary key (due_at, message)
) with (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0
);

create table tagged (
  message bigint not null,
  tag text collate "C" not null,
  primary key (tag, message)
);

create table doubt (
  carrier bigint not null,
  message bigint not null,
  part bigint not null,
  attempt bigint not null,
  receiver text collate "C" not null,
  sender text collate "C" not null,
  primary key (carrier, receiver, sender, message, part, attempt)
) with (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0
);
create index doubt_part on doubt (message, part, carrier, receiver, sender, attempt);

create table unmatched_receipt (
  id bigint not null,
  carrier bigint not null,
  received_at bigint not null,
  carrier_id_key text collate "C" not null,
  carrier_id text collate "C" not null,
  carrier_state text collate "C",
  error_code text collate "C",
  sender text collate "C" not null,
  receiver text collate "C" not null,
  why text collate "C" not null,
  octets bytea,
  or_inbound text collate "C",
  primary key (id)
);
create index unmatched_receipt_key on unmatched_receipt (carrier, carrier_id_key, id);
create index unmatched_receipt_numbers on unmatched_receipt (carrier, receiver, sender, id);
create index unmatched_receipt_undecided on unmatched_receipt (id) where why = 'undecided';
create index unmatched_receipt_why on unmatched_receipt (carrier, why, id);

create table note (
  id bigint not null,
  message bigint not null,
  at bigint not null,
  part bigint,
  kind text collate "C" not null,
  detail text collate "C" not null,
  primary key (id)
) partition by range (id);
create index note_message on note (message, id);

create table reference (
  last bigint not null,
  used_at bigint not null,
  receiver text collate "C" not null,
  sender text collate "C" not null,
  primary key (receiver, sender)
);
create index reference_used on reference (used_at, receiver, sender);

create table idempotency_key (
  account bigint not null,
  message bigint not null,
  created_at bigint not null,
  key text collate "C" not null,
  hash bytea not null,
  primary key (account, key)
) with (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0
);
create index idempotency_key_created on idempotency_key (created_at, account, key);

-- Numbers and inbound messages

create table number (
  account bigint,
  created_at bigint not null,
  digits text collate "C" not null,
  kind text collate "C" not null,
  number text collate "C" not null,
  primary key (digits, kind)
);
create index number_account on number (account, digits, kind);

create table keyword (
  account bigint not null,
  created_at bigint not null,
  digits text collate "C" not null,
  kind text collate "C" not null,
  word text collate "C" not null,
  primary key (digits, kind, word)
);
create index keyword_account on keyword (account, digits, kind, word);

create table inbound (
  id bigint not null,
  carrier bigint not null,
  data_coding bigint not null,
  num_parts bigint not null,
  parts_received bigint not null,
  received_at bigint not null,
  account bigint,
  complete smallint not null,
  sender text collate "C" not null,
  receiver text collate "C" not null,
  dcs text collate "C" not null,
  -- Its text, or its octets and their header, encrypted. Null once they are erased.
  content bytea,
  matched_by text collate "C",
  keyword text collate "C",
  primary key (id)
);
create index inbound_account on inbound (account, id);
create index inbound_receiver on inbound (receiver, id);

create table inbound_part (
  id bigint not null,
  carrier bigint not null,
  concatenation_reference bigint not null,
  concatenation_total bigint not null,
  concatenation_number bigint not null,
  data_coding bigint not null,
  esm_class bigint not null,
  ports_destination bigint,
  ports_source bigint,
  received_at bigint not null,
  sender text collate "C" not null,
  receiver text collate "C" not null,
  concatenation_kind text collate "C" not null,
  octets bytea not null,
  coding text collate "C" not null,
  primary key (id)
);
create index inbound_part_message
  on inbound_part (carrier, sender, receiver, concatenation_kind, concatenation_reference, concatenation_total, id);
create index inbound_part_received on inbound_part (received_at, id);

create table inbound_joined (
  carrier bigint not null,
  concatenation_reference bigint not null,
  concatenation_total bigint not null,
  concatenation_number bigint not null,
  joined_at bigint not null,
  sender text collate "C" not null,
  receiver text collate "C" not null,
  concatenation_kind text collate "C" not null,
  digest bytea not null,
  primary key (carrier, sender, receiver, concatenation_kind, concatenation_reference, concatenation_total, concatenation_number)
);
create index inbound_joined_at
  on inbound_joined (joined_at, carrier, sender, receiver, concatenation_kind, concatenation_reference, concatenation_total, concatenation_number);

create table inbound_repeat (
  id bigint not null,
  carrier bigint not null,
  expected_at bigint not null,
  taken_by bigint,
  sender text collate "C" not null,
  receiver text collate "C" not null,
  digest bytea not null,
  primary key (id)
);
create index inbound_repeat_expected on inbound_repeat (expected_at, id);
create index inbound_repeat_numbers on inbound_repeat (carrier, sender, receiver, id);

create table opt_out (
  account bigint not null,
  since bigint not null,
  event bigint not null,
  receiver text collate "C" not null,
  sender text collate "C" not null,
  primary key (account, receiver, sender)
);
create index opt_out_receiver on opt_out (receiver, account, sender);

create table opt_out_event (
  id bigint not null,
  account bigint not null,
  at bigint not null,
  inbound bigint,
  receiver text collate "C" not null,
  sender text collate "C" not null,
  wish text collate "C" not null,
  word text collate "C",
  actor text collate "C",
  reason text collate "C",
  primary key (id)
);
create index opt_out_event_account on opt_out_event (account, id);
create index opt_out_event_receiver on opt_out_event (receiver, id);

create table opt_out_handling (
  account bigint not null,
  is_on smallint not null,
  scope text collate "C" not null,
  primary key (account)
);

create table opt_out_word (
  account bigint not null,
  word text collate "C" not null,
  means text collate "C" not null,
  primary key (account, word)
);

-- Notifications

create table webhook (
  id bigint not null,
  account bigint not null,
  concurrency bigint not null check (concurrency between 1 and 1000),
  failing_since bigint,
  created_at bigint not null,
  removed_at bigint,
  failed_at bigint,
  url text collate "C" not null,
  method text collate "C" not null,
  kinds text collate "C" not null,
  number_kind text collate "C",
  number_digits text collate "C",
  keyword text collate "C",
  template text collate "C",
  allowed text collate "C" not null,
  status text collate "C" not null,
  failure text collate "C",
  primary key (id)
);
create index webhook_account on webhook (account, id);

create table webhook_secret (
  id bigint not null,
  webhook bigint not null,
  created_at bigint not null,
  removed_at bigint,
  -- Null once it is removed: a removed secret could only help a thief.
  secret bytea,
  primary key (id)
);
create index webhook_secret_webhook on webhook_secret (webhook, id);

create table notification (
  id bigint not null,
  account bigint not null,
  subject bigint not null,
  event_at bigint,
  webhook bigint,
  due bigint,
  tries bigint not null,
  created_at bigint not null,
  ended_at bigint,
  replayed_at bigint,
  replayed_after bigint not null,
  by_session smallint not null,
  kind text collate "C" not null,
  event text collate "C",
  error_code text collate "C",
  state text collate "C" not null,
  tried_by text collate "C",
  outcome text collate "C",
  primary key (id)
) with (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0
);
create index notification_account on notification (account, id);
create index notification_any_dead on notification (state, id) where state = 'dead';
create index notification_dead on notification (account, state, id) where state = 'dead';
create index notification_session_due on notification (account, due, id) where due is not null and by_session = 1;
create index notification_subject on notification (subject, id);
create index notification_webhook_dead on notification (webhook, state, id) where state = 'dead';
create index notification_webhook_due
  on notification (webhook, by_session, due, id) where due is not null and webhook is not null;

create table notification_try (
  notification bigint not null,
  number bigint not null,
  at bigint not null,
  tried_by text collate "C" not null,
  outcome text collate "C" not null,
  primary key (notification, number)
);

-- Settings as a file

-- The settings before each of the newest applies, as JSON without secrets.
create table config_state (
  number bigint not null,
  at bigint not null,
  actor text collate "C" not null,
  config text collate "C" not null,
  primary key (number)
);

-- Privacy

-- How far old texts, numbers and records are removed, for the accounts with this number of days.
create table retention (
  days bigint not null,
  through bigint not null,
  removed bigint not null,
  at bigint not null,
  what text collate "C" not null,
  primary key (what, days)
);

-- Messages that were not finished when the removal passed them.
create table left_behind (
  message bigint not null,
  what text collate "C" not null,
  primary key (what, message)
);

-- What the removed messages of a charge, or the removed part of a refund, add up to.
create table removed_charge (
  entry bigint not null,
  messages bigint not null,
  parts bigint not null,
  amount bigint not null,
  primary key (entry)
);

-- The key of the codes that stand for erased phone numbers.
create table number_key (
  id bigint not null,
  key bytea not null,
  primary key (id)
);

-- Erasures of one phone number. The number is deleted with the last row that has it.
create table erasure (
  id bigint not null,
  at bigint not null,
  through bigint not null,
  messages bigint not null,
  inbound bigint not null,
  stale bigint,
  ended_at bigint,
  code text collate "C" not null,
  phase text collate "C" not null,
  actor text collate "C" not null,
  reason text collate "C" not null,
  receiver text collate "C",
  left_in text collate "C",
  primary key (id)
);
create index erasure_open on erasure (phase, id) where phase <> 'done';

-- Alarms for the operator.
create table alarm (
  id bigint not null,
  opened_at bigint not null,
  acknowledged_at bigint,
  closed_at bigint,
  kind text collate "C" not null,
  subject text collate "C" not null,
  severity text collate "C" not null,
  evidence text collate "C" not null,
  help text collate "C" not null,
  acknowledged_by text collate "C",
  primary key (id)
);
create unique index alarm_open on alarm (kind, subject) where closed_at is null;
create index alarm_open_id on alarm (id) where closed_at is null;

-- What the operator set for a kind of alarm; null is as declared.
create table alarm_setting (
  threshold bigint,
  for_seconds bigint,
  is_on smallint not null check (is_on in (0, 1)),
  kind text collate "C" not null,
  primary key (kind)
);

-- A time in which an alarm opens, but nobody hears of it. An empty subject is every subject of the kind.
create table alarm_quiet (
  until bigint not null,
  kind text collate "C" not null,
  subject text collate "C" not null,
  primary key (kind, subject)
);

-- Who hears of alarms.
create table alarm_receiver (
  id bigint not null,
  created_at bigint not null,
  name text collate "C" not null,
  kind text collate "C" not null,
  address text collate "C" not null,
  server text collate "C",
  user_name text collate "C",
  sender text collate "C",
  account text collate "C",
  severity text collate "C" not null,
  quiet text collate "C",
  time_zone text collate "C" not null,
  allowed text collate "C" not null,
  secret bytea,
  primary key (id)
);
create unique index alarm_receiver_name on alarm_receiver (name);

-- What came of the tries to tell a receiver.
create table alarm_receiver_state (
  tried_at bigint not null,
  failing_since bigint,
  receiver text collate "C" not null,
  outcome text collate "C",
  tries text collate "C" not null,
  primary key (receiver)
);

-- That a receiver hears that an alarm opened or closed.
create table alarm_notice (
  alarm bigint not null,
  due bigint,
  tries bigint not null,
  told_at bigint,
  receiver text collate "C" not null,
  turn text collate "C" not null,
  outcome text collate "C",
  primary key (alarm, receiver, turn)
);
create index alarm_notice_due on alarm_notice (receiver, due, alarm, turn) where due is not null;

-- What went through the gateway in each minute and in each hour. The row without a currency has what is not money.
create table total (
  node bigint not null,
  what text collate "C" not null,
  word text collate "C" not null,
  n bigint not null,
  amount bigint not null,
  primary key (node, what, word)
) with (fillfactor = 50);

create table traffic_slot (
  span bigint not null,
  slot bigint not null,
  messages bigint not null,
  parts bigint not null,
  refused bigint not null,
  sent bigint not null,
  bounced bigint not null,
  delivered bigint not null,
  failed bigint not null,
  inbound bigint not null,
  charged bigint not null,
  currency text collate "C" not null,
  primary key (span, slot, currency)
);

-- Parts of a carrier in a slot of ten minutes.
create table carrier_slot (
  carrier bigint not null,
  slot bigint not null,
  accepted bigint not null,
  refused bigint not null,
  delivered bigint not null,
  failed bigint not null,
  primary key (carrier, slot)
);
