-- Who submitted a message: the public id of a token, the system_id of a session, or the name of an operator; null of messages that were
-- accepted before.
alter table message add column submitter text;
-- The IP address that it was submitted from, and the session, as session list names it in one run of the process.
alter table message add column address text;
alter table message add column session text;
