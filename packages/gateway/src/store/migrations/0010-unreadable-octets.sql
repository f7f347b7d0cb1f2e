-- The PDU of a receipt that nobody could make sense of, as it came, as far as it is kept: for a person to look at.
alter table parked_receipt add column octets blob;
