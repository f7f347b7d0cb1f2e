-- How the carrier speaks SMPP, as JSON: the fields of core/routing/carrier-profile.ts. Missing members have the
-- standard's values.
alter table carrier add column profile text not null default '{}';
-- The receiver's own password, and the key of the client certificate; null for none.
alter table carrier add column receiver_password text;
alter table carrier add column tls_key text;

-- Whether the attempt carried all parts of its message: one answer and one receipt stand for all of them.
alter table attempt add column whole integer not null default 0;
