-- When the carrier first marked a receipt by esm_class or TLV. From then on an unmarked text is an inbound message.
alter table learning add column marked_at integer;
update learning set marked_at = (select min(first_at) from dialect
  where dialect.carrier = learning.carrier and trait = 'markedBy' and value in ('esm_class', 'tlv'));
insert into learning (carrier, dropped, marked_at)
  select carrier, 0, min(first_at) from dialect
    where trait = 'markedBy' and value in ('esm_class', 'tlv') and carrier not in (select carrier from learning)
    group by carrier;
-- The inbound message that an unmarked text is if it was not a receipt, as JSON: of a part that it ended until a marked
-- receipt comes, and of an unmatched receipt.
alter table part add column text_end text;
alter table parked_receipt add column or_inbound text;
