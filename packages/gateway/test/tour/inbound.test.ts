/* Inbound messages from the carrier's socket to the operator's list: routing, decoding, joining. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Ask, Session } from '@morsel/smpp';
import { command } from '../support/gateway/morsel.ts';
import { receiptFor, ScriptedCarrier } from '../support/carriers/scripted-carrier.ts';
import { sharedGateway, type Tour } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';

const guest = sharedGateway();
const phone = '+41791230001';
const ours = '41791112233';

type Deliver = Partial<Ask & { command: 'deliver_sm' }>;

/** Sends an inbound deliver_sm. Returns the command_status that the carrier gets. */
async function deliver(session: Session, pdu: Deliver): Promise<number> {
  const addresses = { source_addr_ton: 1, source_addr: phone.slice(1), dest_addr_ton: 1, destination_addr: ours };
  const answer = await session.request({ ...addresses, ...pdu, command: 'deliver_sm' });
  assert.ok(answer.kind === 'answered', answer.kind);
  return answer.pdu.command_status;
}

interface Listed {
  readonly msgId: string;
  readonly carrier: string;
  readonly account: string | null;
  readonly complete: boolean;
  readonly numParts: number;
}

/** The inbound messages of a test's carriers, the oldest first, once there are this many. */
async function listed(tour: Tour, count: number): Promise<readonly Listed[]> {
  return waitUntil(`${count} messages`, async () => {
    const { items }: { items: Listed[] } = JSON.parse(await command(tour, 'inbound', 'list', '--json'));
    const own = items.filter(({ carrier }) => carrier === tour.carrierName('alpha'));
    return own.length >= count ? own.toReversed() : undefined;
  });
}

async function texts(tour: Tour, count: number): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { msgId } of await listed(tour, count)) {
    const { text }: { text: string } = JSON.parse(await command(tour, 'inbound', 'show', msgId, '--json'));
    found.push(text);
  }
  return found;
}

async function scripted(carrier: ScriptedCarrier, links = 1): Promise<Tour> {
  const tour = await guest({ carriers: [{ name: 'alpha', prefix: '41', port: carrier.port, links }] });
  await bound(carrier, links);
  return tour;
}

async function bound(carrier: ScriptedCarrier, links = 1): Promise<void> {
  await waitUntil(`${links} links are bound`, () => carrier.links === links);
}

describe('an inbound message', () => {
  it("to the sender of a message is in the list of the number's account: short, in two parts, and in UCS-2", async () => {
    await using tour = await guest();
    assert.match(
      await command(tour, 'number', 'add', '+41790000001', '--account', tour.account),
      /^messages to \+41790000001 are for guest-\d\n/,
    );
    for (const [at, digits] of ['9960', '9961', '9962'].entries()) {
      await tour.accept({ receiver: `+4179123${digits}` });
      await listed(tour, at + 1);
    }
    const [short, long, ucs2] = await texts(tour, 3);
    assert.equal(short, 'Thank you, I have got your message.');
    assert.match(long ?? '', /^This is a long answer .* The end\.$/);
    assert.equal(ucs2, 'Спасибо, получил 👍');
    const list = await command(tour, 'inbound', 'list', '--account', tour.account);
    assert.match(
      list,
      /^ID +RECEIVED +ACCOUNT +NOTIFIED +SENDER +RECEIVER +KEYWORD +CARRIER +ENCODING +PARTS +COMPLETE\n/,
    );
    assert.match(list, /guest-1 +no destination +\+41791239961 +\+41790000001 +- +guest-1-alpha +GSM +2 +yes\n/);
    assert.doesNotMatch(list, /Thank you/);
    await waitUntil('each is acknowledged', () => tour.simulator.counters.inboundAcknowledged >= 4);
  });
});

it('receipts without a mark raise the proposal of the setting that reads them', async () => {
  await using carrier = await ScriptedCarrier.open();
  await using tour = await scripted(carrier);
  const name = tour.carrierName('alpha');
  const receipts = [1, 2, 3, 4, 5].map((place) =>
    Buffer.from(`id:700000${place} submit date:2401010000 done date:2401010001 stat:DELIVRD err:000`),
  );
  for (const short_message of receipts) assert.equal(await deliver(carrier.session(), { short_message }), 0);
  const alarm = await waitUntil(
    'the alarm opens',
    async () => (await command(tour, 'alarm', 'list')).split('\n').find((line) => line.includes(` ${name} `)),
    20_000,
  );
  assert.match(alarm, /carrier-setting/);
  await command(tour, ...String(/carrier set .* on/.exec(alarm)).split(' '));
  for (const [place, short_message] of receipts.entries()) {
    const msgId = await tour.accept({ receiver: phone });
    const { respond } = await carrier.submit(place);
    respond(0, { message_id: String(/^id:(\S+)/.exec(short_message.toString('latin1'))?.[1]) });
    await tour.event(msgId, 'sent');
    assert.equal(await deliver(carrier.session(), { short_message }), 0);
    await tour.event(msgId, 'delivered');
  }
});

it('a receipt that a receiver forges is an inbound message: no refund, and the true receipt counts (O4)', async () => {
  await using carrier = await ScriptedCarrier.open();
  await using tour = await guest({
    carriers: [{ name: 'alpha', prefix: '41', port: carrier.port }],
    account: { refundPolicy: 'undelivered' },
  });
  await bound(carrier);
  await command(tour, 'number', 'add', `+${ours}`, '--account', tour.account);
  const submit = async (place: number) => {
    const msgId = await tour.accept({ sender: `+${ours}`, receiver: phone });
    const held = await carrier.submit(place);
    held.respond(0, { message_id: String(5_000 + place) });
    await tour.event(msgId, 'sent');
    return { msgId, held };
  };
  const first = await submit(0);
  await carrier.session().request(receiptFor(first.held.pdu, '5000'));
  await tour.event(first.msgId, 'delivered');
  // The ids of this carrier count upwards, so a receiver can guess the next id.
  const { msgId, held } = await submit(1);
  const forged = 'id:5001 sub:001 dlvrd:000 submit date:2401010000 done date:2401010001 stat:UNDELIV err:001 text:';
  assert.equal(await deliver(carrier.session(), { short_message: Buffer.from(forged) }), 0);
  assert.deepEqual(await texts(tour, 1), [forged]);
  assert.equal((await tour.report(msgId))['event'], 'sent');
  await carrier.session().request(receiptFor(held.pdu, '5001'));
  await tour.event(msgId, 'delivered');
  assert.equal(await tour.balance(), 99.985);
  assert.match(
    await command(tour, 'carrier', 'learned', tour.carrierName('alpha')),
    /receipts by text +off\nmarked +\d{4}-/,
  );
});
