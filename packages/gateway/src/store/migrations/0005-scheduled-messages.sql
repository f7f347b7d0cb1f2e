-- Scheduled messages by the time of their release; a message leaves it when it is released, canceled or expired.
create table scheduled (
  release_at integer not null,
  message integer not null,
  primary key (release_at, message)
) strict, without rowid;
