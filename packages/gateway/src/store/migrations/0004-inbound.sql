-- Parts that wait for the others of their message. The commit that makes the message deletes them. A row without a
-- coding is older than this migration: it is decoded when its wait is over.
alter table inbound_part add column coding text;
-- What its parts have in common (3GPP TS 23.040, 9.2.3.24.1; sar_ parameters of SMPP 3.4), and the number of this one.
alter table inbound_part add column concatenation text;
alter table inbound_part add column reference integer;
alter table inbound_part add column total integer;
alter table inbound_part add column number integer;
alter table inbound_part add column destination_port integer;
alter table inbound_part add column source_port integer;
create index inbound_part_message on inbound_part (carrier, sender, receiver, concatenation, reference, total)
  where total is not null;
create index inbound_part_received on inbound_part (received_at);

-- Digests of the parts of finished messages, to recognise parts that come again.
create table inbound_joined (
  carrier integer not null references carrier,
  sender text not null,
  receiver text not null,
  concatenation text not null,
  reference integer not null,
  total integer not null,
  number integer not null,
  digest blob not null,
  joined_at integer not null,
  primary key (carrier, sender, receiver, concatenation, reference, total, number)
) strict, without rowid;
create index inbound_joined_at on inbound_joined (joined_at);

-- The encoding of its octets; null in older rows.
alter table inbound add column data_coding integer;
-- The elements of its user data header other than concatenation and language, such as ports.
alter table inbound add column header blob;
-- Fewer than num_parts in an incomplete message.
alter table inbound add column parts_received integer not null default 1;
create index inbound_account on inbound (account, id);
create index inbound_receiver on inbound (receiver, id);

-- The account of each number, short code and range of numbers. The longest match counts.
create table number (
  -- Without the plus: carriers write one number with and without it.
  digits text not null,
  kind text not null,
  number text not null,
  account integer not null references account,
  created_at integer not null,
  primary key (digits, kind)
) strict, without rowid;
create index number_account on number (account);
