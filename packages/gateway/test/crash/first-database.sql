-- What version 0.1.0 left when it was killed: rows as its own commands wrote them, over the schema of
-- 0001-first-tables.sql. The test puts in the instant (@now) and the ports of the carriers (@alpha, @beta, @gamma).
-- The tokens are morsel_ 07..., 08... and 09..., made of 38 octets of 7, 8 and 9.

delete from node;
insert into node values
  (1, 904907980800023, 1);

insert into price_list values
  (1, 'default', 'EUR', @now - 10800000),
  (2, 'dollars', 'USD', @now - 10740000);

insert into price_list_version values
  (1, 1, @now - 10800000, @now - 10800000),
  (1, 2, @now - 10740000, @now - 10740000),
  (2, 1, @now - 10740000, @now - 10740000);

insert into price values
  (1, '33', 1, null, 8000),
  (1, '39', 1, null, 8100),
  (1, '41', 1, 2, 7500),
  (1, '41', 2, null, 8500),
  (1, '49', 1, null, 9000),
  (2, '41', 1, null, 12345);

insert into account values
  (1, 'acme', 'EUR', 'active', 49813000, 0, 1, 10, 259200000, 'unsent', @now - 10800000),
  (2, 'bolt', 'USD', 'active', -37035, 5000000, 2, 255, 259200000, 'undelivered', @now - 10800000),
  (3, 'idle', 'EUR', 'suspended', 5, 0, 1, 10, 259200000, 'never', @now - 10800000);

insert into token values
  ('070707070707', 1, x'dc4bf80c77473d130fa0de86ba4018fe98bb214005e6a5891d12ba91446f9e81', @now - 10740000, null, null, @now),
  ('080808080808', 1, x'ce9ec58122164c824a43e0452ffbba3da694694b44563b5c548942dbb8ab8e14', @now - 10740000, null, @now - 10680000, null),
  ('090909090909', 2, x'83cd213e468a2fbadb529623d69bd3683afb8f13a1f0abc3167d346bde303719', @now - 10740000, null, null, null);

insert into carrier values
  (1, 'alpha', '127.0.0.1', @alpha, 'alpha', 'password', '', 10, 0, 1, 'resend', 'same', 'active', @now - 10800000),
  (2, 'beta', '127.0.0.1', @beta, 'beta', 'secret-2', 'SMPP', 100, 0, 1, 'hold', 'hex-answer', 'active', @now - 10800000),
  (3, 'gamma', '127.0.0.1', @gamma, 'gamma', 'secret-3', '', 10, 50, 1, 'fail', 'hex-receipt', 'paused', @now - 10800000),
  (4, 'delta', '127.0.0.1', 2775, 'delta', 'password', '', 10, 0, 3, 'resend', 'same', 'removed', @now - 10800000);

insert into route values
  (1, '41', 1, @now - 10800000, null),
  (2, '49', 2, @now - 10800000, null),
  (3, '33', 3, @now - 10800000, null),
  (4, '39', 4, @now - 10800000, @now - 10439500),
  (5, '4179', 2, @now - 10800000, @now - 10740000);

