import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EncodeError, type Tlvs } from './pdu.ts';
import { readTlv, tlvName, tlvTable, writeTlv } from './tlvs.ts';

/*
 * Tests that TLVs are written strictly and read leniently.
 */

const hex = (octets: Uint8Array | undefined) => octets && Buffer.from(octets).toString('hex');

test('tags are as in the standards', () => {
  // The tags in the order of 3.4 section 5.3.2 and 5.0 section 4.8.1.
  const tags =
    '0005 0006 0007 0008 000d 000e 000f 0010 0017 0019 001d 001e 0030 0201 0202 0203 0204 0205 020a 020b 020c 020d 020e' +
    ' 020f 0210 0302 0303 0304 0381 0420 0421 0422 0423 0424 0425 0426 0427 0428 0501 0600 0601 0602 0603 0604 0605 0606' +
    ' 0607 0608 0609 060a 060b 060d 060e 060f 0610 0611 0612 0613 1201 1203 1204 130c 1380 1383';
  assert.equal(
    Object.values(tlvTable)
      .map(({ tag }) => tag.toString(16).padStart(4, '0'))
      .join(' '),
    tags,
  );
  assert.equal(tlvName(0x0424), 'message_payload');
  assert.equal(tlvName(0x1401), '0x1401');
});

test('values are written in the format of their TLV', () => {
  assert.deepEqual(writeTlv('sar_msg_ref_num', 0x0102), { tag: 0x020c, value: Buffer.of(1, 2) });
  assert.equal(hex(writeTlv('qos_time_to_live', 0xfffffffe).value), 'fffffffe');
  assert.equal(hex(writeTlv('receipted_message_id', 'aé').value), '61e900');
  assert.equal(hex(writeTlv('message_payload', Uint8Array.of(0, 255)).value), '00ff');
  assert.equal(hex(writeTlv('alert_on_message_delivery', new Uint8Array(0)).value), '');
});

test('a value that the standard does not allow throws, and names the TLV but not the value', () => {
  const rows: readonly (() => unknown)[] = [
    () => writeTlv('message_state', 256),
    () => writeTlv('message_state', -1),
    () => writeTlv('message_state', 1.5),
    () => writeTlv('message_state', Number.NaN),
    () => writeTlv('receipted_message_id', 'x'.repeat(65)),
    () => writeTlv('receipted_message_id', 'a\0b'),
    () => writeTlv('receipted_message_id', '€'),
    () => writeTlv('network_error_code', Uint8Array.of(1, 2)),
    () => writeTlv('message_payload', new Uint8Array(65_536)),
  ];
  for (const row of rows)
    assert.throws(row, (error: unknown) => error instanceof EncodeError && error.field in tlvTable);
});

test('values that deviate from the standard are read', () => {
  assert.equal(readTlv(read(0x001e, '343200'), 'receipted_message_id'), '42');
  assert.equal(readTlv(read(0x001e, '3432'), 'receipted_message_id'), '42');
  assert.equal(readTlv(read(0x001e, '343200ff00'), 'receipted_message_id'), '42');
  assert.equal(readTlv(read(0x001e, ''), 'receipted_message_id'), '');
  assert.equal(readTlv(read(0x0427, '02'), 'message_state'), 2);
  assert.equal(readTlv(read(0x0427, '00000002'), 'message_state'), 2);
  assert.equal(readTlv(read(0x0427, ''), 'message_state'), undefined);
  assert.equal(readTlv(read(0x0427, '0000000002'), 'message_state'), undefined);
  assert.equal(readTlv(read(0x0017, 'ffffffff'), 'qos_time_to_live'), 0xffffffff);
  assert.equal(hex(readTlv(read(0x0423, '03000a'), 'network_error_code')), '03000a');
  assert.equal(readTlv(read(0x0424, '00'), 'message_state'), undefined);
  assert.equal(readTlv({ tlvs: [] }, 'message_state'), undefined);
});

function read(tag: number, octets: string): { tlvs: Tlvs } {
  return { tlvs: [{ tag, value: Buffer.from(octets, 'hex') }] };
}

test('the first TLV counts if a tag occurs twice', () => {
  assert.equal(readTlv({ tlvs: [writeTlv('message_state', 2), writeTlv('message_state', 5)] }, 'message_state'), 2);
});
