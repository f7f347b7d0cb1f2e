-- What each token was used for, a row for each day (in UTC, counted from 1970-01-01). When it was used last is in its newest row.
create table token_day (
  token text not null references token (id),
  day integer not null,
  -- Requests that it authenticated, whatever became of them.
  requests integer not null,
  -- Messages that were accepted and charged.
  messages integer not null,
  last_at integer not null,
  primary key (token, day)
) strict, without rowid;
create index token_day_newest on token_day (day, token);

insert into token_day select id, last_used_at / 86400000, 1, 0, last_used_at from token where last_used_at is not null;
alter table token drop column last_used_at;
