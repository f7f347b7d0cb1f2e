-- The submitter of a message: the public id of a token, the system_id of a session, or the name of an operator; null of
-- older messages.
alter table message add column submitter text;
-- The IP address of the submitter, and the session, by its number in `session list` in one run of the process.
alter table message add column address text;
alter table message add column session text;
