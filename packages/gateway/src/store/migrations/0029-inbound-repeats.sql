-- Inbound messages with an id below it were answered; null before the first run that stores it.
alter table node add column inbound_answered integer;

-- Inbound messages of one part that their carrier may send again, because our answers may be lost: a link ended before
-- they were written, or the process was killed.
create table inbound_repeat (
  id integer primary key,
  carrier integer not null references carrier,
  sender text not null,
  receiver text not null,
  digest blob not null,
  expected_at integer not null,
  -- The id that the repeat would have had, once it came.
  taken_by integer
) strict;
create index inbound_repeat_numbers on inbound_repeat (carrier, sender, receiver);
create index inbound_repeat_expected on inbound_repeat (expected_at);
