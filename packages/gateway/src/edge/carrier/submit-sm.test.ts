import assert from 'node:assert/strict';
import { it } from 'node:test';
import { compose } from '@morsel/gsm';
import { decode, encode } from '@morsel/smpp';
import { toMessageId } from '../../core/message-id.ts';
import type { OutgoingPart } from '../../flow/dispatch.ts';
import { submitSm } from './submit-sm.ts';

function wire(text: string, more: Partial<OutgoingPart> = {}) {
  const composed = compose(text, 'SMS');
  assert.ok(composed.ok);
  const part: OutgoingPart = {
    message: toMessageId(1),
    number: 1,
    attempt: 1,
    sender: '+41791112233',
    receiver: '+41791234567',
    composed,
    reference: 7,
    expiresAt: 0,
    ...more,
  };
  const decoded = decode(encode({ ...submitSm(part), sequence_number: 1 }));
  assert.ok(decoded.ok && decoded.pdu.command === 'submit_sm');
  return decoded.pdu;
}

const senders: readonly (readonly [string, number, number, string])[] = [
  ['+41791112233', 1, 1, '41791112233'],
  ['12345', 3, 0, '12345'],
  ['ACME', 5, 0, 'ACME'],
  ['Zoë', 5, 0, 'Zoë'],
  ['ΔΣ Bank', 5, 0, '\u0010\u0018 Bank'],
];
for (const [sender, ton, npi, address] of senders) {
  it(`sender ${sender} has TON ${ton}, NPI ${npi}`, () => {
    const pdu = wire('hello', { sender });
    assert.deepEqual([pdu.source_addr_ton, pdu.source_addr_npi, pdu.source_addr], [ton, npi, address]);
    assert.deepEqual([pdu.dest_addr_ton, pdu.dest_addr_npi, pdu.destination_addr], [1, 1, '41791234567']);
  });
}

it('a GSM text goes as unpacked septets with data_coding 0, and asks for a receipt', () => {
  const pdu = wire('a€@');
  assert.deepEqual([pdu.data_coding, pdu.esm_class, pdu.registered_delivery], [0, 0, 1]);
  assert.deepEqual([...pdu.short_message], [0x61, 0x1b, 0x65, 0x00]);
});

it('other texts go as UTF-16BE with data_coding 8', () => {
  const pdu = wire('ж😀');
  assert.equal(pdu.data_coding, 8);
  assert.deepEqual([...pdu.short_message], [0x04, 0x36, 0xd8, 0x3d, 0xde, 0x00]);
});

it('each of several parts has its user data header, marked in esm_class', () => {
  const second = wire('x'.repeat(200), { number: 2 });
  assert.equal(second.esm_class, 0x40);
  assert.deepEqual([...second.short_message.subarray(0, 6)], [5, 0, 3, 7, 2, 2]);
  assert.equal(second.short_message.length, 6 + 200 - 153);
});
