-- The tables of Morsel in SQLite. Instants are milliseconds since 1970, amounts are millionths of a unit of their currency.
-- store/tables describes them for the code; a test compares both.

-- 'Mors': the file is ours.
pragma application_id = 1299149427;

-- The process

create table node (
  id integer primary key,
  -- No id at or below it is ever given out again, whatever the clock says.
  last_message_id integer not null,
  -- The owner of a claim. Grows with each start of the process; its remainder by 128 is the id.
  lease integer not null,
  inbound_answered integer,
  seen_at integer not null,
  untrusted_from integer,
  last_cdr integer not null default 0,
  -- The commits. The file beside the database has their number, too.
  groups integer not null default 0
) strict;

insert into node (id, last_message_id, lease, seen_at) values (0, 0, 0, 0);

-- Operators

create table operator (
  name text primary key,
  role text not null check (role in ('owner', 'operator', 'support', 'finance', 'viewer')),
  created_at integer not null
) strict, without rowid;

create table operator_key (
  id text primary key,
  operator text not null references operator (name),
  hash blob not null,
  allowed_from text not null,
  created_at integer not null,
  expires_at integer,
  revoked_at integer,
  last_used_at integer,
  kind text not null check (kind in ('key', 'session')),
  agent text
) strict, without rowid;
create index operator_key_operator on operator_key (operator, created_at);
create index operator_key_newest on operator_key (created_at);

create table operator_sign_in (
  id integer primary key,
  operator text not null references operator (name),
  password_hash blob not null,
  password_salt blob not null,
  password_cost integer not null,
  password_block integer not null,
  password_lanes integer not null,
  code_secret blob,
  code_step integer not null,
  changed_at integer not null
) strict;
create unique index operator_sign_in_operator on operator_sign_in (operator);

-- Each entry has the hash of itself and of the entry before.
create table audit_entry (
  node integer not null,
  number integer not null,
  at integer not null,
  operator text not null,
  role text not null,
  operator_key text not null,
  address text not null,
  request_id text not null,
  operation text not null,
  account text,
  carrier text,
  reason text,
  given text not null,
  changes text not null,
  hash blob not null,
  primary key (node, number)
) strict, without rowid;
create index audit_entry_newest on audit_entry (at);
create index audit_entry_operator on audit_entry (operator, at);
create index audit_entry_operation on audit_entry (operation, at);
create index audit_entry_account on audit_entry (account, at) where account is not null;
create index audit_entry_carrier on audit_entry (carrier, at) where carrier is not null;
create trigger audit_entry_is_never_changed before update on audit_entry
begin
  select raise(abort, 'entries of the audit log cannot be changed');
end;
create trigger audit_entry_is_never_removed before delete on audit_entry
begin
  select raise(abort, 'entries of the audit log cannot be deleted');
end;

-- Changes with an idempotency key, which are done once.
create table operator_request (
  operator text not null,
  key text not null,
  hash blob not null,
  created_at integer not null,
  primary key (operator, key)
) strict, without rowid;
create index operator_request_created on operator_request (created_at);

-- The newest entry of each node.
create table audit_head (
  node integer primary key,
  number integer not null,
  hash blob not null
) strict;

-- Accounts and their credentials

create table account (
  id integer primary key,
  name text not null,
  currency text not null,
  status text not null,
  balance integer not null,
  credit_limit integer not null check (credit_limit >= 0),
  price_list integer not null references price_list,
  parts_max integer not null check (parts_max between 1 and 255),
  receipt_wait_ms integer not null check (receipt_wait_ms > 0),
  refund_policy text not null,
  created_at integer not null,
  time_zone text not null,
  day_cap integer check (day_cap >= 0),
  month_cap integer check (month_cap >= 0),
  spent_day integer not null,
  spent_day_ends_at integer not null,
  spent_month integer not null,
  spent_month_ends_at integer not null,
  low_balance text not null,
  alerted_below integer,
  -- The id and the time of its newest entry; 0 before the first.
  last_entry integer not null,
  last_entry_at integer not null,
  rules text,
  allowed_from text not null,
  margin_min text,
  below_margin text not null,
  smpp_binds integer not null,
  smpp_window integer not null,
  smpp_data_coding0 text not null,
  smpp_long text not null,
  -- For how many days texts, phone numbers and other data of messages are kept.
  text_days integer not null check (text_days > 0),
  number_days integer not null check (number_days >= text_days),
  record_days integer not null check (record_days >= number_days),
  store_text text not null
) strict;
create unique index account_name on account (name);
create index account_price_list on account (price_list, name);
create index account_low on account (id) where alerted_below is not null;
create index account_capped on account (id) where day_cap is not null or month_cap is not null;

