import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { encodeGsm, encodeUcs2 } from '@morsel/gsm';
import { formatAbsoluteTime, formatRelativeTime, statusName, writeTlv, type Ask, type Server } from '@morsel/smpp';
import * as fc from 'fast-check';
import type { Rejection } from '../../src/core/base/rejection.ts';
import { toMessageId } from '../../src/core/base/message-id.ts';
import { submitSmStatus } from '../../src/edge/refusals.ts';
import type { MessageView } from '../../src/store/views/message/messages.ts';
import { openSessions, SmppClient, type SmppAnswer } from '../support/clients/smpp-client.ts';
import type { StoreFile } from '../support/store/store-file.ts';
import { done } from '../support/done.ts';
import { Tour, type Submit } from '../support/gateway/tour.ts';
import { pricesOf } from '../support/store/prices.ts';
import { waitUntil } from '../support/wait-until.ts';

/*
 * The APIs agree: one account sends drafts over HTTP, and an equal account sends the same drafts over SMPP. Admission,
 * price, parts on the wire, refusals and the ledger are compared.
 */

interface Draft {
  readonly sender: string;
  readonly receiver: string;
  readonly text: string;
  readonly dcs: 'GSM' | 'UCS' | 'SMS';
  readonly validity?: number;
  readonly sendAt?: string;
  readonly flash?: boolean;
  readonly priority?: 'high';
}

const receiver = '+41791230001';
const hello: Draft = { sender: '+41790000001', receiver, text: 'Hello', dcs: 'GSM' };

/** The settings of each pair of accounts; the other settings have their defaults. */
const accounts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  rich: { balance: '100' },
  poor: { balance: '0.01' },
  credit: { balance: '0', creditLimit: '0.0075' },
  short: { balance: '1', partsMax: '2' },
  capped: { balance: '1', dayCap: '0.01' },
  suspended: { balance: '1' },
  ruled: { balance: '1', senders: '+41790000001', denyCountries: 'FR', premium: 'refuse', unknown: 'refuse' },
  paced: { balance: '1', rate: '2/3600s' },
  slow: { balance: '1', receiverVelocity: '1/3600s' },
  unwanted: { balance: '1' },
};

const inAnHour = `${new Date(Date.now() + 3_600_000).toISOString().slice(0, 19)}Z`;

