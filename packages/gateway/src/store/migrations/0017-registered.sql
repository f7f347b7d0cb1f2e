-- Receipts that the client asked for over SMPP, as bits 0 and 1 of registered_delivery; null for none.
alter table message add column registered integer check (registered between 1 and 3);
