-- The newest instant at which the clock was trusted: a start compares its clock with it. 0 for none.
alter table node add column seen_at integer not null default 0;
-- Ids of messages are times, in milliseconds since 2019 times 4,096; entries have theirs.
update node set seen_at = max(
  case when message_id_high_water = 0 then 0 else message_id_high_water / 4096 + 1546300800000 end,
  coalesce((select created_at from entry order by id desc limit 1), 0)
);
