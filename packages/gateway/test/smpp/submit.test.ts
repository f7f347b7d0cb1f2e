import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { buildHeader, concatenation } from '@morsel/gsm';
import {
  formatRelativeTime,
  readTlv,
  statuses,
  writeTlv,
  type Ask,
  type PduOf,
  type Server,
  type Version,
} from '@morsel/smpp';
import { operatorCalls } from '../../src/edge/admin/handlers.ts';
import type { SessionApi } from '../../src/edge/clients/smpp/requests.ts';
import { toMessageId } from '../../src/core/base/message-id.ts';
import { ScriptedCarrier } from '../support/carriers/scripted-carrier.ts';
import { openSessions, SmppClient } from '../support/clients/smpp-client.ts';
import { sharedGateway, Tour } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';

/* Requests of a bound client, over real sockets: the answers, and the submit_sm that the carrier gets. */

const guest = sharedGateway();
const udhi = 0x40;
const text = Buffer.from('Hello');

function part(bits: 8 | 16, reference: number, number: number): Uint8Array {
  return buildHeader([concatenation({ bits, reference, total: 2, number })]);
}

function hex(octets: Uint8Array | undefined): string {
  return Buffer.from(octets ?? []).toString('hex');
}

describe('submit_sm and data_sm', () => {
  let tour: Tour;
  let sessions: Server;
  let client: SmppClient;
  before(async () => {
    tour = await Tour.open();
    const other = { name: 'other', currency: 'EUR' };
    assert.ok((await operatorCalls(tour.gateway.operator).account.add(other)).ok);
    sessions = await openSessions(tour.gateway);
    client = await SmppClient.open(sessions.port);
  });
  after(async () => {
    await client[Symbol.asyncDispose]();
    await sessions.close();
    await tour[Symbol.asyncDispose]();
  });

  it('are answered with our id after their commit (A1), and make the same messages as HTTP', async () => {
    const answer = await client.submit({
      short_message: text,
      registered_delivery: 2,
      tlvs: [writeTlv('user_message_reference', 77)],
    });
    assert.deepEqual([answer.status, answer.command], [0, 'submit_sm_resp']);
    assert.match(answer.messageId, /^[1-9]\d{15}$/);
    const report = await tour.event(answer.messageId, 'delivered');
    assert.equal(report['clientRef'], '77');
    assert.equal(await tour.balance(), 99.9925);
    const data = await client.ask({
      command: 'data_sm',
      source_addr: 'ACME',
      source_addr_ton: 5,
      destination_addr: '41791230002',
      dest_addr_ton: 1,
      tlvs: [writeTlv('message_payload', text), writeTlv('qos_time_to_live', 600)],
    });
    assert.deepEqual([data.status, data.command], [0, 'data_sm_resp']);
    await tour.event(data.messageId, 'delivered');
    assert.equal(tour.submits('+41791230002')[0]?.text, 'Hello');
  });

  it('are refused with a sentence for clients of SMPP 3.4 and newer, and with only a status for older ones', async () => {
    const poor = { destination_addr: '33612345678', short_message: text };
    for (const version of [0x33, 0x34, 0x50] satisfies Version[]) {
      await using other = await SmppClient.open(sessions.port, 'acme', version);
      const refusal = await other.submit(poor);
      assert.equal(refusal.status, statuses.ESME_RINVDSTADR);
      assert.equal(refusal.text, version === 0x33 ? undefined : 'no carrier is set up for messages to this receiver');
      const coding = await other.submit({ short_message: Buffer.of(0xff) });
      const { ESME_RINVDCS, ESME_RSUBMITFAIL } = statuses;
      assert.equal(coding.status, version === 0x50 ? ESME_RINVDCS : ESME_RSUBMITFAIL);
      assert.equal((await other.submit({ short_message: text })).status, 0);
    }
  });

  it('with binary data reach the carrier unchanged, and the operator sees the octets', async () => {
    const answer = await client.submit({
      destination_addr: '41791230004',
      data_coding: 0x04,
      esm_class: udhi,
      short_message: Buffer.from('0605040b8423f0ff00', 'hex'),
    });
    await tour.event(answer.messageId, 'delivered');
    const [submit] = tour.submits('+41791230004');
    assert.deepEqual([submit?.data_coding, submit?.esm_class, submit?.hex], [4, udhi, '0605040b8423f0ff00']);
    const shown = await tour.gateway.operator.reader.ask('message', toMessageId(Number(answer.messageId)));
    assert.ok(shown.ok && shown.value);
    const { dcs, encoding, data, header } = shown.value;
    assert.deepEqual(
      [dcs, encoding, shown.value.text, hex(data ?? undefined), hex(header ?? undefined)],
      ['BIN', 'binary', null, 'ff00', '0605040b8423f0'],
    );
  });

  describe('query_sm and cancel_sm', () => {
    for (const version of [0x33, 0x50] satisfies Version[]) {
      it(`find and cancel a waiting message, for a client of ${version.toString(16)}`, async () => {
        await using asking = await SmppClient.open(sessions.port, 'acme', version);
        const { messageId: message_id } = await asking.submit({ short_message: text });
        await tour.event(message_id, 'delivered');
        const delivered = await query(asking, { message_id });
        assert.deepEqual([delivered.command_status, delivered.message_state, delivered.error_code], [0, 2, 0]);
        assert.match(delivered.final_date ?? '', /^\d{12}\d00\+$/);
        const { ESME_RQUERYFAIL, ESME_RCANCELFAIL } = statuses;
        const source = { source_addr_ton: 1, source_addr: '41790000001' };
        assert.equal((await query(asking, { message_id, ...source })).command_status, 0);
        await using other = await SmppClient.open(sessions.port, 'other', version);
        for (const [by, fields] of [
          [asking, { message_id: 'abc' }],
          [asking, { message_id, ...source, source_addr: '41790000002' }],
          [other, { message_id }],
        ] as const) {
          assert.equal((await query(by, fields)).command_status, ESME_RQUERYFAIL, JSON.stringify(fields));
          assert.equal((await by.ask({ command: 'cancel_sm', ...fields })).status, ESME_RCANCELFAIL);
        }
        const late = await asking.ask({ command: 'cancel_sm', message_id });
        const why = 'no part of the message can be canceled any more: the message is delivered';
        assert.deepEqual([late.status, late.text], [ESME_RCANCELFAIL, version === 0x33 ? undefined : why]);

        const schedule_delivery_time = formatRelativeTime(3_600_000);
        const planned = await asking.submit({ short_message: text, schedule_delivery_time });
        const waiting = await query(asking, { message_id: planned.messageId });
        assert.deepEqual([waiting.message_state, waiting.final_date], [version === 0x50 ? 0 : 1, '']);
        const to = { dest_addr_ton: 1, destination_addr: '41791230001' };
        const cancel = { command: 'cancel_sm', message_id: planned.messageId, ...source, ...to } as const;
        assert.equal((await asking.ask(cancel)).status, 0);
        assert.equal((await asking.ask(cancel)).status, 0, 'once more, it is answered alike, as over HTTP');
        assert.equal((await query(asking, { message_id: planned.messageId })).message_state, 4);
      });
    }
  });

  it('are answered once each: after a bug with ESME_RSYSERR, and the log has no text of a message', async () => {
    const logged: unknown[] = [];
    const secret = 'a secret text';
    const api: SessionApi = {
      now: () => Date.now(),
      submit: (_account, { draft: { text: of } }) =>
        of === 'throws' ? thrown(secret) : Promise.reject(new Error(secret)),
      report: () => Promise.reject(new Error(secret)),
      cancel: () => Promise.reject(new Error(secret)),
      log: { error: (fields) => logged.push(fields) },
    };
    const broken = await openSessions(tour.gateway, api);
    await using unlucky = await SmppClient.open(broken.port);
    const answers = await Promise.all([
      unlucky.submit({ short_message: text }),
      unlucky.submit({ short_message: Buffer.from('throws') }),
      unlucky.ask({ command: 'query_sm', message_id: '1' }),
      unlucky.ask({ command: 'cancel_sm', message_id: '1' }),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      answers.map(() => statuses.ESME_RSYSERR),
    );
    assert.equal(logged.length, answers.length);
    assert.ok(!JSON.stringify(logged).includes('secret'));
    await unlucky.session.unbind();
    await broken.close();
  });

  it('of a session that ends before the answers cause no error, and are accepted all the same', async () => {
    const hasty = await SmppClient.open(sessions.port);
    for (let count = 0; count < 50; count++) {
      void hasty.session.request({
        command: 'submit_sm',
        source_addr: '12345',
        dest_addr_ton: 1,
        destination_addr: '41791230009',
        short_message: text,
      });
    }
    hasty.session.flush();
    await waitUntil('the carrier has one', () => tour.submits('+41791230009').length > 0);
    hasty.session.destroy();
    await waitUntil('the carrier has all', () => tour.submits('+41791230009').length === 50);
  });
});

function thrown(message: string): never {
  throw new Error(message);
}

async function query(client: SmppClient, fields: Partial<Ask>): Promise<PduOf<'query_sm_resp'>> {
  const answer = await client.session.request({ ...fields, command: 'query_sm' });
  assert.ok(answer.kind === 'answered' && answer.pdu.command === 'query_sm_resp');
  return answer.pdu;
}

describe('a part that a client split itself', { concurrency: true }, () => {
  for (const longMessages of ['udh', 'sar']) {
    it(`reaches a carrier of ${longMessages} with the client's reference, total and number, charged as one part`, async () => {
      await using carrier = await ScriptedCarrier.open();
      await using tour = await guest({ carriers: [{ name: 'alpha', prefix: '41', port: carrier.port, longMessages }] });
      await using sessions = await openSessions(tour.gateway);
      await waitUntil('the link is bound', () => carrier.links === 1);
      await using client = await SmppClient.open(sessions.port, tour.account);
      const header = Buffer.concat([part(16, 0x1234, 1), text]);
      const answer = await client.submit({ esm_class: udhi, short_message: header });
      assert.equal(answer.status, 0, answer.text);
      const { pdu, respond } = await carrier.submit(0);
      respond(0, { message_id: 'c' });
      const isSar = longMessages === 'sar';
      assert.deepEqual([hex(pdu.short_message), pdu.esm_class], isSar ? [hex(text), 0] : [hex(header), udhi]);
      const names = ['sar_msg_ref_num', 'sar_total_segments', 'sar_segment_seqnum', 'message_payload'] as const;
      const values = names.map((name) => readTlv(pdu, name));
      assert.deepEqual(values, isSar ? [0x1234, 2, 1, undefined] : [undefined, undefined, undefined, undefined]);
      await tour.event(answer.messageId, 'sent');
      assert.equal(await tour.balance(), 99.9925);
    });
  }

  it('that waits is sent unchanged and with its vendor TLVs, after a restart, too', async () => {
    await using carrier = await ScriptedCarrier.open();
    const carriers = [{ name: 'alpha', prefix: '41', port: carrier.port, passTlvs: 'any' }];
    await using tour = await Tour.open({ carriers });
    const sessions = await openSessions(tour.gateway);
    const client = await SmppClient.open(sessions.port);
    // The part ends in half of a surrogate pair, so the gateway cannot make its octets again from its text.
    const short_message = Buffer.concat([part(16, 0x1234, 1), Buffer.from('0048d83d', 'hex')]);
    const tlvs = [{ tag: 0x1400, value: text }];
    const answer = await client.submit({
      data_coding: 8,
      short_message,
      esm_class: udhi,
      schedule_delivery_time: formatRelativeTime(1_000),
      tlvs,
    });
    await client[Symbol.asyncDispose]();
    await sessions.close();
    await tour.restart();
    const { pdu, respond } = await carrier.submit(0);
    respond(0, { message_id: '1' });
    await tour.event(answer.messageId, 'sent');
    assert.deepEqual([pdu.data_coding, pdu.esm_class, hex(pdu.short_message)], [8, udhi, hex(short_message)]);
    assert.deepEqual(
      pdu.tlvs.map(({ tag, value }) => [tag, hex(value)]),
      [[0x1400, hex(text)]],
    );
  });
});
