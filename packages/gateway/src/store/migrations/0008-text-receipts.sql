-- Whether a receipt that only its text marks was matched: those of such a carrier are never taken for inbound messages.
alter table learning add column text_receipts integer not null default 0;
update learning set text_receipts = 1 where exists
  (select 1 from dialect where dialect.carrier = learning.carrier and trait = 'markedBy' and value = 'text');