insert into entry values
  (1, 1, 'top-up', 100, 100, 0, null, null, null, 'opening balance', 'test', @now - 10800000),
  (2, 3, 'top-up', 5, 5, 0, null, null, null, 'opening balance', 'test', @now - 10800000),
  (3, 1, 'top-up', 50000000, 50000100, 0, null, null, null, 'invoice 17', 'operator', @now - 10740000),
  (4, 1, 'charge', -34000, 49966100, 2, 904907980800001, 904907980800002, null, 'messages', 'morsel', @now - 10500000),
  (5, 1, 'charge', -8100, 49958000, 1, 904907980800003, 904907980800003, null, 'messages', 'morsel', @now - 10440000),
  (6, 1, 'charge', -9000, 49949000, 1, 904907980800004, 904907980800004, null, 'messages', 'morsel', @now - 10380000),
  (7, 1, 'charge', -9000, 49940000, 1, 904907980800005, 904907980800005, null, 'messages', 'morsel', @now - 10379960),
  (8, 1, 'charge', -9000, 49931000, 1, 904907980800006, 904907980800006, null, 'messages', 'morsel', @now - 10379010),
  (9, 1, 'charge', -18000, 49913000, 1, 904907980800007, 904907980800007, null, 'messages', 'morsel', @now - 10320000),
  (10, 1, 'refund', 9000, 49922000, 1, 904907980800007, 904907980800007, 2, 'canceled', 'morsel', @now - 10319970),
  (11, 1, 'charge', -8500, 49913500, 1, 904907980800008, 904907980800008, null, 'messages', 'morsel', @now - 10260000),
  (12, 1, 'refund', 8500, 49922000, 1, 904907980800008, 904907980800008, 1, 'expired', 'morsel', @now - 10139000),
  (13, 1, 'charge', -8500, 49913500, 1, 904907980800009, 904907980800009, null, 'messages', 'morsel', @now - 10080000),
  (14, 1, 'charge', -8000, 49905500, 1, 904907980800010, 904907980800010, null, 'messages', 'morsel', @now - 10079960),
  (15, 1, 'charge', -8000, 49897500, 1, 904907980800011, 904907980800011, null, 'messages', 'morsel', @now - 10079910),
  (16, 1, 'charge', -8000, 49889500, 1, 904907980800012, 904907980800012, null, 'messages', 'morsel', @now - 10079880),
  (17, 2, 'charge', -12345, -12345, 1, 904907980800013, 904907980800013, null, 'messages', 'morsel', @now - 10020000),
  (18, 2, 'refund', 12345, 0, 1, 904907980800013, 904907980800013, 1, 'undelivered', 'morsel', @now - 10019200),
  (19, 2, 'charge', -24690, -24690, 1, 904907980800014, 904907980800014, null, 'messages', 'morsel', @now - 10019200),
  (20, 1, 'charge', -50500, 49839000, 5, 904907980800015, 904907980800020, null, 'messages', 'morsel', @now - 300000),
  (21, 2, 'charge', -12345, -37035, 1, 904907980800018, 904907980800018, null, 'messages', 'morsel', @now - 300000),
  (22, 1, 'charge', -8500, 49830500, 1, 904907980800021, 904907980800021, null, 'messages', 'morsel', @now - 60000),
  (23, 1, 'charge', -17500, 49813000, 2, 904907980800022, 904907980800023, null, 'messages', 'morsel', @now - 2000);

