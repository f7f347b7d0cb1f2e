import assert from 'node:assert/strict';
import { statuses } from '@morsel/smpp';
import { ours } from '../client-account.ts';
import type { DeliveringCarrier } from './delivering-carrier.ts';
import type { NpmSmppBind, NpmSmppClient } from './npm-smpp-client.ts';
import type { GatewayProcess } from '../../support/gateway/gateway-process.ts';
import { waitUntil } from '../../support/wait-until.ts';

/* The requests that a foreign client sends to the gateway, and the answers it must get. */

const enroute = 1;
const deliveredState = 2;
const deletedState = 4;
const scheduledState = 0;
const receiptClass = 0x04;
/** esm_class of a message whose user data start with a header. */
const headerClass = 0x40;
const version33 = 0x33;
const version50 = 0x50;
const { ESME_ROK, ESME_RINVBNDSTS, ESME_RCANCELFAIL, ESME_RQUERYFAIL } = statuses;

/** The message_state of a scheduled message: the state SCHEDULED is new in SMPP 5.0. */
const waitingState = (version: number) => (version === version50 ? scheduledState : enroute);

const numberOf = (at: number) => `4179${String(at).padStart(7, '0')}`;

export const shown = (version: number) => `${version >> 4}.${version & 0xf}`;

interface Talk {
  readonly program: GatewayProcess;
  readonly carrier: DeliveringCarrier;
  readonly bind: (bind: NpmSmppBind) => Promise<NpmSmppClient>;
  readonly port: number;
  readonly version: number;
}

/** Binds a transmitter and a receiver, then a transceiver. Each may send only the requests that its bind allows. */
export async function talkInAllBinds(talk: Talk): Promise<void> {
  const { bind, port, version } = talk;
  {
    await using transmitter = await bind({ port, as: 'transmitter', version });
    await using receiver = await bind({ port, as: 'receiver', version });
    assert.deepEqual(await sessionsOf(talk.program), [`receiver ${shown(version)}`, `transmitter ${shown(version)}`]);
    const sent = await send(talk, transmitter, receiver);
    await cancel(talk, transmitter, sent);
    await receive(talk, receiver);
    const refused = await receiver.submit({ to: numberOf(1), text: 'not here' });
    assert.equal(refused.status, ESME_RINVBNDSTS);
    assert.deepEqual(transmitter.delivered, [], 'a transmitter gets no deliver_sm');
    for (const peer of [transmitter, receiver]) {
      assert.equal((await peer.enquire()).status, ESME_ROK);
      assert.equal((await peer.unbind()).status, ESME_ROK);
    }
  }
  {
    await using transceiver = await bind({ port, as: 'transceiver', version });
    assert.deepEqual(await sessionsOf(talk.program), [`transceiver ${shown(version)}`]);
    const sent = await send(talk, transceiver, transceiver);
    await cancel(talk, transceiver, sent);
    await receive(talk, transceiver);
    assert.equal((await transceiver.enquire()).status, ESME_ROK);
    assert.equal((await transceiver.unbind()).status, ESME_ROK);
  }
  await waitUntil('no session is left', async () => (await sessionsOf(talk.program)).length === 0);
}

async function sessionsOf(program: GatewayProcess): Promise<string[]> {
  const sessions = (await program.ask('v1/sessions')).at('items');
  assert.ok(Array.isArray(sessions));
  return sessions.map(({ bind, version }: { bind: string; version: string }) => `${bind} ${version}`).toSorted();
}

const receiptText = /^id:\d{16} sub:(\d{3}) dlvrd:\1 submit date:\d{10} done date:\d{10} stat:DELIVRD err:000 text:$/;

const longText = 'parts that the gateway cuts '.repeat(10);

/**
 * Each text must reach the carrier, and its receipt the client. query_sm must give the same state. Returns the last id.
 */