-- The keys that encrypt texts, passwords and secrets. The keys of account 0 are those of the gateway itself.
create table encryption_key (
  account integer not null,
  version integer not null,
  created_at integer not null,
  -- Encrypted with the master key.
  wrapped blob not null,
  primary key (account, version)
) strict, without rowid;

create table account_limit (
  account integer not null references account,
  after_entry integer not null,
  credit_limit integer not null check (credit_limit >= 0),
  primary key (account, after_entry)
) strict, without rowid;

-- Refused requests of clients, the newest of each account, and their number by hour. The account is a name; empty for none.
create table refusal (
  id integer primary key,
  at integer not null,
  account text not null,
  code text not null,
  request_id text not null,
  operation text,
  field text,
  rule text,
  receiver text
) strict;
create index refusal_account on refusal (account, id);
create index refusal_request on refusal (request_id);

create table refusal_hour (
  hour integer not null,
  account text not null,
  code text not null,
  refusals integer not null,
  last_at integer not null,
  request_id text not null,
  primary key (hour, account, code)
) strict, without rowid;

create table rule_hit (
  account integer not null references account,
  rule text not null,
  -- Messages that were sent although the rule was only watched, and messages that were refused.
  watched integer not null,
  refused integer not null,
  first_at integer not null,
  last_at integer not null,
  sender text not null,
  receiver text not null,
  primary key (account, rule)
) strict, without rowid;
create index rule_hit_newest on rule_hit (last_at);

-- In a slot of ten minutes.
create table rule_slot (
  slot integer not null,
  account integer not null references account,
  rule text not null,
  broken integer not null,
  refused integer not null,
  primary key (slot, account, rule)
) strict, without rowid;

create table token (
  id text primary key,
  account integer not null references account,
  hash blob not null,
  created_at integer not null,
  expires_at integer,
  revoked_at integer,
  scopes text not null,
  allowed_from text not null
) strict, without rowid;
create index token_account on token (account, created_at);
create index token_newest on token (created_at);

create table token_day (
  token text not null references token (id),
  day integer not null,
  -- Requests that it authenticated, whatever became of them.
  requests integer not null,
  -- Messages that were accepted and charged.
  messages integer not null,
  last_at integer not null,
  primary key (token, day)
) strict, without rowid;
create index token_day_newest on token_day (day, token);

create table login (
  id integer primary key,
  account integer not null references account,
  system_id text not null,
  password_hash blob not null,
  password_salt blob not null,
  -- N, r and p of scrypt (RFC 7914), with which the password was set.
  password_cost integer not null,
  password_block integer not null,
  password_lanes integer not null,
  allowed_from text not null,
  created_at integer not null,
  removed_at integer,
  last_bind_at integer
) strict;
create index login_account on login (account);
create unique index login_system_id on login (system_id) where removed_at is null;

-- Money

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
  created_at integer not null,
  parts integer not null,
  key text
) strict;
create index entry_account on entry (account, id);
create unique index entry_key on entry (account, key) where key is not null;
create trigger entry_is_never_changed before update on entry
begin
  select raise(abort, 'entries of the ledger cannot be changed: post an adjustment');
end;
create trigger entry_is_never_removed before delete on entry
begin
  select raise(abort, 'entries of the ledger cannot be deleted: post an adjustment');
end;

create table alert (
  id integer primary key,
  account integer references account,
  kind text not null,
  at integer not null,
  threshold integer,
  balance integer,
  carrier integer references carrier,
  prefix text,
  unit_price integer,
  unit_cost integer,
  webhook integer references webhook,
  detail text
) strict;
create index alert_account on alert (account, id);
create index alert_at on alert (at);

create table price_list (
  id integer primary key,
  name text not null,
  currency text not null,
  created_at integer not null,
  base integer references price_list,
  last_version integer not null,
  removed_at integer
) strict;
create unique index price_list_name on price_list (name);

create table price_list_version (
  price_list integer not null references price_list,
  version integer not null,
  effective_at integer not null,
  created_at integer not null,
  changes integer not null,
  place integer not null,
  is_whole integer not null,
  primary key (price_list, version)
) strict, without rowid;
create unique index price_list_place on price_list_version (price_list, place);