insert into message values
  (904907980800001, 1, 'http', '+41790000001', '+41791000001', 'GSM', 'gsm7', 'message 1', null, null, 1, null, 'order-1', 0, 0, 1, @now - 10500000, @now - 10500000, @now + 162300000, 1, 2, 8500, 8500, 49991600, 4, 0, 'delivered', @now - 10499100, 0, 0, null),
  (904907980800002, 1, 'http', '+41790000001', '+41791000002', 'GSM', 'gsm7', 'long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long ', null, null, 3, 2, null, 0, 0, 1, @now - 10500000, @now - 10500000, @now + 162300000, 1, 2, 8500, 25500, 49966100, 4, 1, 'sent', @now - 10499920, 0, 0, null),
  (904907980800003, 1, 'http', '+41790000001', '+39341000003', 'GSM', 'gsm7', 'message 3', null, null, 1, null, null, 0, 0, 4, @now - 10440000, @now - 10440000, @now + 162360000, 1, 1, 8100, 8100, 49958000, 5, 0, 'delivered', @now - 10439500, 0, 0, null),
  (904907980800004, 1, 'http', '+41790000001', '+49151000004', 'UCS', 'ucs2', 'Grüße 🙂', null, null, 1, null, null, 0, 0, 2, @now - 10380000, @now - 10380000, @now + 162420000, 1, 1, 9000, 9000, 49949000, 6, 0, 'sent', @now - 10379960, 0, 0, null),
  (904907980800005, 1, 'http', '+41790000001', '+49151000005', 'GSM', 'gsm7', 'message 5', null, null, 1, null, null, 0, 0, 2, @now - 10379960, @now - 10379960, @now + 162420040, 1, 1, 9000, 9000, 49940000, 7, 0, 'sent', @now - 10379910, 0, 0, null),
  (904907980800006, 1, 'http', '+41790000001', '+49151000006', 'GSM', 'gsm7', 'message 6', null, null, 1, null, null, 0, 0, 2, @now - 10379010, @now - 10379010, @now + 162420990, 1, 1, 9000, 9000, 49931000, 8, 0, 'sent', @now - 10378800, 0, 0, null),
  (904907980800007, 1, 'http', '+41790000001', '+49151000007', 'GSM', 'gsm7', 'reject reject reject reject reject reject reject reject reject reject reject reject reject reject reject reject reject reject reject reject reject reject reject reject reject reject reject reject reject reject ', null, null, 2, 7, null, 0, 0, 2, @now - 10320000, @now - 10320000, @now + 162480000, 1, 1, 9000, 18000, 49913000, 9, 0, 'rejected', @now - 10319970, 0, 1, '11'),
  (904907980800008, 1, 'http', '+41790000001', '+41791000008', 'GSM', 'gsm7', 'message 8', null, null, 1, null, null, 0, 0, 1, @now - 10260000, @now - 10260000, @now - 10140000, 1, 2, 8500, 8500, 49913500, 11, 0, 'expired', @now - 10139000, 0, 1, null),
  (904907980800009, 1, 'http', '+41790000001', '+41791000009', 'GSM', 'gsm7', 'message 9', null, null, 1, null, null, 0, 0, 1, @now - 10080000, @now - 10080000, @now - 10020000, 1, 2, 8500, 8500, 49913500, 13, 0, 'delivered', @now - 9900000, 1, 0, null),
  (904907980800010, 1, 'http', '+41790000001', '+33611000010', 'GSM', 'gsm7', 'message 10', null, null, 1, null, null, 0, 0, 3, @now - 10079960, @now - 10079960, @now + 162720040, 1, 1, 8000, 8000, 49905500, 14, 0, 'unknown', @now - 10079910, 0, 1, null),
  (904907980800011, 1, 'http', '+41790000001', '+33611000011', 'GSM', 'gsm7', 'message 11', null, null, 1, null, null, 0, 0, 3, @now - 10079910, @now - 10079910, @now + 162720090, 1, 1, 8000, 8000, 49897500, 15, 0, 'sent', @now - 10079880, 0, 0, null),
  (904907980800012, 1, 'http', '+41790000001', '+33611000012', 'GSM', 'gsm7', 'message 12', null, null, 1, null, null, 0, 0, 3, @now - 10079880, @now - 10079880, @now + 162720120, 1, 1, 8000, 8000, 49889500, 16, 0, 'sent', @now - 10079840, 0, 0, null),
  (904907980800013, 2, 'http', 'Bolt', '+41791000013', 'GSM', 'gsm7', 'message 13', null, null, 1, null, null, 0, 0, 1, @now - 10020000, @now - 10020000, @now + 162780000, 2, 1, 12345, 12345, -12345, 17, 0, 'undelivered', @now - 10019200, 0, 0, '027'),
  (904907980800014, 2, 'http', 'Bolt', '+41791000014', 'GSM', 'gsm7', 'bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt bolt ', null, null, 2, 14, null, 0, 0, 1, @now - 10019200, @now - 10019200, @now + 162780800, 2, 1, 12345, 24690, -24690, 19, 0, 'sent', @now - 10019160, 0, 0, null),
  (904907980800015, 1, 'http', '+41790000001', '+41791000015', 'GSM', 'gsm7', 'tried once', null, null, 1, null, 'q-1', 0, 0, 1, @now - 300000, @now - 300000, @now + 172500000, 1, 2, 8500, 8500, 49881000, 20, 0, 'queued', @now - 300000, 0, 0, null),
  (904907980800016, 1, 'http', '+41790000001', '+41791000016', 'GSM', 'gsm7', 'tried as well', null, null, 1, null, null, 0, 0, 1, @now - 300000, @now - 300000, @now + 172500000, 1, 2, 8500, 8500, 49872500, 20, 1, 'queued', @now - 300000, 0, 0, null),
  (904907980800017, 1, 'http', '+41790000001', '+41791000017', 'GSM', 'gsm7', 'was throttled', null, null, 1, null, null, 0, 0, 1, @now - 300000, @now - 300000, @now + 172500000, 1, 2, 8500, 8500, 49864000, 20, 2, 'queued', @now - 300000, 0, 0, null),
  (904907980800018, 2, 'http', 'Bolt', '+41791000018', 'GSM', 'gsm7', 'never tried', null, null, 1, null, null, 0, 0, 1, @now - 300000, @now - 300000, @now + 172500000, 2, 1, 12345, 12345, -37035, 21, 0, 'queued', @now - 300000, 0, 0, null),
  (904907980800019, 1, 'http', '+41790000001', '+33611000019', 'GSM', 'gsm7', 'behind a pause', null, null, 1, null, null, 0, 0, 3, @now - 300000, @now - 300000, @now + 172500000, 1, 1, 8000, 8000, 49856000, 20, 3, 'queued', @now - 300000, 0, 0, null),
  (904907980800020, 1, 'http', '+41790000001', '+41791000020', 'GSM', 'gsm7', 'waits in two parts, waits in two parts, waits in two parts, waits in two parts, waits in two parts, waits in two parts, waits in two parts, waits in two parts, waits in two parts, waits in two parts, waits in two parts, waits in two parts, ', null, null, 2, 20, null, 0, 0, 1, @now - 300000, @now - 300000, @now + 172500000, 1, 2, 8500, 17000, 49839000, 20, 4, 'queued', @now - 300000, 0, 0, null),
  (904907980800021, 1, 'http', '+41790000001', '+41791000021', 'GSM', 'gsm7', 'goes again', null, null, 1, null, null, 0, 0, 1, @now - 60000, @now - 60000, @now + 172740000, 1, 2, 8500, 8500, 49830500, 22, 0, 'sent', @now - 59990, 0, 0, null),
  (904907980800022, 1, 'http', '+41790000001', '+41791000022', 'GSM', 'gsm7', 'receipt before answer', null, null, 1, null, null, 0, 0, 1, @now - 2000, @now - 2000, @now + 172798000, 1, 2, 8500, 8500, 49822000, 23, 0, 'queued', @now - 2000, 0, 0, null),
  (904907980800023, 1, 'http', '+41790000001', '+49151000023', 'GSM', 'gsm7', 'nothing is known', null, null, 1, null, null, 0, 0, 2, @now - 2000, @now - 2000, @now + 172798000, 1, 1, 9000, 9000, 49813000, 23, 1, 'queued', @now - 2000, 0, 0, null);