/** The messages, which are sent one after the other: pair of accounts, description, fields, and the code if refused. */
const table: readonly (readonly [string, string, Partial<Draft>, string?])[] = [
  ['rich', 'an extension character at the edge of a part', { text: `${'x'.repeat(152)}€${'y'.repeat(20)}` }],
  ['rich', 'eleven parts', { text: 'x'.repeat(1531) }, 'text_too_long'],
  ['rich', 'a text in UTF-16', { text: 'ж😀', dcs: 'UCS' }],
  ['rich', '71 units with a pair at the edge', { text: `${'ж'.repeat(66)}😀${'ж'.repeat(10)}`, dcs: 'UCS' }],
  ['rich', 'Latin-1 that the GSM alphabet has', { text: 'àé', dcs: 'SMS' }],
  ['rich', 'Latin-1 that it has not', { text: 'ê ç', dcs: 'SMS' }],
  ['rich', 'U+0000', { text: 'a\0b', dcs: 'UCS' }, 'text_not_encodable'],
  ['rich', 'half a surrogate pair', { text: 'a\ud83d', dcs: 'UCS' }, 'text_not_encodable'],
  ['rich', 'no text', { text: '' }, 'missing_parameter'],
  ['rich', 'a flash message', { flash: true }],
  ['rich', 'a high priority', { priority: 'high' }],
  ['rich', 'a name as sender', { sender: 'ACME Shop' }],
  ['rich', 'a name with Greek capitals', { sender: 'ΔΣ Bank' }],
  ['rich', 'a name that is too long', { sender: 'ACME Shop Ltd' }, 'invalid_sender'],
  ['rich', 'no receiver', { receiver: '' }, 'missing_parameter'],
  ['rich', 'a receiver that cannot exist', { receiver: '+999123456789' }, 'invalid_parameter'],
  ['rich', 'no route', { receiver: '+15551234567' }, 'no_route'],
  ['rich', 'no price', { receiver: '+33612345678' }, 'no_price'],
  ['rich', 'a dearer receiver', { receiver: '+4915112345678' }],
  ['rich', 'a price of nothing', { receiver: '+43664123456' }],
  ['rich', 'a validity that is too short', { validity: 59 }, 'invalid_parameter'],
  ['rich', 'a time that comes', { sendAt: inAnHour }],
  ['rich', 'a time that is past', { sendAt: '2020-01-01T00:00:00Z' }, 'invalid_parameter'],
  ['short', 'three parts of two', { text: 'x'.repeat(307) }, 'text_too_long'],
  ['poor', 'what the balance covers', {}],
  ['poor', 'what it covers no more', {}, 'insufficient_balance'],
  ['credit', 'what the credit covers', {}],
  ['credit', 'what it covers no more', {}, 'insufficient_balance'],
  ['capped', 'more than the cap', { text: 'x'.repeat(161) }, 'spend_cap_reached'],
  ['suspended', 'a text', {}, 'forbidden'],
  ['ruled', 'its own sender', {}],
  ['ruled', "another's sender", { sender: 'ACME' }, 'sender_not_allowed'],
  ['ruled', 'a country', { receiver: '+33612345678' }, 'destination_blocked'],
  ['ruled', 'a premium number', { receiver: '+41900123456' }, 'destination_blocked'],
  ['ruled', 'an unknown range', { receiver: '+41991234567' }, 'destination_blocked'],
  ['paced', 'two parts an hour', { text: 'x'.repeat(200) }],
  ['paced', 'a third', {}, 'rate_limited'],
  ['slow', 'a message to a receiver', {}],
  ['slow', 'another', { text: 'Hello again' }, 'rate_limited'],
  ['unwanted', 'a receiver that has opted out', { receiver: '+41791230002' }, 'receiver_opted_out'],
  ['unwanted', 'one of another sender', { receiver: '+41791230003' }],
  ['unwanted', 'one that has opted out, without a route', { receiver: '+15551234567' }, 'receiver_opted_out'],
];

let tour: Tour;
let sessions: Server | undefined;
const tokens = new Map<string, string>();
const clients = new Map<string, SmppClient>();

before(async () => {
  tour = await Tour.open({ simulator: { magic: false } });
  for (const prefix of ['33', '49', '43']) done(await tour.operator.route.add({ prefix, carrier: 'alpha' }));
  const prices = pricesOf({ 49: '0.0123', 43: '0' });
  done(await tour.operator.price.set({ list: 'default', prices, allowFree: true }));
  sessions = await openSessions(tour.gateway);
  for (const [name, { balance, creditLimit, partsMax, ...settings }] of Object.entries(accounts)) {
    for (const api of ['http', 'smpp']) {
      const account = `${name}-${api}`;
      done(await tour.operator.account.add({ name: account, currency: 'EUR', balance }));
      const changes = { ...settings, ...(creditLimit && { creditLimit }), ...(partsMax && { partsMax }) };
      if (Object.keys(changes).length > 0) done(await tour.operator.account.set({ account, ...changes }));
    }
    tokens.set(name, done(await tour.operator.token.add({ account: `${name}-http` })).token);
    clients.set(name, await SmppClient.open(sessions.port, `${name}-smpp`));
  }
  for (const api of ['http', 'smpp']) {
    done(await tour.operator.account.suspend({ account: `suspended-${api}` }));
    const account = `unwanted-${api}`;
    for (const each of [
      { receiver: '+41791230002' },
      { receiver: '+15551234567' },
      { receiver: '+41791230003', sender: 'ACME' },
    ])
      done(await tour.operator.optOut.add({ account, reason: 'a letter', ...each }));
  }
});

