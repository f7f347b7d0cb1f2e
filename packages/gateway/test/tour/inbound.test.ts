/* Inbound messages from the carrier's socket to the operator's list: routing, decoding, joining. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Ask, Session } from '@morsel/smpp';
import { morsel } from '../support/gateway/morsel.ts';
import { receiptFor, ScriptedCarrier } from '../support/carriers/scripted-carrier.ts';
import { sharedGateway, type Tour } from '../support/gateway/tour.ts';
import { readShared } from '../support/shared.ts';
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

function part(place: string, text: string, reference = 7): Deliver {
  const [number = 0, total = 0] = place.split('/').map(Number);
  const header = Buffer.from([5, 0, 3, reference, total, number]);
  return { esm_class: 0x40, short_message: Buffer.concat([header, Buffer.from(text)]) };
}

async function command(tour: Tour, ...words: string[]): Promise<string> {
  const { status, out, errors } = await morsel(words, { dataDir: tour.dataDir });
  assert.deepEqual([status, errors], [0, ''], words.join(' '));
  return out;
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
    assert.match(list, /^ID +RECEIVED +ACCOUNT +NOTIFIED +SENDER +RECEIVER +KEYWORD +CARRIER +DCS +PARTS +COMPLETE\n/);
    assert.match(list, /guest-1 +no destination +\+41791239961 +\+41790000001 +- +guest-1-alpha +GSM +2 +yes\n/);
    assert.doesNotMatch(list, /Thank you/);
    await waitUntil('each is acknowledged', () => tour.simulator.counters.inboundAcknowledged >= 4);
  });
});

it("an inbound message is decoded by the carrier's own alphabet table, which may change while the link is bound", async () => {
  await using carrier = await ScriptedCarrier.open();
  await using tour = await scripted(carrier);
  const umlauts = { short_message: Buffer.from('Gr\u00fcezi', 'latin1') };
  await deliver(carrier.session(), umlauts);
  await command(tour, 'carrier', 'set', tour.carrierName('alpha'), '--inbound-codings', '0=latin1,8=ucs2-le');
  await deliver(carrier.session(), umlauts);
  await deliver(carrier.session(), { short_message: Buffer.from('да', 'utf16le'), data_coding: 8 });
  assert.deepEqual(await texts(tour, 3), ['Gr\ufffdezi', 'Grüezi', 'да']);
});

describe('parts of an inbound message', () => {
  it('are joined in any order, over several links and restarts, and each is acknowledged (O1)', async () => {
    await using carrier = await ScriptedCarrier.open();
    await using tour = await scripted(carrier, 2);
    const one = carrier.session();
    assert.equal(await deliver(one, part('3/3', '!')), 0);
    assert.equal(await deliver(carrier.other(one), part('1/3', 'Hello ')), 0);
    assert.equal(await deliver(carrier.other(one), part('1/3', 'Hello ')), 0);
    await tour.restart();
    await bound(carrier, 2);
    assert.equal(await deliver(carrier.session(), part('2/3', 'world')), 0);
    assert.deepEqual(await texts(tour, 1), ['Hello world!']);
    for (const place of ['1/3 Hello ', '2/3 world', '3/3 !']) {
      const again = part(place.slice(0, 3), place.slice(4));
      assert.equal(await deliver(carrier.session(), again), 0, 'once more is acknowledged as well');
    }
    assert.deepEqual(await texts(tour, 1), ['Hello world!']);
    const left = await tour.readStore((store) =>
      store.count(
        'select count(*) from inbound_part join carrier on carrier.id = carrier where name = ?',
        tour.carrierName('alpha'),
      ),
    );
    assert.equal(left, 0);
  });
});

it('inbound messages and receipts are not confused, from the deliver_sm on (O4)', async () => {
  await using carrier = await ScriptedCarrier.open();
  await using tour = await scripted(carrier);
  await command(tour, 'carrier', 'set', tour.carrierName('alpha'), '--text-receipts', 'on');
  const receipt = 'id:404 sub:001 dlvrd:001 submit date:2401010000 done date:2401010001 stat:DELIVRD err:000 text:';
  assert.equal(await deliver(carrier.session(), { short_message: Buffer.from(receipt) }), 0);
  assert.equal(await deliver(carrier.session(), { short_message: Buffer.from('id:123 stat:hello') }), 0);
  assert.deepEqual(await texts(tour, 1), ['id:123 stat:hello']);
  const list: { items: { id: string }[] } = JSON.parse(await command(tour, 'receipt', 'unmatched', '--json'));
  const id = list.items[0]?.id ?? '';
  const shown: { octets: string } = JSON.parse(await command(tour, 'receipt', 'show', id, '--json'));
  assert.equal(Buffer.from(shown.octets, 'hex').toString(), receipt, 'nobody else has this text');
  const name = tour.carrierName('alpha');
  const counts = await tour.readStore((store) => [
    store.count('select count(*) from inbound join carrier on carrier.id = carrier where name = ?', name),
    store.count('select count(*) from unmatched_receipt join carrier on carrier.id = carrier where name = ?', name),
  ]);
  assert.deepEqual(counts, [1, 1]);
});

it('receipts without a mark raise the proposal of the setting that reads them', async (t) => {
  await using carrier = await ScriptedCarrier.open();
  await using tour = await scripted(carrier);
  const name = tour.carrierName('alpha');
  const made = [1, 2, 3, 4, 5].map(
    (place) => `id:700000${place} submit date:2401010000 done date:2401010001 stat:DELIVRD err:000`,
  );
  const lines = readShared(t, 'receipts/receipts.jsonl')?.trim().split('\n') ?? [];
  const wild = lines.map((line): string => JSON.parse(line).text).filter((text) => /^id:.*stat:DELIVRD/.test(text));
  const receipts = [...wild, ...made].map((text) => Buffer.from(text, 'latin1'));
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
    /text receipts +off\nmarked +\d{4}-/,
  );
});