insert into part values
  (904907980800001, 1, 'delivered', @now - 10499100, null, null, 1, 1, 0, 0, 'DELIVERED', null, null),
  (904907980800002, 1, 'delivered', @now - 10499100, null, null, 1, 1, 0, 0, 'DELIVERED', null, null),
  (904907980800002, 2, 'buffered', @now - 10499100, @now + 421500000, null, 1, 1, 0, 0, 'SCHEDULED', null, null),
  (904907980800002, 3, 'sent', @now - 10499920, @now + 421500000, null, 1, 1, 0, 0, null, null, null),
  (904907980800003, 1, 'delivered', @now - 10439500, null, null, 4, 1, 0, 0, 'DELIVERED', null, null),
  (904907980800004, 1, 'sent', @now - 10379960, @now + 421620000, null, 2, 1, 0, 0, null, null, null),
  (904907980800005, 1, 'sent', @now - 10379010, @now + 421620040, null, 2, 1, 0, 1, 'ENROUTE', null, null),
  (904907980800006, 1, 'in_doubt', @now - 10378800, @now + 421620990, null, null, 1, 0, 1, null, null, null),
  (904907980800007, 1, 'rejected', @now - 10319970, null, null, 2, 1, 0, 0, null, '11', null),
  (904907980800007, 2, 'canceled', @now - 10319970, null, null, null, 1, 0, 0, null, null, 10),
  (904907980800008, 1, 'expired', @now - 10139000, null, null, null, 0, 0, 0, null, null, 12),
  (904907980800009, 1, 'delivered', @now - 9900000, null, null, 1, 1, 0, 0, 'DELIVERED', null, null),
  (904907980800010, 1, 'unknown', @now - 10079910, null, null, null, 1, 0, 1, null, null, null),
  (904907980800011, 1, 'sent', @now - 10079880, @now + 421920090, null, 3, 1, 0, 0, null, null, null),
  (904907980800012, 1, 'sent', @now - 10079840, @now + 421920120, null, 3, 1, 0, 0, null, null, null),
  (904907980800013, 1, 'undelivered', @now - 10019200, null, null, 1, 1, 0, 0, 'UNDELIVERABLE', '027', 18),
  (904907980800014, 1, 'delivered', @now - 10018200, null, null, 1, 1, 0, 0, 'DELIVERED', null, null),
  (904907980800014, 2, 'sent', @now - 10019160, @now + 421980800, null, 1, 1, 0, 0, null, null, null),
  (904907980800015, 1, 'queued', @now - 239960, @now + 172500000, @now - 234960, null, 1, 1, 0, null, null, null),
  (904907980800016, 1, 'queued', @now - 299950, @now + 172500000, @now - 294950, null, 1, 1, 0, null, null, null),
  (904907980800017, 1, 'queued', @now - 299950, @now + 172500000, @now - 300000, null, 1, 0, 0, null, null, null),
  (904907980800018, 1, 'queued', @now - 300000, @now + 172500000, @now - 300000, null, 0, 0, 0, null, null, null),
  (904907980800019, 1, 'queued', @now - 300000, @now + 172500000, @now - 300000, null, 0, 0, 0, null, null, null),
  (904907980800020, 1, 'queued', @now - 300000, @now + 172500000, @now - 300000, null, 0, 0, 0, null, null, null),
  (904907980800020, 2, 'queued', @now - 300000, @now + 172500000, @now - 300000, null, 0, 0, 0, null, null, null),
  (904907980800021, 1, 'in_doubt', @now - 59990, @now - 29990, null, null, 1, 0, 1, null, null, null),
  (904907980800022, 1, 'claimed', @now - 2000, @now + 431998000, null, null, 1, 0, 0, null, null, null),
  (904907980800023, 1, 'claimed', @now - 2000, @now + 431998000, null, null, 1, 0, 0, null, null, null);

