import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readJson } from '@morsel/api/fields/exact-json.ts';
import { fromJson } from '@morsel/api/fields/field.ts';
import { message as declared } from '@morsel/api/admin/message/message.ts';
import { showTimeLine } from './time-line.ts';

const at = (second: number) => `2026-01-31T12:00:${second.toFixed(3).padStart(6, '0')}Z`;

const sent = { msgId: '1021568371490816', account: 'acme', sender: 'Shop', receiver: '+41791112233', encoding: 'gsm7' };
const submitted = { source: 'http', submitter: null, address: null, session: null, clientRef: null, tags: null };
const content = { dcs: 'SMS', text: 'Hello\u001b[2J', data: null, header: null, flash: false, storeText: true };
const price = { unitPrice: 0.0075, priceList: 'default', priceVersion: 3, balanceAfter: 99.985, entry: 7 };
const money = { totalCost: 0.015, currency: 'EUR', refunded: 0.0075, cost: null, margin: null };
const times = { acceptedAt: at(0), dueAt: at(0), expiresAt: at(59), eventAt: at(3) };
const part = { changedAt: at(3), deadline: null, due: null, carrierState: null, cost: null, margin: null };
const first = { attempt: 1, carrier: 'alpha', carrierId: null, link: 1, claimedAt: at(0), answeredAt: at(1) };
const second = { ...first, attempt: 2, link: 2, claimedAt: at(2), answeredAt: at(3) };
const refused = { outcome: 'refused', commandStatus: 11, commandStatusName: 'ESME_RINVDSTADR' };
const unanswered = { outcome: 'in_doubt', commandStatus: null, commandStatusName: null };
const attempts = [
  { ...first, ...unanswered },
  { ...second, ...refused },
];
const rejected = { ...part, part: 1, state: 'rejected', errorCode: 'ESME_RINVDSTADR', refundEntry: null, attempts };
const canceled = { ...part, part: 2, state: 'canceled', errorCode: null, refundEntry: 9, attempts: [] };

const message = {
  ...sent,
  ...submitted,
  ...content,
  ...price,
  ...money,
  ...times,
  event: 'rejected',
  errorCode: 'ESME_RINVDSTADR',
  numParts: 2,
  route: '',
  parts: [rejected, canceled],
  notes: [{ at: at(1), part: 1, kind: 'in-doubt', detail: 'attempt 1 had no answer' }],
  notifications: [],
};

/** The text that the command line shows for the JSON of an answer. */
function shown(answer: object): string {
  const value = fromJson(declared.operations.show.answer, readJson(JSON.stringify(answer)));
  return showTimeLine(value, { hasColour: false });
}

it('shows the events in order, with the time between them', () => {
  assert.deepEqual(shown(message).split('\n'), [
    'message      1021568371490816',
    'event        rejected (ESME_RINVDSTADR)',
    'account      acme',
    'from         Shop',
    'to           +41791112233',
    'text         "Hello\\u{1b}[2J"',
    'encoding     gsm7 (asked for SMS), 2 parts',
    'cost         0.015 EUR at 0.0075 a part, 0.0075 EUR refunded',
    'price        version 3 of price list default',
    'balance      99.985 EUR after this message, by ledger entry 7',
    'route        prefix (any)',
    'valid until  2026-01-31T12:00:59.000Z',
    '',
    '2026-01-31T12:00:00.000Z      +0.000 s  accepted by http, 2 parts for 0.015 EUR',
    '2026-01-31T12:00:00.000Z      +0.000 s  part 1: reserved for carrier alpha, link 1 (attempt 1)',
    '2026-01-31T12:00:01.000Z      +1.000 s  part 1: no answer: in doubt',
    '2026-01-31T12:00:01.000Z      +0.000 s  part 1: in doubt: attempt 1 had no answer',
    '2026-01-31T12:00:02.000Z      +1.000 s  part 1: reserved for carrier alpha, link 2 (attempt 2)',
    '2026-01-31T12:00:03.000Z      +1.000 s  part 1: answered ESME_RINVDSTADR: refused',
    '2026-01-31T12:00:03.000Z      +0.000 s  part 1: rejected (ESME_RINVDSTADR)',
    '2026-01-31T12:00:03.000Z      +0.000 s  part 2: canceled, refunded (entry 9)',
    '2026-01-31T12:00:03.000Z      +0.000 s  the message is rejected',
    '',
    'there are no notifications about this message',
  ]);
});

it("shows binary content as octets, with the client's user data header", () => {
  const binary = { ...message, dcs: 'BIN', encoding: 'binary', text: null, data: 'ff00', header: '0605040b8423f0' };
  const lines = shown(binary).split('\n');
  assert.deepEqual(lines.slice(5, 8), [
    'data         ff00',
    'header       0605040b8423f0, given by the client',
    'encoding     binary (asked for BIN), 2 parts',
  ]);
});

describe('the cost of a message', () => {
  const taken = { ...canceled, attempts: [{ ...first, ...unanswered, outcome: 'accepted' }] };
  const euros = { amount: 0.004, currency: 'EUR' };
  const rows: readonly (readonly [cost: object, line: string, end: string])[] = [
    [{ cost: euros, margin: 0.0035 }, '0.004 EUR, margin 0.0035', ', cost 0.004 EUR, margin 0.0035'],
    [
      { cost: { ...euros, currency: 'USD' }, margin: null },
      '0.004 USD, margin unknown, because the price has another currency',
      ', cost 0.004 USD',
    ],
    [{ cost: null, margin: null }, 'unknown', '(entry 9)'],
  ];
  for (const [cost, line, end] of rows) {
    it(`is shown as ${line}`, () => {
      const value = { ...message, ...cost, parts: [rejected, { ...taken, ...cost }] };
      const lines = shown(value).split('\n');
      assert.deepEqual(
        lines.filter((each) => each.startsWith('cost to us')),
        [`cost to us   ${line}`],
      );
      assert.ok(
        lines.some((each) => each.includes('part 2: canceled') && each.endsWith(end)),
        lines.join('\n'),
      );
    });
  }
});
