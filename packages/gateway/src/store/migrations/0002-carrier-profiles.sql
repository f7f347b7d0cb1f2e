-- How the carrier speaks SMPP, as JSON: what core/carrier-profile.ts lists. Members that are not there are the standard's.
alter table carrier add column profile text not null default '{}';
-- The receiver's own password, and the key of our certificate; null where there is none.
alter table carrier add column receiver_password text;
alter table carrier add column tls_key text;

-- Whether the attempt carried all parts of its message at once: its one answer and receipt stand for all of them.
alter table attempt add column whole integer not null default 0;
