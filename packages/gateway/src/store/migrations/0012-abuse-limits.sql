-- What an account may send, to whom and how fast: the rules of core/account/rules.ts as JSON, null while none is set.
alter table account add column rules text;
-- The allowed addresses of its clients: a JSON list of addresses and ranges, empty for any.
alter table account add column allowed_from text not null default '[]';

-- The scopes of a token, and the addresses it may be used from, in the same form.
alter table token add column scopes text not null default '["send","dlr","balance"]';
alter table token add column allowed_from text not null default '[]';

-- How often the messages of an account broke a rule, and the last one that did, without its text.
create table rule_hit (
  account integer not null references account,
  rule text not null,
  -- Messages that were sent although the rule was only watched, and messages that were refused.
  watched integer not null,
  refused integer not null,
  first_at integer not null,
  last_at integer not null,
  sender text not null,
  receiver text not null,
  primary key (account, rule)
) strict, without rowid;
