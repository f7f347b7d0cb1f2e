-- Vendor TLVs from the client for the carrier, as JSON: [{"tag":5120,"value":"4a6f"}]; null for none.
alter table message add column tlvs text;
