/**
 * Measures how many PDUs a second one core encodes and decodes: `node packages/smpp/bench/codec.bench.ts`. The warm-up
 * has every kind of PDU, as in a process that has run for a while.
 */
import { decode, encode, encodeInto, Framer, readReceipt, type Encodable } from '../src/index.ts';

const rounds = 7;
const pdusPerRound = 300_000;

const submitSm: Encodable = {
  command: 'submit_sm',
  sequence_number: 1,
  source_addr_ton: 5,
  source_addr: 'Morsel',
  dest_addr_ton: 1,
  dest_addr_npi: 1,
  destination_addr: '46705550123',
  registered_delivery: 1,
  short_message: Buffer.from('Your code is 123456. It is valid for five minutes.'),
};
const submitSmResp: Encodable = { command: 'submit_sm_resp', sequence_number: 1, message_id: '1009876543210123' };
const receipt: Encodable = {
  command: 'deliver_sm',
  sequence_number: 1,
  source_addr_ton: 1,
  source_addr_npi: 1,
  source_addr: '46705550123',
  dest_addr_ton: 5,
  destination_addr: 'Morsel',
  esm_class: 4,
  short_message: Buffer.from(
    'id:1009876543210123 sub:001 dlvrd:001 submit date:2611210915 done date:2611210916 stat:DELIVRD err:000 text:Your code is 123456.',
  ),
  tlvs: [
    { tag: 0x001e, value: Buffer.from('1009876543210123\0') },
    { tag: 0x0427, value: Uint8Array.of(2) },
  ],
};

function measure(name: string, run: () => void): void {
  const rates: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = process.hrtime.bigint();
    for (let count = 0; count < pdusPerRound; count++) run();
    rates.push(pdusPerRound / (Number(process.hrtime.bigint() - start) / 1e9));
  }
  rates.sort((one, other) => one - other);
  const median = rates[rounds >> 1] ?? 0;
  process.stdout.write(`${name.padEnd(32)} ${Math.round(median).toLocaleString('en').padStart(12)} /s\n`);
}

const samples: Record<string, Encodable> = {
  submit_sm: submitSm,
  submit_sm_resp: submitSmResp,
  'deliver_sm receipt': receipt,
};
const target = Buffer.alloc(200_000);
for (const pdu of Object.values(samples)) {
  for (let count = 0; count < 20_000; count++) decode(encode(pdu));
}
for (const [name, pdu] of Object.entries(samples)) {
  const bytes = encode(pdu);
  measure(`encode ${name}`, () => encode(pdu));
  measure(`encodeInto ${name}`, () => encodeInto(target, 0, pdu));
  measure(`decode ${name}`, () => decode(bytes));
}
const decoded = decode(encode(receipt));
if (!decoded.ok || decoded.pdu.command !== 'deliver_sm') throw new Error('the receipt is not read');
const { pdu: deliverSm } = decoded;
measure('readReceipt', () => readReceipt(deliverSm));
const chunk = Buffer.concat(Array.from({ length: 100 }, () => encode(submitSm)));
let calls = 0;
measure('frame submit_sm, 100 a chunk', () => {
  if (calls++ % 100 === 0) new Framer().push(chunk);
});