create table price_list_base (
  price_list integer not null references price_list,
  since integer not null,
  base integer references price_list,
  primary key (price_list, since)
) strict, without rowid;

create table price (
  price_list integer not null references price_list,
  prefix text not null,
  -- Of its version: versions of a list take effect in the order of their places.
  place integer not null,
  -- Null if the version has no price for the prefix.
  unit_price integer check (unit_price >= 0),
  primary key (price_list, prefix, place)
) strict, without rowid;
create index price_version on price (price_list, place);

create table price_import (
  id text primary key,
  -- The list may be made with its first version only.
  name text not null,
  price_list integer not null,
  version integer not null,
  currency text not null,
  base integer references price_list,
  is_new integer not null,
  -- The import failed: its rows are to be deleted.
  is_over integer not null,
  created_at integer not null,
  place integer not null,
  is_whole integer not null,
  pinned integer
) strict, without rowid;
create unique index price_import_name on price_import (name);

-- Carriers and routes

create table carrier (
  id integer primary key,
  name text not null,
  host text not null,
  port integer not null,
  system_id text not null,
  password blob not null,
  system_type text not null,
  window_max integer not null check (window_max > 0),
  throughput text not null,
  links integer not null check (links > 0),
  in_doubt text not null,
  id_rule text not null,
  status text not null,
  created_at integer not null,
  profile text not null,
  receiver_password blob,
  tls_key blob,
  cost_list integer references price_list
) strict;
create unique index carrier_name on carrier (name) where status <> 'removed';

create table route (
  id integer primary key,
  prefix text not null,
  sender text,
  account integer references account,
  encoding text,
  rank_order text not null,
  created_at integer not null,
  removed_at integer
) strict;
create unique index route_match
  on route (prefix, coalesce(sender, ''), coalesce(account, 0), coalesce(encoding, '')) where removed_at is null;

create table route_carrier (
  route integer not null references route,
  carrier integer not null references carrier,
  rank integer not null check (rank > 0),
  weight integer not null check (weight > 0),
  cost integer check (cost >= 0),
  -- How long a message waits for its rank before the next rank may have it.
  wait_ms integer check (wait_ms >= 0),
  created_at integer not null,
  -- Kept when the carrier leaves the route: it finishes the messages that it started.
  removed_at integer,
  primary key (route, carrier)
) strict, without rowid;
create index route_carrier_carrier on route_carrier (carrier);

create table route_to_follow (
  route integer primary key references route (id),
  -- When it was changed last: a step for an earlier change does not end it.
  changed_at integer not null,
  -- Which failed attempts are forgotten: 'nothing' or 'rounds'.
  forgets text not null
) strict;

create table learning (
  carrier integer primary key references carrier,
  -- Null until enough of its receipts agree.
  learned text,
  learned_at integer,
  -- Unmatched receipts from this id on must be looked at again under the present rule; null when all were.
  rematch_from integer,
  -- Unmatched receipts that were deleted for newer ones since the limit was reached.
  dropped integer not null,
  dropped_at integer,
  has_text_receipts integer not null,
  marked_at integer,
  -- JSON: a learned rule that is not logged yet.
  news text
) strict;

create table learning_evidence (
  carrier integer not null references carrier,
  counts_for text not null,
  place integer not null,
  rule text not null,
  message integer not null,
  part integer not null,
  answer_id text not null,
  receipt_id text not null,
  at integer not null,
  primary key (carrier, counts_for, place)
) strict, without rowid;

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

-- Messages

