-- Routes that were changed while messages that wait on them have not all followed yet. A start goes on with them.
create table route_to_follow (
  route integer primary key references route (id),
  -- When it was changed last: only what followed that change is done.
  changed_at integer not null,
  -- Of the tries of what waits: 'nothing' or 'rounds'.
  forgets text not null
) strict;
