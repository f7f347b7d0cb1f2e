-- A vendor's optional parameters that a client gave and its carrier gets, as JSON: [{"tag":5120,"value":"4a6f"}]; null for none.
alter table message add column tlvs text;