create table message (
  id integer primary key,
  account integer not null references account,
  source text not null,
  sender text not null,
  receiver text not null,
  dcs text not null,
  encoding text not null,
  -- Its text, or the octets of a client-encoded part, encrypted. Null once they are erased.
  content blob,
  num_parts integer not null,
  -- Concatenation reference of its parts (3GPP TS 23.040, 9.2.3.24.1); null for one part.
  reference integer,
  client_ref text,
  tags text,
  flash integer not null,
  store_text integer not null,
  priority integer not null,
  route integer not null references route,
  accepted_at integer not null,
  due_at integer not null,
  expires_at integer not null,
  price_list integer not null,
  price_version integer not null,
  unit_price integer not null,
  total_cost integer not null,
  balance_after integer not null,
  entry integer not null references entry,
  entry_place integer not null,
  registered integer not null check (registered between 0 and 3),
  tlvs text,
  submitter text,
  address text,
  session text
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
  eligible text not null,
  tried_by integer references carrier,
  round_ends integer,
  -- Its newest CDR.
  cdr integer,
  text_end text,
  -- The attempt under way: its link, and the run of the process that owns the claim.
  claim_link integer,
  claim_lease integer,
  claim_at integer,
  claim_is_whole integer,
  -- Of part 1: what clients see of the message.
  report_event text,
  report_event_at integer,
  report_corrected integer,
  report_own_end integer,
  report_error_code text,
  primary key (message, number)
) strict, without rowid;
create index part_claimed on part (tried_by) where claim_link is not null;
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
  is_whole integer not null,
  cost_amount integer check (cost_amount >= 0),
  cost_currency text,
  primary key (message, part, number)
) strict, without rowid;
create index attempt_carrier_id on attempt (carrier, carrier_id_key) where carrier_id_key is not null;

-- One record for each part at its end, and one for each later correction.
create table cdr (
  id integer primary key,
  account integer not null references account,
  message integer not null,
  part integer not null,
  ended_at integer not null,
  event text not null,
  error_code text,
  carrier integer references carrier,
  refund_entry integer references entry,
  corrects integer
) strict;

create table queue (
  route integer not null,
  eligible text not null,
  priority integer not null,
  account integer not null,
  due integer not null,
  message integer not null,
  part integer not null,
  primary key (route, eligible, priority, account, due, message, part)
) strict, without rowid;

create table scheduled (
  due_at integer not null,
  message integer not null,
  primary key (due_at, message)
) strict, without rowid;

-- The messages with a tag, for searches. A message without tags has no row here.
create table tagged (
  tag text not null,
  message integer not null,
  primary key (tag, message)
) strict, without rowid;

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

create table unmatched_receipt (
  id integer primary key,
  carrier integer not null references carrier,
  carrier_id_key text not null,
  carrier_id text not null,
  carrier_state text,
  error_code text,
  sender text not null,
  receiver text not null,
  received_at integer not null,
  why text not null default 'unknown',
  octets blob,
  or_inbound text
) strict;
create index unmatched_receipt_key on unmatched_receipt (carrier, carrier_id_key);
create index unmatched_receipt_numbers on unmatched_receipt (carrier, receiver, sender);
create index unmatched_receipt_undecided on unmatched_receipt (id) where why = 'undecided';
create index unmatched_receipt_why on unmatched_receipt (carrier, why);

create table note (
  id integer primary key,
  message integer not null,
  at integer not null,
  part integer,
  kind text not null,
  detail text not null
) strict;
create index note_message on note (message);

create table reference (
  receiver text not null,
  sender text not null,
  last integer not null,
  used_at integer not null,
  primary key (receiver, sender)
) strict, without rowid;
create index reference_used on reference (used_at);

create table idempotency_key (
  account integer not null references account,
  key text not null,
  hash blob not null,
  message integer not null references message,
  created_at integer not null,
  primary key (account, key)
) strict, without rowid;
create index idempotency_key_created on idempotency_key (created_at);

-- Numbers and inbound messages

create table number (
  digits text not null,
  kind text not null,
  number text not null,
  account integer references account,
  created_at integer not null,
  primary key (digits, kind)
) strict, without rowid;
create index number_account on number (account);

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

create table inbound (
  id integer primary key,
  carrier integer not null references carrier,
  sender text not null,
  receiver text not null,
  data_coding integer not null,
  dcs text not null,
  -- Its text, or its octets and their header, encrypted. Null once they are erased.
  content blob,
  num_parts integer not null,
  parts_received integer not null,
  complete integer not null,
  received_at integer not null,
  account integer references account,
  matched_by text,
  keyword text
) strict;
create index inbound_account on inbound (account, id);
create index inbound_receiver on inbound (receiver, id);

create table inbound_part (
  id integer primary key,
  carrier integer not null references carrier,
  sender text not null,
  receiver text not null,
  concatenation_kind text not null,
  concatenation_reference integer not null,
  concatenation_total integer not null,
  concatenation_number integer not null,
  data_coding integer not null,
  esm_class integer not null,
  octets blob not null,
  coding text not null,
  ports_destination integer,
  ports_source integer,
  received_at integer not null
) strict;
create index inbound_part_message
  on inbound_part (carrier, sender, receiver, concatenation_kind, concatenation_reference, concatenation_total);
