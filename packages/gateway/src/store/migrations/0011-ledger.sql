-- Entries are in the order of their times, so that a time is a place among their ids: a statement is cut there.
update entry set created_at = ordered.at
  from (select id, max(created_at) over (order by id) as at from entry) as ordered
  where ordered.id = entry.id and ordered.at > entry.created_at;

-- The parts of what it charges, or gives back.
alter table entry add column parts integer not null default 0;
update entry set parts = 1 where kind = 'refund';
update entry set parts = charged.parts
  from (select entry, sum(num_parts) as parts from message group by entry) as charged
  where charged.entry = entry.id and kind = 'charge';

-- What a script gives with a top-up or an adjustment, so that trying it again does not make a second one.
alter table entry add column key text;
create unique index entry_key on entry (account, key) where key is not null;

-- M4, whoever tries. Inserts are not slower by it: the triggers are compiled into updates and deletes alone.
create trigger entry_is_never_changed before update on entry
begin
  select raise(abort, 'entries of the ledger never change: book an adjustment');
end;
create trigger entry_is_never_removed before delete on entry
begin
  select raise(abort, 'entries of the ledger never go: book an adjustment');
end;
