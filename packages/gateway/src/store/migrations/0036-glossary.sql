-- Renames tables and columns by the glossary; their content stays.
alter table notice rename to notification;
alter table notice_try rename to notification_try;
alter table notification_try rename column notice to notification;
alter table parked_receipt rename to unmatched_receipt;
alter table part rename column lane to eligible;
alter table queue rename column lane to eligible;
alter table message rename column release_at to due_at;
alter table scheduled rename column release_at to due_at;

drop index notice_webhook_due;
drop index notice_session_due;
drop index notice_subject;
drop index notice_dead;
drop index notice_webhook_dead;
drop index notice_any_dead;
drop index notice_account;
create index notification_webhook_due on notification (webhook, by_session, due) where due is not null and webhook is not null;
create index notification_session_due on notification (account, due) where due is not null and by_session = 1;
create index notification_subject on notification (subject);
create index notification_dead on notification (account, id) where state = 'dead';
create index notification_webhook_dead on notification (webhook, id) where state = 'dead';
create index notification_any_dead on notification (state, id) where state = 'dead';
create index notification_account on notification (account);

drop index parked_receipt_key;
drop index parked_receipt_why;
drop index parked_receipt_undecided;
drop index parked_receipt_numbers;
create index unmatched_receipt_key on unmatched_receipt (carrier, carrier_id_key);
create index unmatched_receipt_why on unmatched_receipt (carrier, why);
create index unmatched_receipt_undecided on unmatched_receipt (id) where why = 'undecided';
create index unmatched_receipt_numbers on unmatched_receipt (carrier, receiver, sender);