after(async () => {
  for (const client of clients.values()) await client[Symbol.asyncDispose]();
  await sessions?.close();
  // Everything is closed before the comparison, so that a failure leaves nothing open.
  const ledgers = await tour.readStore((store) =>
    Object.keys(accounts).map((name) => [name, ...['http', 'smpp'].map((api) => ledgerOf(store, `${name}-${api}`))]),
  );
  await tour[Symbol.asyncDispose]();
  for (const [name, http, smpp] of ledgers) assert.deepEqual(smpp, http, String(name));
});

/** The entries of an account, without ids and times. */
function ledgerOf(store: StoreFile, account: string) {
  const sql = `select entry.kind, amount, balance_after, messages, entry.parts, reason from entry
    join account on account.id = entry.account where account.name = ? order by entry.id`;
  return store
    .rows(sql, account)
    .map((row) => [
      ...['kind', 'reason'].map((column) => row.text(column)),
      ...['amount', 'balance_after'].map((column) => row.micros(column)),
      ...['messages', 'parts'].map((column) => row.integer(column)),
    ]);
}

describe('every API', () => {
  for (const [account, what, fields, code] of table) {
    it(`${code ?? 'accepts'} like the others: ${what} (${account})`, async () =>
      assert.equal(await compare(account, fields), code));
  }

  it('accepts or refuses the same texts as the others, for any texts', async () => {
    const characters = fc.oneof(
      fc.constantFrom('a', 'b', ' ', '@', '£', '€', '[', 'ñ', 'ü', 'Δ', '\f', '\n', '`'),
      fc.constantFrom('ж', '😀', 'ê', '\u00a0'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    );
    const text = fc
      .tuple(fc.array(characters, { maxLength: 30 }), fc.constantFrom(1, 1, 7, 40))
      .map(([some, times]) => some.join('').repeat(times));
    await fc.assert(
      fc.asyncProperty(text, fc.constantFrom('GSM', 'UCS'), fc.boolean(), async (each, dcs, flash) => {
        // Characters outside the GSM alphabet cannot be written with data_coding 0.
        fc.pre(dcs === 'UCS' || encodeGsm(each).ok);
        await compare('rich', { text: each, dcs, flash });
      }),
      { numRuns: 60 },
    );
  });
});

/** Sends a draft over HTTP and over SMPP, and compares every effect. Returns the code if both refuse it. */
async function compare(account: string, fields: Partial<Draft>): Promise<unknown> {
  const draft: Draft = { ...hello, ...fields };
  const client = clients.get(account);
  assert.ok(client);
  const seen = tour.submits(draft.receiver).length;
  const http = await tour.client.post('/sms/send', { auth: tokens.get(account), ...draft });
  // One after the other, so that their parts can be told apart in the carrier's journal.
  const isSent = http.status === 200 && draft.sendAt === undefined;
  const parts = isSent ? Number(http.body['numParts']) : 0;
  const submits = () => tour.submits(draft.receiver).slice(seen);
  await waitUntil('the carrier has the one of HTTP', () => submits().length === parts);
  const smpp = await client.submit(pduOf(draft));
  if (http.status !== 200) {
    compareRefusals(http.body, smpp);
    return http.body['code'];
  }
  assert.equal(smpp.status, 0, `SMPP refuses it: ${statusName(smpp.status)}, ${smpp.text}`);
  const one = await messageOf(String(http.body['msgId']));
  const other = await messageOf(smpp.messageId);
  assert.deepEqual(termsOf(other), termsOf(one));
  await waitUntil('the carrier has that of SMPP', () => submits().length === 2 * parts);
  const wire = submits().map(wireOf);
  assert.deepEqual(wire.slice(parts), wire.slice(0, parts));
  return undefined;
}

function compareRefusals(problem: Readonly<Record<string, unknown>>, smpp: SmppAnswer): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what it was made of: code, field and rule decide
  const rejection = problem as unknown as Rejection;
  const expected = statusName(submitSmStatus(rejection, 0x34));
  assert.equal(statusName(smpp.status), expected, `${String(problem['code'])}: ${String(problem['detail'])}`);
  assert.ok(smpp.text !== undefined && smpp.text.length > 10 && !smpp.text.includes('Retry-After'), smpp.text);
}

