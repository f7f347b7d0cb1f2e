-- The stored octets of a receipt that could not be read, for the operator.
alter table parked_receipt add column octets blob;