async function send({ version, carrier }: Talk, from: NpmSmppClient, to: NpmSmppClient): Promise<string> {
  let last = '';
  const at = carrier.given.length;
  const messages = [
    { text: 'Hello', dataCoding: 0 },
    { text: 'Привет', dataCoding: 8 },
    ...(version === version33 ? [] : [{ text: longText, dataCoding: 0, isPayload: true } as const]),
  ] as const;
  // 3.3 has no TLVs.
  const hasTlvs = version !== version33;
  for (const [place, message] of messages.entries()) {
    const receiver = numberOf(at + place);
    const reference = hasTlvs ? 4_711 + place : 0;
    const answer = await from.submit({ ...message, to: receiver, reference });
    assert.equal(answer.status, ESME_ROK);
    assert.match(answer.messageId, /^\d{16}$/);
    last = answer.messageId;
    const receipts = () => to.delivered.filter(({ text }) => text.includes(`id:${answer.messageId} `));
    await waitUntil(`a receipt of ${message.text}`, () => receipts().length > 0);
    const [receipt] = receipts();
    assert.equal(receipt?.esmClass, receiptClass);
    assert.match(receipt.text, receiptText);
    const tlvs = [receipt.receiptedId, receipt.state, receipt.reference];
    assert.deepEqual(tlvs, hasTlvs ? [answer.messageId, deliveredState, reference] : ['', 0, 0]);
    assert.deepEqual([receipt.from, receipt.to], [receiver, ours]);
    assert.equal(carrier.textsTo(receiver).join(''), message.text);
    const asked = await from.query(answer.messageId);
    assert.deepEqual(asked, { status: ESME_ROK, messageId: answer.messageId, state: deliveredState });
  }
  return last;
}

/** A waiting message can be canceled, a delivered message cannot. An unknown id is neither found nor canceled. */
async function cancel({ version, carrier }: Talk, peer: NpmSmppClient, sent: string): Promise<void> {
  const inAnHour = '000000010000000R';
  const { status, messageId } = await peer.submit({ to: numberOf(9_999), text: 'too late', schedule: inAnHour });
  assert.equal(status, ESME_ROK);
  assert.equal((await peer.query(messageId)).state, waitingState(version));
  assert.equal((await peer.cancel(messageId)).status, ESME_ROK);
  assert.equal((await peer.query(messageId)).state, deletedState);
  assert.equal((await peer.cancel(messageId)).status, ESME_ROK, 'asked again, it is canceled all the same');
  assert.equal((await peer.cancel(sent)).status, ESME_RCANCELFAIL);
  assert.equal((await peer.cancel('12345')).status, ESME_RCANCELFAIL);
  assert.equal((await peer.query('12345')).status, ESME_RQUERYFAIL);
  assert.deepEqual(carrier.textsTo(numberOf(9_999)), []);
}

/** The reference of the newest long message. Each has its own: the gateway takes equal parts for repeats. */
let reference = 0;

const part = (number: number, text: string) => ({
  esm_class: headerClass,
  short_message: Buffer.concat([Buffer.from([5, 0, 3, reference & 0xff, 2, number]), Buffer.from(text)]),
});

/** The client must get inbound messages in full, each in the alphabet that it needs. */
async function receive({ version, carrier }: Talk, peer: NpmSmppClient): Promise<void> {
  const before = peer.delivered.length;
  await carrier.bringText('from a phone');
  await carrier.bring({ data_coding: 8, short_message: Buffer.from('Привет', 'utf16le').swap16() });
  reference += 1;
  await carrier.bring(part(1, 'x'.repeat(153)));
  await carrier.bring(part(2, 'y'.repeat(120)));
  // A client of SMPP 3.3 gets a long message in parts, in order: that version has no message_payload.
  const all = `from a phoneПривет${'x'.repeat(153)}${'y'.repeat(120)}`;
  const heard = () => peer.delivered.slice(before).filter(({ esmClass }) => esmClass !== receiptClass);
  const text = () =>
    heard()
      .map((each) => each.text)
      .join('');
  await waitUntil('the inbound messages', () => text().length >= all.length);
  assert.equal(text(), all);
  const parts = version === version33 ? [headerClass, headerClass] : [0];
  assert.deepEqual(
    heard().map(({ esmClass }) => esmClass),
    [0, 0, ...parts],
  );
  for (const { from, to } of heard()) assert.deepEqual([from, to], ['41791230001', ours]);
}
