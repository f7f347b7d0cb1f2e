-- Changed routes that their waiting messages have not all followed. A start continues with them.
create table route_to_follow (
  route integer primary key references route (id),
  -- When it was changed last: a step for an earlier change does not end it.
  changed_at integer not null,
  -- Which failed attempts are forgotten: 'nothing' or 'rounds'.
  forgets text not null
) strict;