insert into attempt values
  (904907980800001, 1, 1, 1, 1, 1, @now - 10500000, @now - 10499920, 'accepted', 0, '0000ABCD', '0000abcd'),
  (904907980800002, 1, 1, 1, 1, 1, @now - 10500000, @now - 10499920, 'accepted', 0, '1001', '1001'),
  (904907980800002, 2, 1, 1, 1, 1, @now - 10500000, @now - 10499920, 'accepted', 0, '1002', '1002'),
  (904907980800002, 3, 1, 1, 1, 1, @now - 10500000, @now - 10499920, 'accepted', 0, '1003', '1003'),
  (904907980800003, 1, 1, 4, 1, 1, @now - 10440000, @now - 10439950, 'accepted', 0, 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6', 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'),
  (904907980800004, 1, 1, 2, 1, 1, @now - 10380000, @now - 10379960, 'accepted', 0, 'A1F', '2591'),
  (904907980800005, 1, 1, 2, 1, 1, @now - 10379960, @now - 10379910, 'in_doubt', null, '0007777', '7777'),
  (904907980800006, 1, 1, 2, 1, 1, @now - 10379010, @now - 10378800, 'in_doubt', null, null, null),
  (904907980800007, 1, 1, 2, 1, 1, @now - 10320000, @now - 10319970, 'refused', 11, null, null),
  (904907980800007, 2, 1, 2, 1, 1, @now - 10320000, @now - 10319970, 'busy', 88, null, null),
  (904907980800009, 1, 1, 1, 1, 1, @now - 10080000, @now - 10079960, 'accepted', 0, '2009', '2009'),
  (904907980800010, 1, 1, 3, 1, 1, @now - 10079960, @now - 10079910, 'in_doubt', null, null, null),
  (904907980800011, 1, 1, 3, 1, 1, @now - 10079910, @now - 10079880, 'accepted', 0, '0002748', '2748'),
  (904907980800012, 1, 1, 3, 1, 1, @now - 10079880, @now - 10079840, 'accepted', 0, '0DEF', '3567'),
  (904907980800013, 1, 1, 1, 1, 1, @now - 10020000, @now - 10019960, 'accepted', 0, '3013', '3013'),
  (904907980800014, 1, 1, 1, 1, 1, @now - 10019200, @now - 10019160, 'accepted', 0, '3014', '3014'),
  (904907980800014, 2, 1, 1, 1, 1, @now - 10019200, @now - 10019160, 'accepted', 0, '3015', '3015'),
  (904907980800015, 1, 1, 1, 1, 1, @now - 240000, @now - 239960, 'temporary', 8, null, null),
  (904907980800016, 1, 1, 1, 1, 1, @now - 300000, @now - 299950, 'temporary', 8, null, null),
  (904907980800017, 1, 1, 1, 1, 1, @now - 300000, @now - 299950, 'busy', 88, null, null),
  (904907980800021, 1, 1, 1, 1, 1, @now - 60000, @now - 59990, 'in_doubt', null, null, null),
  (904907980800022, 1, 1, 1, 1, 1, @now - 2000, null, null, null, null, null),
  (904907980800023, 1, 1, 2, 1, 1, @now - 2000, null, null, null, null, null);

