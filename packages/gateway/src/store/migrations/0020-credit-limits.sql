-- The credit limit of an account for all entries behind `after_entry`, until the next row. The limits of entries up to
-- its first row are not known.
create table account_limit (
  account integer not null references account,
  after_entry integer not null,
  credit_limit integer not null check (credit_limit >= 0),
  primary key (account, after_entry)
) strict, without rowid;
insert into account_limit select id, (select coalesce(max(id), 0) from entry), credit_limit from account;
