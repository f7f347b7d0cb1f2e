-- Scheduled messages by the time when they become due. A message leaves when it is due, canceled or expired.
create table scheduled (
  release_at integer not null,
  message integer not null,
  primary key (release_at, message)
) strict, without rowid;
