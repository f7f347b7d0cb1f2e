-- The first instant of an untrusted clock that ran ahead; null while nothing in the store has a time of such a clock.
alter table node add column doubted_from integer;