async function messageOf(msgId: string): Promise<MessageView> {
  const view = await tour.gateway.operator.reader.ask('message', toMessageId(Number(msgId)));
  assert.ok(view.ok && view.value);
  return view.value;
}

/** The members of a message that must be equal on both APIs: all but ids and times. */
function termsOf(message: MessageView) {
  const { sender, receiver: to, text, encoding, numParts, flash, unitPrice, totalCost, balanceAfter, route } = message;
  const { priceList, priceVersion, data, header, dueAt, expiresAt, acceptedAt } = message;
  const times = [dueAt === acceptedAt ? 'now' : dueAt, expiresAt - dueAt];
  const price = [unitPrice, totalCost, balanceAfter, priceList, priceVersion];
  return { sender, to, text, encoding, numParts, flash, price, route, data, header, times };
}

/** A part as the carrier sees it, without its concatenation reference. */
function wireOf(submit: Submit) {
  const { source, destination, esm_class, data_coding, registered_delivery, octets, hex = '' } = submit;
  const content = esm_class === 0x40 ? `${hex.slice(0, 6)}..${hex.slice(8)}` : hex;
  return { source, destination, esm_class, data_coding, registered_delivery, octets, content };
}

/** The submit_sm of a client for the same draft. */
function pduOf(draft: Draft): Partial<Extract<Ask, { command: 'submit_sm' }>> {
  const { sender, text, dcs, flash = false, sendAt, priority } = draft;
  const octets = octetsOf(text, dcs);
  return {
    ...sourceOf(sender),
    destination_addr: draft.receiver.replace('+', ''),
    data_coding: (dcs === 'UCS' ? 8 : dcs === 'SMS' ? 3 : 0) + (flash ? 0x10 : 0),
    priority_flag: priority === 'high' ? 1 : 0,
    validity_period: validityOf(draft),
    schedule_delivery_time: sendAt === undefined ? '' : formatAbsoluteTime(Date.parse(sendAt)),
    ...(octets.length > 254 ? { tlvs: [writeTlv('message_payload', octets)] } : { short_message: octets }),
  };
}

/** The validity_period for a draft. HTTP counts validity from the due time; SMPP takes a time, or a span from now. */
function validityOf({ validity, sendAt }: Draft): string {
  if (validity === undefined) return '';
  const spanMs = validity * 1_000;
  return sendAt === undefined ? formatRelativeTime(spanMs) : formatAbsoluteTime(Date.parse(sendAt) + spanMs);
}

function octetsOf(text: string, dcs: Draft['dcs']): Uint8Array {
  if (dcs === 'UCS') return encodeUcs2(text);
  if (dcs === 'SMS') return Buffer.from(text, 'latin1');
  const encoded = encodeGsm(text);
  assert.ok(encoded.ok);
  return encoded.septets;
}

function sourceOf(sender: string) {
  if (sender.startsWith('+')) return { source_addr_ton: 1, source_addr: sender.slice(1) };
  if (/^\d*$/.test(sender)) return { source_addr_ton: 3, source_addr_npi: 0, source_addr: sender };
  const source_addr = Array.from(sender, (character) => {
    const encoded = encodeGsm(character);
    return character > '\u00ff' && encoded.ok ? String.fromCharCode(...encoded.septets) : character;
  }).join('');
  return { source_addr_ton: 5, source_addr_npi: 0, source_addr };
}
