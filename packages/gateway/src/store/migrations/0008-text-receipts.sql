-- Whether a receipt that nothing but its text marks was matched: such a carrier's are never taken for messages.
alter table learning add column text_receipts integer not null default 0;
update learning set text_receipts = 1 where exists
  (select 1 from dialect where dialect.carrier = learning.carrier and trait = 'markedBy' and value = 'text');