insert into doubt values
  (2, '+49151000006', '+41790000001', 904907980800006, 1, 1),
  (1, '+41791000021', '+41790000001', 904907980800021, 1, 1);

insert into queue values
  (1, 0, 1, @now - 300000, 904907980800017, 1),
  (1, 0, 1, @now - 300000, 904907980800020, 1),
  (1, 0, 1, @now - 300000, 904907980800020, 2),
  (1, 0, 1, @now - 294950, 904907980800016, 1),
  (1, 0, 1, @now - 234960, 904907980800015, 1),
  (1, 0, 2, @now - 300000, 904907980800018, 1),
  (3, 0, 1, @now - 300000, 904907980800019, 1);

insert into reference values
  ('+41791000002', '+41790000001', 2, @now - 10500000),
  ('+41791000014', 'Bolt', 14, @now - 10019200),
  ('+41791000020', '+41790000001', 20, @now - 300000),
  ('+49151000007', '+41790000001', 7, @now - 10320000);

insert into parked_receipt values
  (1, 1, '00ab', '00AB', 'DELIVERED', null, '+41790000001', '+41790009999', @now - 9840000),
  (2, 1, 'zebra-7', 'zebra-7', 'REJECTED', '5', '+41790000001', '+41790009999', @now - 9840000),
  (3, 2, '3000', '0003000', 'DELIVERED', null, '+41790000001', '+41790009999', @now - 9840000),
  (4, 2, '', '', null, null, '+41790000001', '+41790009999', @now - 9840000),
  (5, 3, '255', '0FF', 'DELIVERED', null, '+41790000001', '+41790009999', @now - 9840000),
  (6, 1, '5001', '5001', 'DELIVERED', null, '+41790000001', '+41791000022', @now - 1000);

insert into note values
  (1, 904907980800001, @now - 10499100, 1, 'duplicate-receipt', 'DELIVERED'),
  (2, 904907980800002, @now - 10499100, 2, 'receipt', 'SCHEDULED'),
  (3, 904907980800005, @now - 10379910, 1, 'in-doubt', 'attempt 1 had no answer; the carrier''s setting is hold'),
  (4, 904907980800005, @now - 10379010, 1, 'matched-in-doubt', 'attempt 1, by its numbers'),
  (5, 904907980800005, @now - 10379010, 1, 'receipt', 'ENROUTE'),
  (6, 904907980800006, @now - 10378800, 1, 'in-doubt', 'attempt 1 had no answer; the carrier''s setting is hold'),
  (7, 904907980800010, @now - 10079910, 1, 'in-doubt', 'attempt 1 had no answer; the carrier''s setting is fail'),
  (8, 904907980800012, @now - 10079001, 1, 'matched-in-doubt', 'attempt 1, by its numbers'),
  (9, 904907980800012, @now - 10079001, 1, 'receipt', 'ENROUTE'),
  (10, 904907980800009, @now - 9900000, 1, 'corrected', 'unknown to delivered'),
  (11, 904907980800021, @now - 59990, 1, 'in-doubt', 'attempt 1 had no answer; the carrier''s setting is resend: a possible duplicate');

insert into inbound_part values
  (1, 1, '+41790005555', '+41790000001', 0, 0, x'4869', null, @now - 9840000);
