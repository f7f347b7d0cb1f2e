-- All notices of an account, in the order of their ids: beside the few that wait or are dead, most were delivered.
create index notice_account on notice (account);
