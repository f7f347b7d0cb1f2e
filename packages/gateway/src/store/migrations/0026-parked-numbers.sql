-- Unmatched receipts between two numbers: looked at again when the next one comes, and before a part in doubt is sent again.
create index parked_receipt_numbers on parked_receipt (carrier, receiver, sender);
