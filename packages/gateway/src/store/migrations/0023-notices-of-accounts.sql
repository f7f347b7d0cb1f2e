-- All notifications of an account, in the order of their ids. Besides the few that wait or are dead, most were
-- delivered.
create index notice_account on notice (account);