create index inbound_part_received on inbound_part (received_at);

create table inbound_joined (
  carrier integer not null references carrier,
  sender text not null,
  receiver text not null,
  concatenation_kind text not null,
  concatenation_reference integer not null,
  concatenation_total integer not null,
  concatenation_number integer not null,
  digest blob not null,
  joined_at integer not null,
  primary key (carrier, sender, receiver, concatenation_kind, concatenation_reference, concatenation_total,
    concatenation_number)
) strict, without rowid;
create index inbound_joined_at on inbound_joined (joined_at);

create table inbound_repeat (
  id integer primary key,
  carrier integer not null references carrier,
  sender text not null,
  receiver text not null,
  digest blob not null,
  expected_at integer not null,
  taken_by integer
) strict;
create index inbound_repeat_expected on inbound_repeat (expected_at);
create index inbound_repeat_numbers on inbound_repeat (carrier, sender, receiver);

create table opt_out (
  account integer not null references account,
  receiver text not null,
  sender text not null,
  since integer not null,
  event integer not null references opt_out_event,
  primary key (account, receiver, sender)
) strict, without rowid;
create index opt_out_receiver on opt_out (receiver);

create table opt_out_event (
  id integer primary key,
  account integer not null references account,
  receiver text not null,
  sender text not null,
  at integer not null,
  wish text not null,
  inbound integer references inbound,
  word text,
  actor text,
  reason text
) strict;
create index opt_out_event_account on opt_out_event (account, id);
create index opt_out_event_receiver on opt_out_event (receiver, id);

create table opt_out_handling (
  account integer primary key references account,
  is_on integer not null,
  scope text not null
) strict;

create table opt_out_word (
  account integer not null references account,
  word text not null,
  means text not null,
  primary key (account, word)
) strict, without rowid;

-- Notifications

create table webhook (
  id integer primary key,
  account integer not null references account,
  url text not null,
  method text not null,
  -- Its kinds of notifications: inbound, receipt, alert.
  kinds text not null,
  -- Of inbound messages, only those to this number (or prefix), or with this keyword; null for all.
  number_kind text,
  number_digits text,
  keyword text,
  -- The receiver's names for our fields, as JSON; null for our names.
  template text,
  -- Requests to it at once.
  concurrency integer not null check (concurrency between 1 and 1000),
  -- Networks of private addresses that it may resolve to.
  allowed text not null,
  status text not null,
  -- When its present series of failures began; null after a success.
  failing_since integer,
  created_at integer not null,
  removed_at integer,
  failed_at integer,
  failure text
) strict;
create index webhook_account on webhook (account);

create table webhook_secret (
  id integer primary key,
  webhook integer not null references webhook,
  -- Null once it is removed: a removed secret could only help a thief.
  secret blob,
  created_at integer not null,
  removed_at integer
) strict;
create index webhook_secret_webhook on webhook_secret (webhook);

create table notification (
  id integer primary key,
  account integer not null references account,
  kind text not null,
  -- The inbound message, the message or the alert that it is about.
  subject integer not null,
  -- The state in a receipt. A correction of the message makes another notification.
  event text,
  event_at integer,
  error_code text,
  -- A receiving session of the account gets it, if one is bound.
  by_session integer not null,
  -- Otherwise this webhook gets it; null if there is none.
  webhook integer references webhook,
  state text not null,
  -- When it is tried next; null unless it waits.
  due integer,
  tries integer not null,
  created_at integer not null,
  ended_at integer,
  -- Of its newest try: who tried, and the result.
  tried_by text,
  outcome text,
  replayed_at integer,
  replayed_after integer not null
) strict;
create index notification_account on notification (account);
create index notification_any_dead on notification (state, id) where state = 'dead';
-- With their state, SQLite prefers these indexes to those of all notifications.
create index notification_dead on notification (account, state, id) where state = 'dead';
create index notification_session_due on notification (account, due) where due is not null and by_session = 1;
create index notification_subject on notification (subject);
create index notification_webhook_dead on notification (webhook, state, id) where state = 'dead';
create index notification_webhook_due on notification (webhook, by_session, due) where due is not null and webhook is not null;

