-- Entries are in the order of their times, so a time is a place among their ids: statements use that.
update entry set created_at = ordered.at
  from (select id, max(created_at) over (order by id) as at from entry) as ordered
  where ordered.id = entry.id and ordered.at > entry.created_at;

-- The parts that it charges or refunds.
alter table entry add column parts integer not null default 0;
update entry set parts = 1 where kind = 'refund';
update entry set parts = charged.parts
  from (select entry, sum(num_parts) as parts from message group by entry) as charged
  where charged.entry = entry.id and kind = 'charge';

-- The idempotency key of a top-up or an adjustment.
alter table entry add column key text;
create unique index entry_key on entry (account, key) where key is not null;

-- Enforces M4. Inserts are not slower, because triggers are compiled into updates and deletes only.
create trigger entry_is_never_changed before update on entry
begin
  select raise(abort, 'entries of the ledger never change: book an adjustment');
end;
create trigger entry_is_never_removed before delete on entry
begin
  select raise(abort, 'entries of the ledger never go: book an adjustment');
end;
