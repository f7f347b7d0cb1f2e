/* The first month of a gateway in some seconds: everything that is stored happens once. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { statuses, writeTlv } from '@morsel/smpp';
import { hourMs, secondMs } from '@morsel/api/values/time.ts';
import { base32Of, codeAt, codeSecretBytes } from '../../src/core/account/one-time-code.ts';
import { operatorCalls } from '../../src/edge/admin/handlers.ts';
import { expireInbound } from '../../src/flow/message/expire.ts';
import { shownAfter } from '../../src/state/decide/routing/learning.ts';
import { done } from '../support/done.ts';
import { runMorsel } from '../support/gateway/run-morsel.ts';
import { receiptFor, ScriptedCarrier } from '../support/carriers/scripted-carrier.ts';
import { SmppClient } from '../support/clients/smpp-client.ts';
import { Tour, type TourOptions } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';

const ours = '41791112233';
const phone = '41791230001';
/** The first id of a carrier that counts. */
const firstId = 0xbeef00;

/** Settings by commands of the operator; `FILE` is a file of the data directory. */
const settings = [
  'operator add jane --role support',
  'operator-key add jane --expires 2099-01-01',
  'account add beta --currency EUR --balance 20.5',
  'account set beta --day-cap 5 --low-balance 50,10 --time-zone Europe/Zurich --repeat-seconds 600',
  'account add old --currency EUR',
  'account remove old',
  'account top-up acme 12.345678',
  'account adjust acme --amount=-1.5 --reason correction',
  'token add beta',
  'smpp-login add beta --system-id beta --password-file PASSWORD',
  'carrier add cheap --host 127.0.0.1 --port 1 --system-id us --password-file PASSWORD --links 2',
  'carrier drain cheap',
  'route add --prefix 43 --carrier cheap --rank 1',
  'route add --prefix 43 --carrier alpha --rank 2 --after 60',
  'price import PRICES --list gold --currency EUR --base default --yes',
  `number add +${ours} --account acme`,
  'number add 8822 --account acme',
  'keyword add 8822 TAXI --account beta',
  'webhook add acme http://127.0.0.1:8009/in --on inbound,receipt,alert --allow 127.0.0.0/8',
  'optout add --account acme --receiver +41791230009 --reason letter',
  'optout word HALTET --account acme --means stop',
  'alarm receiver add night --kind webhook --to http://127.0.0.1:8009/alarms --allow 127.0.0.0/8',
  'alarm set queue-old --threshold 600',
  'alarm quiet carrier-down --subject cheap --until 2099-01-01',
  'encryption-key rotate --account acme',
] as const;

/** Runs a gateway, which is stopped afterwards and leaves messages that wait. */
export async function live(options: TourOptions): Promise<Tour> {
  const carrier = await ScriptedCarrier.open();
  const tour = await Tour.open({
    ...options,
    carriers: [
      { name: 'alpha', prefix: '41' },
      { name: 'phones', prefix: '49', port: carrier.port, inDoubt: 'hold' },
    ],
  });
  const run = (...words: readonly string[]) => commandOf(tour, words);
  writeFileSync(join(tour.dataDir, 'PASSWORD'), 'Right-1\n');
  writeFileSync(join(tour.dataDir, 'PRICES'), 'prefix,price\n41,0.008\n49,0.0123\n');
  for (const line of settings) await run(...line.split(' ').map((word) => inFolder(tour, word)));
  await signIn(tour);
  await send(tour);
  await showRule(tour, carrier);
  await sendInDoubt(tour, carrier);
  await receive(tour, carrier);
  const document = await run('config', 'export');
  writeFileSync(join(tour.dataDir, 'SETTINGS'), document.replace('rank: 2', 'rank: 3'));
  await run('config', 'apply', join(tour.dataDir, 'SETTINGS'), '--yes');
  writeFileSync(join(tour.dataDir, 'CHANGES'), 'routes:\n  - { prefix: "43", carrier: alpha, rank: 2 }\n');
  await run('change-set', 'add', 'second', join(tour.dataDir, 'CHANGES'));
  await run('privacy', 'erase', '--receiver', '+41791230099', '--reason', 'request', '--yes');
  await run('carrier', 'pause', 'alpha');
  await tour.accept({ receiver: '+41791230002', text: 'It waits for the next version.' });
  await tour.accept({ receiver: '+41791230003', text: 'x'.repeat(400), tags: ['october'] });
  await run('message', 'reroute', '--prefix', '41791230003', '--reason', 'it waits', '--yes');
  await tour.clock.advanceUntil('an alarm is open', async () =>
    (await run('alarm', 'list', '--json')).includes('low-balance'),
  );
  const { journal } = tour.gateway.operator;
  const at = tour.clock.now();
  const report = {
    kind: 'margin-low',
    subject: 'acme',
    what: '41',
    evidence: 'price 0.008, cost 0.009',
    until: at + hourMs,
  } as const;
  done(await journal.append<'report-alarm'>({ kind: 'report-alarm', at, report }));
  await carrier.close();
  await tour.stop();
  return tour;
}

async function commandOf(tour: Tour, words: readonly string[]): Promise<string> {
  const { status, out, errors } = await runMorsel(words, { dataDir: tour.dataDir });
  assert.equal(status, 0, `${words.join(' ')}: ${errors}`);
  return out;
}

