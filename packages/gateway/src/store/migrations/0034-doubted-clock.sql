-- The first instant of a clock ahead that is not believed; null while nothing in the store has a time of such a clock.
alter table node add column doubted_from integer;
