import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeText } from '@morsel/gsm';
import { writeReceipt, type Ask, type Session } from '@morsel/smpp';
import { microsIn } from '../support/clients/http-client.ts';
import { receiptFor, ScriptedCarrier } from '../support/carriers/scripted-carrier.ts';
import { sharedGateway, type Submit } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';

/* The tour of ARCHITECTURE.md with a real message, on real sockets: HTTP in, SMPP out, and the receipt back. */

const guest = sharedGateway();
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const receiver = '+41791230001';

describe('the life of a message', () => {
  it('goes through all steps: it is sent, paid for, submitted, answered, and reported as delivered', async () => {
    await using tour = await guest({ simulator: { receiptDelayMs: 400 } });
    const answer = await tour.send({ receiver, text: 'Grüezi €' });
    assert.equal(answer.status, 200);
    assert.match(answer.headers['content-type'] ?? '', /^application\/json; charset=utf-8$/);
    assert.deepEqual(Object.keys(answer.body), ['msgId', 'numParts', 'totalCost', 'clientBalance', 'clientCurrency']);
    const { msgId, ...rest } = answer.body;
    assert.ok(typeof msgId === 'string' && /^[1-9]\d{15}$/.test(msgId));
    assert.deepEqual(rest, { numParts: 1, totalCost: 0.0075, clientBalance: 99.9925, clientCurrency: 'EUR' });

    const first = await tour.report(msgId);
    assert.match(String(first['event']), /^(queued|sent)$/, 'it can be asked for at once');
    await tour.event(msgId, 'sent');
    const [submit, ...more] = tour.submits(receiver);
    assert.ok(submit && more.length === 0);
    assert.deepEqual(
      [submit.source, submit.esm_class, submit.data_coding, submit.registered_delivery],
      ['41790000001', 0, 0, 1],
    );
    assert.equal(textOf([submit]), 'Grüezi €');

    const report = await tour.event(msgId, 'delivered');
    assert.deepEqual(Object.keys(report).slice(0, 5), ['msgId', 'event', 'numParts', 'sendTime', 'dlrTime']);
    for (const time of ['sendTime', 'dlrTime']) assert.match(String(report[time]), instant);
    assert.ok(String(report['sendTime']) <= String(report['dlrTime']));
    await waitUntil('the receipt is acknowledged', () =>
      tour.journal.some((entry) => entry.event === 'receipt_answer' && entry.command_status === 0),
    );
    assert.equal(await tour.balance(), 99.9925);
  });

  it('also starts with a GET, in which a plus is not encoded', async () => {
    await using tour = await guest();
    const fields = `sender=+41790000001&receiver=+41791230001&text=a+b%2Bc&dcs=gsm&clientRef=r%201&tags=promo,%202027:q1`;
    const answer = await tour.client.ask({ path: `/sms/send?auth=${tour.token}&${fields}` });
    assert.equal(answer.status, 200, answer.text);
    const report = await tour.event(String(answer.body['msgId']), 'delivered');
    assert.deepEqual([report['clientRef'], report['tags']], ['r 1', ['promo', '2027:q1']]);
    assert.deepEqual(
      tour.submits(receiver).map(({ source, text }) => [source, text]),
      [['41790000001', 'a b+c']],
    );
  });
});