/** Jane sets a password with a link, and turns one-time codes on. */
async function signIn({ gateway: { operator } }: Tour): Promise<void> {
  const { operator: calls } = operatorCalls(operator);
  const presentPassword = 'correct horse battery';
  const { link } = done(await calls.signInLink({ operator: 'jane' }));
  const answer = await fetch(`${operator.signInLinks.base}/console/link`, {
    method: 'POST',
    headers: { origin: operator.signInLinks.base, 'content-type': 'application/json' },
    body: JSON.stringify({ link: link.replace(/^.*#/, ''), password: presentPassword }),
  });
  assert.equal(answer.status, 204);
  const secret = Buffer.alloc(codeSecretBytes, 7);
  const at = operator.clock.now();
  const code = codeAt(secret, Math.floor(at / (30 * secondMs)));
  const asJane = operatorCalls({ ...operator, caller: { ...operator.caller, name: 'jane' } });
  done(await asJane.operator.codes({ presentPassword, secret: base32Of(secret), code }));
  // A form of the console, whose key the gateway keeps.
  const form = operatorCalls({ ...operator, caller: { ...operator.caller, idempotencyKey: 'form-1' } });
  done(await form.token.add({ account: 'acme' }));
}

function inFolder(tour: Tour, word: string): string {
  return /^(PASSWORD|PRICES)$/.test(word) ? join(tour.dataDir, word) : word;
}

/** Messages of every end that the simulator knows, and of every kind. */
async function send(tour: Tour): Promise<void> {
  await tour.event(await tour.accept({ receiver: `+${phone}`, text: 'Grüezi', clientRef: 'order-17' }), 'delivered');
  const erased = await tour.accept({ receiver: '+41791230099', text: 'The code is 493027', storeText: false });
  await tour.event(erased, 'delivered');
  await tour.event(await tour.accept({ receiver: '+41791230004', text: 'ж'.repeat(100), dcs: 'UCS' }), 'delivered');
  await tour.event(await tour.accept({ receiver: '+41791239902', text: 'Nobody is there' }), 'undelivered');
  const sendAt = new Date(tour.clock.now() + hourMs).toISOString();
  await tour.accept({ receiver: '+41791230005', text: 'Later', sendAt });
  assert.equal((await tour.send({ receiver: '+41791230009' })).body['code'], 'receiver_opted_out');
  assert.equal((await tour.send({ receiver: '+15551234567' })).body['code'], 'no_route');
  const headers = { 'Idempotency-Key': 'payment-1' };
  const fields = { auth: tour.token, sender: '+41790000001', receiver: `+${phone}`, text: 'Once', dcs: 'GSM' };
  assert.equal((await tour.client.post('/sms/send', fields, headers)).status, 200);
  await using client = await SmppClient.bind({ port: tour.gateway.smppPort ?? 0, systemId: 'beta' });
  const submit = { source_addr: 'ACME', source_addr_ton: 5, dest_addr_ton: 1, destination_addr: phone };
  // The second one is a repeat.
  for (const wanted of [statuses.ESME_ROK, statuses.ESME_RSUBMITFAIL]) {
    const short_message = Buffer.from('Over SMPP');
    const answer = await client.session.request({
      ...submit,
      command: 'submit_sm',
      registered_delivery: 1,
      short_message,
    });
    assert.equal(answer.kind === 'answered' && answer.pdu.command_status, wanted);
  }
}

/** Receipts that show how their carrier writes ids. */
async function showRule(tour: Tour, carrier: ScriptedCarrier): Promise<void> {
  for (let place = 0; place < shownAfter; place++) {
    const msgId = await tour.accept({ receiver: `+491511234567${place}`, text: 'Which id has it?' });
    const { pdu, session, respond } = await carrier.submit(place);
    respond(0, { message_id: (firstId + place).toString(16) });
    await tour.event(msgId, 'sent');
    await session.request(receiptFor(pdu, String(firstId + place)));
  }
  const learned = async () => commandOf(tour, ['carrier', 'learned', 'phones', '--json']);
  await tour.clock.advanceUntil('the id rule is set', async () => /"idRule": *"hex-answer"/.test(await learned()));
}

/** A part that the carrier never answered, and a receipt that matches no message. */
async function sendInDoubt(tour: Tour, carrier: ScriptedCarrier): Promise<void> {
  await tour.accept({ receiver: '+4915112345678', text: 'Did it come?' });
  const { pdu, session } = await carrier.submit(shownAfter);
  await session.request(receiptFor({ ...pdu, destination_addr: '4915100000000' }, 'nobody-knows-it'));
  session.destroy();
  await waitUntil('the part is in doubt', async () => /phones/.test(await commandOf(tour, ['message', 'in-doubt'])));
}

/** An answer, an opt-out, a message for nobody, one of two parts, and one whose second part never comes. */
async function receive(tour: Tour, carrier: ScriptedCarrier): Promise<void> {
  await waitUntil('the carrier is bound again', () => carrier.links > 0);
  const user = writeTlv('user_message_reference', 7);
  for (const each of [
    { short_message: Buffer.from('Where is my parcel?'), tlvs: [user] },
    { short_message: Buffer.from('TAXI please'), destination_addr: '8822' },
    { short_message: Buffer.from('STOP'), source_addr: '41791230007' },
    { short_message: Buffer.from('Is anybody there?'), destination_addr: '41790000000' },
    part(7, 2, 'whole'),
    part(7, 1, 'It is '),
    part(8, 1, 'Never '),
  ]) {
    const addresses = { source_addr_ton: 1, source_addr: phone, dest_addr_ton: 1, destination_addr: ours };
    const answer = await carrier.session().request({ ...addresses, ...each, command: 'deliver_sm' });
    assert.ok(answer.kind === 'answered' && answer.pdu.command_status === 0);
  }
  await expireInbound(tour.gateway.operator);
}

function part(reference: number, number: number, text: string) {
  const header = Buffer.from([5, 0, 3, reference, 2, number]);
  return { esm_class: 0x40, short_message: Buffer.concat([header, Buffer.from(text)]) };
}
