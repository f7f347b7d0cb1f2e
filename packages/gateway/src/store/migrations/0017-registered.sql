-- Which receipts its sender wants over SMPP, as bits 0 and 1 of registered_delivery say it; null for none.
alter table message add column registered integer check (registered between 1 and 3);
