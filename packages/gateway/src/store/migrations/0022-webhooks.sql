-- The newest failure of a webhook. Successes are too many to store one by one.
alter table webhook add column failed_at integer;
alter table webhook add column failure text;

-- A replayed dead letter is tried like a new one: since when, and after how many tries.
alter table notice add column replayed_at integer;
alter table notice add column replayed_after integer not null default 0;

-- Dead letters of one webhook, and all of them; those of an account have an index already.
create index notice_webhook_dead on notice (webhook, id) where state = 'dead';
create index notice_any_dead on notice (state, id) where state = 'dead';
