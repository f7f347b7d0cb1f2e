-- What an account may send, to whom and how fast: core/account-rules.ts as JSON, null while no rule is set.
alter table account add column rules text;
-- Where its clients are: a JSON list of addresses and ranges of them, empty for anywhere.
alter table account add column allowed_from text not null default '[]';

-- What a token is good for, and where it may be used from, the same way.
alter table token add column scopes text not null default '["send","dlr","balance"]';
alter table token add column allowed_from text not null default '[]';

-- How often the messages of an account broke a rule, and the last one that did: never its text.
create table rule_hit (
  account integer not null references account,
  rule text not null,
  -- Messages that were sent all the same, as the rule was only watched, and messages that were refused.
  watched integer not null,
  refused integer not null,
  first_at integer not null,
  last_at integer not null,
  sender text not null,
  receiver text not null,
  primary key (account, rule)
) strict, without rowid;