create table notification_try (
  notification integer not null references notification,
  number integer not null,
  at integer not null,
  tried_by text not null,
  outcome text not null,
  primary key (notification, number)
) strict, without rowid;

-- Settings as a file

-- The settings before each of the newest applies, as JSON without secrets.
create table config_state (
  number integer primary key,
  at integer not null,
  actor text not null,
  config text not null
) strict;

-- Privacy

-- How far old texts, numbers and records are removed, for the accounts with this number of days.
create table retention (
  days integer not null,
  through integer not null,
  removed integer not null,
  at integer not null,
  what text not null,
  primary key (what, days)
) strict, without rowid;

-- Messages that were not finished when the removal passed them.
create table left_behind (
  message integer not null,
  what text not null,
  primary key (what, message)
) strict, without rowid;

-- What the removed messages of a charge, or the removed part of a refund, add up to.
create table removed_charge (
  entry integer not null,
  messages integer not null,
  parts integer not null,
  amount integer not null,
  primary key (entry)
) strict, without rowid;

-- The key of the codes that stand for erased phone numbers.
create table number_key (
  id integer not null,
  key blob not null,
  primary key (id)
) strict, without rowid;

-- Erasures of one phone number. The number is deleted with the last row that has it.
create table erasure (
  id integer primary key,
  at integer not null,
  through integer not null,
  messages integer not null,
  inbound integer not null,
  stale integer,
  ended_at integer,
  code text not null,
  phase text not null,
  actor text not null,
  reason text not null,
  receiver text,
  left_in text
) strict;
create index erasure_open on erasure (phase) where phase <> 'done';

-- Alarms for the operator.
create table alarm (
  id integer primary key,
  kind text not null,
  subject text not null,
  severity text not null,
  opened_at integer not null,
  evidence text not null,
  help text not null,
  acknowledged_at integer,
  acknowledged_by text,
  closed_at integer
) strict;
create unique index alarm_open on alarm (kind, subject) where closed_at is null;
create index alarm_open_id on alarm (id) where closed_at is null;

-- What the operator set for a kind of alarm; null is as declared.
create table alarm_setting (
  kind text not null,
  threshold integer,
  for_seconds integer,
  is_on integer not null check (is_on in (0, 1)),
  primary key (kind)
) strict, without rowid;

-- A time in which an alarm opens, but nobody hears of it. An empty subject is every subject of the kind.
create table alarm_quiet (
  kind text not null,
  subject text not null,
  until integer not null,
  primary key (kind, subject)
) strict, without rowid;

-- Who hears of alarms.
create table alarm_receiver (
  id integer primary key,
  name text not null,
  kind text not null,
  address text not null,
  server text,
  user_name text,
  sender text,
  account text,
  severity text not null,
  quiet text,
  time_zone text not null,
  allowed text not null,
  created_at integer not null,
  secret blob
) strict;
create unique index alarm_receiver_name on alarm_receiver (name);

-- What came of the tries to tell a receiver.
create table alarm_receiver_state (
  receiver text not null,
  tried_at integer not null,
  failing_since integer,
  outcome text,
  tries text not null,
  primary key (receiver)
) strict, without rowid;

-- That a receiver hears that an alarm opened or closed.
create table alarm_notice (
  alarm integer not null,
  receiver text not null,
  turn text not null,
  due integer,
  tries integer not null,
  told_at integer,
  outcome text,
  primary key (alarm, receiver, turn)
) strict, without rowid;
create index alarm_notice_due on alarm_notice (receiver, due) where due is not null;

-- What went through the gateway in each minute and in each hour. The row without a currency has what is not money.
create table total (
  node integer not null,
  what text not null,
  word text not null,
  n integer not null,
  amount integer not null,
  primary key (node, what, word)
) strict, without rowid;

create table traffic_slot (
  span integer not null,
  slot integer not null,
  currency text not null,
  messages integer not null,
  parts integer not null,
  refused integer not null,
  sent integer not null,
  bounced integer not null,
  delivered integer not null,
  failed integer not null,
  inbound integer not null,
  charged integer not null,
  primary key (span, slot, currency)
) strict, without rowid;

-- Parts of a carrier in a slot of ten minutes.
create table carrier_slot (
  carrier integer not null,
  slot integer not null,
  accepted integer not null,
  refused integer not null,
  delivered integer not null,
  failed integer not null,
  primary key (carrier, slot)
) strict, without rowid;