describe('long messages', () => {
  for (const [about, dcs, text] of [
    ['GSM with extension characters at the cuts', 'GSM', `${'a'.repeat(152)}€${'b'.repeat(151)}{}${'c'.repeat(20)}`],
    ['UCS with surrogate pairs at the cuts', 'UCS', `${'я'.repeat(66)}👍${'ж'.repeat(66)}👍`],
  ] as const) {
    it(`${about}: the parts contain the whole text, and all are charged (A5, A6)`, async () => {
      await using tour = await guest();
      const answer = await tour.send({ receiver, text, dcs });
      assert.equal(answer.body['numParts'], 3, answer.text);
      assert.equal(microsIn(answer.text, 'totalCost'), 22_500n);
      const report = await tour.event(String(answer.body['msgId']), 'delivered');
      assert.ok(Array.isArray(report['parts']) && report['parts'].length === 3);
      const submits = tour.submits(receiver);
      assert.equal(submits.length, 3);
      assert.equal(textOf(submits), text);
    });
  }

  it('can have more parts than the window of the link', async () => {
    await using tour = await guest({ carriers: [{ name: 'narrow', prefix: '41', window: 1 }] });
    const first = await tour.accept({ receiver: '+41791230002' });
    await tour.event(first, 'delivered');
    const text = 'wide '.repeat(120);
    const long = await tour.accept({ receiver, text });
    await tour.event(long, 'delivered', 5_000);
    assert.equal(textOf(tour.submits(receiver)), text);
  });

  it('have the state of each part in their report: event, time and the error of the carrier', async () => {
    await using carrier = await ScriptedCarrier.open();
    await using tour = await guest({ carriers: [{ name: 'odd', prefix: '41', port: carrier.port, window: 3 }] });
    await waitUntil('the link is bound', () => carrier.links === 1);
    const msgId = await tour.accept({ receiver: '+41791230001', text: 'x'.repeat(400) });
    const held = [await carrier.submit(0), await carrier.submit(1), await carrier.submit(2)];
    for (const [place, { respond }] of held.entries()) respond(0, { message_id: `part-${place}` });
    await tour.event(msgId, 'sent');
    const [, failing, waiting] = held;
    assert.ok(failing && waiting);
    await acknowledged(held[0] ?? failing, receiptFor(failing.pdu, 'part-0'));
    const now = Date.now();
    const told = { id: 'part-1', state: 'UNDELIVERABLE', submittedAtMs: now, doneAtMs: now, error: '042' } as const;
    const { short_message } = writeReceipt({ ...told, text: new Uint8Array() });
    await acknowledged(failing, { ...receiptFor(failing.pdu, 'part-1', 'UNDELIVERABLE'), short_message });
    await acknowledged(waiting, receiptFor(waiting.pdu, 'part-2', 'SCHEDULED'));
    const parts = await waitUntil('all three are reported', async () => {
      const reported = rowsOf((await tour.report(msgId))['parts']);
      return reported.every((part) => part['event'] !== 'sent') ? reported : undefined;
    });
    assert.deepEqual(
      parts.map((part) => [part['part'], part['event'], part['errorCode']]),
      [
        [1, 'delivered', undefined],
        [2, 'undelivered', '042'],
        [3, 'buffered', undefined],
      ],
    );
    for (const part of parts) assert.match(String(part['dlrTime']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.equal((await tour.report(msgId))['event'], 'buffered');
  });
});

describe('receipts', () => {
  /** The last digits of receivers whose receipt, in any form, says that the message was delivered. */
  const delivered = '9901 9910 9913 9914 9918 9919 9920 9921 9922 9923 9924 9925 9960'.split(' ');
  const failed = { 9902: 'undelivered', 9903: 'expired', 9904: 'rejected', 9905: 'undelivered', 9906: 'unknown' };

  it('in every form set the final state of their message', async () => {
    await using tour = await guest({ carriers: [{ name: 'alpha', prefix: '41', textReceipts: 'on' }] });
    const ends = [...delivered.map((digits) => [digits, 'delivered'] as const), ...Object.entries(failed)];
    const sent = await Promise.all(
      ends.map(async ([digits, event]) => ({ msgId: await tour.accept({ receiver: `+4179123${digits}` }), event })),
    );
    for (const { msgId, event } of sent) await tour.event(msgId, event);
    const charged = 100 - ends.length * 0.0075;
    assert.equal(await tour.balance(), Number(charged.toFixed(4)), 'no carrier says so for nothing');
  });
});

type Row = Readonly<Record<string, unknown>>;

function rowsOf(value: unknown): readonly Row[] {
  return Array.isArray(value) ? value.map((each) => ({ ...Object(each) })) : [];
}

async function acknowledged({ session }: { readonly session: Session }, receipt: Ask): Promise<void> {
  const answer = await session.request(receipt);
  assert.equal(answer.kind === 'answered' && answer.pdu.command_status, 0, 'acknowledged: it is on disk (D5)');
}

/** The text that a phone shows for these parts, which it puts in the order of their headers. */
function textOf(submits: readonly Submit[]): string {
  const parts = submits.map(({ esm_class, hex }) => {
    const octets = Buffer.from(hex ?? '', 'hex');
    const headerLength = (esm_class & 0x40) === 0 ? 0 : (octets[0] ?? 0) + 1;
    const header = octets.subarray(0, headerLength);
    return { reference: header[3], total: header[4], number: header[5] ?? 1, data: octets.subarray(headerLength) };
  });
  const ordered = parts.toSorted((a, b) => a.number - b.number);
  assert.equal(new Set(parts.map(({ reference }) => reference)).size, 1, 'one reference');
  if (parts.length > 1) {
    const numbers = ordered.map(({ number, total }) => [number, total]);
    assert.deepEqual(
      numbers,
      parts.map((_, place) => [place + 1, parts.length]),
    );
  }
  const data = Buffer.concat(ordered.map((part) => part.data));
  return decodeText({ encoding: submits[0]?.data_coding === 8 ? 'ucs2' : 'gsm7', data });
}
