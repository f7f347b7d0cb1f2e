import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { statusName, tlvName, writeTlv, statuses, type Server } from '@morsel/smpp';
import { vendorTagMin } from '@morsel/api/values/routing.ts';
import { tagText } from '../../src/core/routing/extras.ts';
import { openSessions } from '../support/clients/smpp-client.ts';
import { RawSmpp, rawPdu } from '../support/clients/raw-smpp.ts';
import { dataSm, headed, octets, payload, ported, refused, sar, tlv, type Row } from './refused.ts';
import { Tour } from '../support/gateway/tour.ts';
import { operatorCalls } from '../../src/edge/admin/handlers.ts';
import { done } from '../support/done.ts';

/*
 * Each refusal of a submit_sm, data_sm, query_sm or cancel_sm, over real sockets: its status and its sentence, and that
 * it charges and stores nothing. Sentences use the words of SMPP.
 */

const table = Object.entries(refused).flatMap(([status, rows]) => rows.map((row) => [status, ...row] as const));

/** Requests that resemble refused ones, but are accepted, because the client loses nothing that it asked for. */
const taken: readonly (readonly [string, Row])[] = [
  ['a service_type of 5', { service_type: 'ABCDE' }],
  ['a NUL after the text', { rest: octets('00') }],
  ['a parameter of no standard, twice', { tlvs: ['ff', ''].map((hex) => ({ tag: 0x0601, value: octets(hex) })) }],
  ['a header and sar_ that say the same', headed('0500 03 07 02 01 41', sar(7, 2, 1))],
  ['the same with 16 bits', headed('0608 04 1234 02 01 41', sar(0x1234, 2, 1))],
  ['the low octet of 16 bits', headed('0500 03 34 02 01 41', sar(0x1234, 2, 1))],
  ['part 1 of 1', { tlvs: sar(7, 1, 1) }],
  ['the ports of the header once more', ported('0605 04 0b84 23f0 06')],
  [
    'what asks for nothing',
    {
      tlvs: [
        ...(['dest_addr_subunit', 'payload_type', 'privacy_indicator'] as const).map((name) => writeTlv(name, 0)),
        tlv('ms_validity', '00'),
      ],
    },
  ],
  [
    'hints',
    {
      tlvs: [
        ...(['language_indicator', 'more_messages_to_send', 'display_time'] as const).map((name) => writeTlv(name, 1)),
        ...(['sms_signal', 'user_response_code'] as const).map((name) => writeTlv(name, 1)),
        tlv('alert_on_message_delivery', ''),
        tlv('callback_num_atag', '0041'),
      ],
    },
  ],
  ['data_sm by SMS', { ...dataSm, tlvs: [payload, writeTlv('dest_bearer_type', 1), writeTlv('set_dpf', 0)] }],
  ['a usual registered_delivery', { registered_delivery: 0x11 }],
];

let tour: Tour;
let sessions: Server;
let clients: ReadonlyMap<string, RawSmpp>;

before(async () => {
  tour = await Tour.open();
  sessions = await openSessions(tour.gateway);
  const { operator } = tour.gateway;
  for (const [name, balance] of Object.entries({ poor: '0.001', ruled: '1', suspended: '1' })) {
    done(await operatorCalls(operator).account.add({ name, currency: 'EUR', balance }));
  }
  const rules = { senders: '+41790000001', denyCountries: 'FR', premium: 'refuse' };
  const calls = operatorCalls(operator);
  done(await calls.account.set({ account: 'ruled', ...rules }));
  done(await calls.route.add({ prefix: '33', carrier: 'alpha' }));
  done(await calls.optOut.add({ account: 'acme', receiver: '+41791230002', reason: 'a letter' }));
  const names = ['acme', 'poor', 'ruled', 'suspended'];
  clients = new Map(
    await Promise.all(names.map(async (name) => [name, await RawSmpp.open(sessions.port, name)] as const)),
  );
  done(await operatorCalls(operator).account.suspend({ account: 'suspended' }));
});

after(async () => {
  for (const client of clients.values()) await client[Symbol.asyncDispose]();
  await sessions.close();
  await tour[Symbol.asyncDispose]();
});

function ask({
  by = 'acme',
  command,
  tlvs = [],
  rest,
  ...fields
}: Row): Promise<readonly [number, string | undefined]> {
  const client = clients.get(by);
  assert.ok(client);
  const message = {
    source_addr_ton: 1,
    source_addr: command === 'query_sm' ? '' : '41790000001',
    dest_addr_ton: 1,
    destination_addr: '41791230001',
    short_message: Buffer.from('Hello'),
  };
  return client.told(rawPdu(command ?? 'submit_sm', { ...message, ...fields }, { tlvs, ...(rest && { rest }) }));
}

/** Words for fields and features that only clients over HTTP have. */
const wordsOfHttp =
  /\b(sendAt|validity|dcs|sender is|receiver is|text is|priority|flash|clientRef|messageId|msgId|idempotency|UTF-8|JSON|HTTP|token|Retry-After|request id)\b/i;
/** The longest additional_status_info_text, without its NUL (SMPP 3.4, section 5.3.2.11). */
const textMax = 255;

describe('a refused request', () => {
  for (const [name, row, words] of table) {
    it(`${row.command ?? 'submit_sm'}: ${name}, ${words.source.slice(0, 60)}`, async () => {
      const [answer, told = ''] = await ask(row);
      assert.equal(statusName(answer), name, told);
      assert.match(told, words);
      assert.doesNotMatch(told, wordsOfHttp);
      assert.ok(told.length <= textMax, `${told.length}: ${told}`);
    });
  }

  it('is in the list for developers of clients, with its status', async () => {
    const page = await readFile(new URL('../../../../docs/smpp.md', import.meta.url), 'utf8');
    for (const [name, status] of Object.entries(statuses).filter(([each]) => each in refused)) {
      assert.match(page, new RegExp(`\`${name}\` +\\| 0x${status.toString(16).toUpperCase().padStart(2, '0')} `));
    }
    const tags = new Set(table.flatMap(([, { tlvs = [] }]) => tlvs.map(({ tag }) => tag)));
    for (const tag of tags) {
      const row = tag < vendorTagMin ? `\`${tlvName(tag)}\`` : `tags from ${tagText(vendorTagMin)}`;
      assert.ok(page.includes(row), row);
    }
  });
});

describe('a request that resembles a refused one', () => {
  for (const [what, row] of taken) {
    it(`is accepted: ${what}`, async () => assert.deepEqual(await ask(row), [0, undefined]));
  }
});

describe('a refused request', () => {
  it('stores nothing and charges nothing: the store has only the accepted messages (A2)', async () => {
    const left = await tour.readStore((store) =>
      ['message', "entry where kind = 'charge'"].map((from) => store.count(`select count(*) from ${from}`)),
    );
    assert.deepEqual(left, [taken.length, taken.length]);
  });
});
