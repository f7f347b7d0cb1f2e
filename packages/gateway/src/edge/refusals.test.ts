import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { problems } from '@morsel/api/problems.ts';
import { shapes } from '@morsel/api/shapes.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import type { Rejection } from '../core/base/rejection.ts';
import { httpHeaders, httpStatus, problemBody, shownCode, submitSmStatus, submitSmText } from './refusals.ts';

const poor: Rejection = {
  code: 'insufficient_balance',
  totalCost: toMicros(9_007_199_254_740_993_000_001n),
  clientBalance: toMicros(-1n),
  clientCurrency: 'EUR',
};

const spent: Rejection = {
  ...poor,
  code: 'spend_cap_reached',
  period: 'day',
  cap: poor.totalCost,
  spent: toMicros(1n),
  at: 0,
  endsAt: 1,
};

const tooMuch = { count: 50, seconds: 60, left: 2, waitMs: 1_001 };

/** Every refusal: its HTTP status, its additional members of the body, and its command_status in SMPP 3.4. */
const rows: readonly (readonly [Rejection, number, string, number])[] = [
  [{ code: 'malformed_request', detail: 'd', field: 'auth' }, 400, ',"field":"auth"', 0x45],
  [{ code: 'missing_parameter', field: 'sender' }, 400, ',"field":"sender"', 0x0a],
  [{ code: 'invalid_parameter', field: 'receiver', detail: 'd' }, 400, ',"field":"receiver"', 0x0b],
  [{ code: 'invalid_parameter', field: 'validity', detail: 'd' }, 400, ',"field":"validity"', 0x62],
  [{ code: 'invalid_parameter', field: 'dcs', detail: 'd' }, 400, ',"field":"dcs"', 0x45],
  [{ code: 'invalid_sender', detail: 'd' }, 400, ',"field":"sender"', 0x0a],
  [{ code: 'invalid_option', fault: 'stream', detail: 'd' }, 400, '', 0xc0],
  [{ code: 'invalid_option', fault: 'not_allowed', detail: 'd' }, 400, '', 0xc1],
  [{ code: 'invalid_option', fault: 'value', detail: 'd' }, 400, '', 0xc4],
  [
    { code: 'text_not_encodable', detail: 'd', character: '"', position: 3 },
    400,
    ',"field":"text","character":"\\"","position":3',
    0x45,
  ],
  [
    { code: 'text_not_encodable', detail: 'd', character: '\ud800', position: 0 },
    400,
    ',"field":"text","character":"\\ud800","position":0',
    0x45,
  ],
  [{ code: 'text_too_long', numParts: 11, maxParts: 10 }, 400, ',"field":"text","numParts":11,"maxParts":10', 0x01],
  [{ code: 'unauthorized' }, 401, '', 0x45],
  [poor, 402, ',"totalCost":9007199254740993.000001,"clientBalance":-0.000001,"clientCurrency":"EUR"', 0x45],
  [
    spent,
    402,
    ',"period":"day","cap":9007199254740993.000001,"spent":0.000001,"totalCost":9007199254740993.000001' +
      ',"clientCurrency":"EUR","endsAt":"1970-01-01T00:00:00Z"',
    0x45,
  ],
  [{ code: 'forbidden', detail: 'd' }, 403, '', 0x45],
  [{ code: 'message_not_found' }, 404, '', 0x0c],
  [{ code: 'idempotency_conflict' }, 409, '', 0x45],
  [{ code: 'too_late', event: 'sent' }, 409, ',"event":"sent"', 0x11],
  [{ code: 'not_found', detail: 'd' }, 404, '', 0x08],
  [{ code: 'method_not_allowed', allow: 'GET' }, 405, '', 0x08],
  [{ code: 'too_large', status: 413, detail: 'd' }, 413, '', 0x01],
  [{ code: 'unsupported_media_type', detail: 'd' }, 415, '', 0x45],
  [{ code: 'request_timeout' }, 408, '', 0x08],
  [{ code: 'sender_not_allowed', rule: 'senders' }, 403, ',"field":"sender","rule":"senders"', 0x0a],
  [{ code: 'destination_blocked', rule: 'countries' }, 422, ',"field":"receiver","rule":"countries"', 0x45],
  [{ code: 'destination_blocked', rule: 'premium' }, 422, ',"field":"receiver","rule":"premium"', 0x45],
  [{ code: 'rate_limited', rule: 'rate', ...tooMuch }, 429, ',"rule":"rate"', 0x58],
  [{ code: 'rate_limited', rule: 'receiver-velocity', ...tooMuch }, 429, ',"rule":"receiver-velocity"', 0x45],
  [{ code: 'rate_limited', rule: 'repeat', ...tooMuch }, 429, ',"rule":"repeat"', 0x45],
  [{ code: 'no_route', receiver: '+41791112233' }, 422, ',"field":"receiver"', 0x0b],
  [{ code: 'no_price', receiver: '+41791112233' }, 422, ',"field":"receiver"', 0x0b],
  [{ code: 'receiver_opted_out', ofSender: 'ACME' }, 422, ',"field":"receiver"', 0x0b],
  [{ code: 'conflict', detail: 'd' }, 409, '', 0x45],
  [{ code: 'does_not_exist', detail: 'd' }, 404, '', 0x45],
  [{ code: 'internal_error' }, 500, '', 0x08],
  [{ code: 'unavailable', detail: 'd' }, 503, '', 0x08],
];

describe('answers', () => {
  for (const [rejection, status, extras, submitSm] of rows) {
    it(`${rejection.code} is ${status}${extras && `, with ${extras.slice(1)}`}`, () => {
      const body = problemBody(rejection, 'id-1');
      const { type, title, detail, code, requestId, ...rest } = parse(body);
      assert.equal(httpStatus(rejection), status);
      assert.equal(rest['status'], status);
      assert.deepEqual(
        [type, code, requestId],
        [`urn:morsel:problem:${shownCode(rejection.code)}`, shownCode(rejection.code), 'id-1'],
      );
      assert.ok(typeof title === 'string' && title !== '' && typeof detail === 'string' && detail !== '');
      assert.ok(body.endsWith(`,"code":"${shownCode(rejection.code)}"${extras},"requestId":"id-1"}`), body);
      assert.equal(submitSmStatus(rejection, 0x34), submitSm);
    });
  }

  it('make a client send again only after faults of the gateway, because it repeats without end', () => {
    // Clients send again after ESME_RSYSERR, RMSGQFUL, RTHROTTLED and RX_T_APPN. After RINVPASWD and RINVSYSID they
    // stop, and they treat RALYBND as success.
    const again: readonly number[] = [0x08, 0x14, 0x58, 0x64];
    const never: readonly number[] = [0x05, 0x0e, 0x0f];
    // Codes that occur only over HTTP, so their command_status is never sent.
    const ofHttp = ['not_found', 'method_not_allowed'];
    for (const [rejection, status] of rows.filter(([{ code }]) => !ofHttp.includes(code))) {
      for (const version of [0x33, 0x34, 0x50]) {
        const submitSm = submitSmStatus(rejection, version);
        const isOurs = status >= 500 || status === 408;
        // A rate concerns the whole session and passes with time. A refusal because of a limit for one receiver must
        // not be repeated.
        const isRate = rejection.code === 'rate_limited' && rejection.rule === 'rate';
        assert.equal(again.includes(submitSm), isOurs || isRate, `${rejection.code} is ${submitSm}`);
        assert.ok(!never.includes(submitSm), `${rejection.code} is ${submitSm}`);
      }
    }
  });

  it('agree with the contract', () => {
    const contract: Record<string, { statuses: readonly number[]; title: string }> = problems;
    for (const [rejection, status] of rows) {
      for (const member of Object.keys(parse(problemBody(rejection, '')))) assert.ok(member in shapes.Problem, member);
      const problem = contract[rejection.code];
      if (!problem) continue;
      assert.ok(problem.statuses.includes(status), rejection.code);
      assert.equal(parse(problemBody(rejection, ''))['title'], problem.title);
    }
  });

  it('to a client of SMPP 5.0 have the status for a wrong data_coding', () => {
    const coding: readonly Rejection[] = [
      { code: 'text_not_encodable', detail: 'd', character: 'x', position: 0 },
      { code: 'invalid_parameter', field: 'dcs', detail: 'd' },
    ];
    for (const rejection of coding) assert.equal(submitSmStatus(rejection, 0x50), 0x104);
    for (const [rejection] of rows) {
      if (!coding.some(({ code }) => code === rejection.code)) {
        assert.equal(submitSmStatus(rejection, 0x50), submitSmStatus(rejection, 0x34), rejection.code);
      }
    }
  });

  it('to a client of SMPP 3.3 have no TLVs and no statuses of TLVs, which came with 3.4', () => {
    for (const [rejection] of rows) {
      const is33 = rejection.code !== 'invalid_option';
      const submitSm = submitSmStatus(rejection, 0x33);
      assert.equal(submitSm, is33 ? submitSmStatus(rejection, 0x34) : 0x45, rejection.code);
      assert.ok(submitSm < 0xc0, rejection.code);
    }
  });

  it('to an SMPP client name no field of the HTTP API, and fit into additional_status_info_text', () => {
    // Refusals that an SMPP request never gets.
    const ofHttp = [
      'malformed_request',
      'unauthorized',
      'idempotency_conflict',
      'request_timeout',
      'method_not_allowed',
    ];
    const fields: readonly Rejection[] = [
      ...['text', 'sender', 'receiver'].map((field) => ({ code: 'missing_parameter', field }) as const),
      ...['sendAt', 'validity', 'receiver'].map(
        (field) => ({ code: 'invalid_parameter', field, detail: `${field} is wrong` }) as const,
      ),
    ];
    const asked = rows
      .map(([rejection]) => rejection)
      .filter(({ code, ...rest }) => !ofHttp.includes(code) && !('field' in rest));
    for (const rejection of [...asked, ...fields]) {
      const text = submitSmText(rejection);
      assert.doesNotMatch(text, /\b(sendAt|validity|dcs|msgId|messageId|HTTP|JSON|UTF-8|Retry-After|request id)\b/);
      assert.doesNotMatch(text, /^(sender|receiver|text) /);
      assert.ok(text.length <= 255, text);
    }
  });

  it('tell the client what to do in words that are right for query_sm and cancel_sm, too', () => {
    const later = 'send the request again later';
    assert.equal(
      submitSmText({ code: 'unavailable', detail: 'the service is stopping' }),
      `the service is stopping: ${later}`,
    );
    assert.equal(submitSmText({ code: 'internal_error' }), `internal error of the gateway: ${later}`);
  });

  it('have the headers that their HTTP status requires', () => {
    assert.deepEqual(httpHeaders({ code: 'unauthorized' }), ['WWW-Authenticate', 'Bearer']);
    assert.deepEqual(httpHeaders({ code: 'method_not_allowed', allow: 'GET, POST' }), ['Allow', 'GET, POST']);
    assert.deepEqual(httpHeaders({ code: 'unavailable', detail: 'd' }), ['Retry-After', '5']);
    assert.deepEqual(httpHeaders({ code: 'rate_limited', rule: 'rate', ...tooMuch }), [
      'Retry-After',
      '2',
      'RateLimit-Policy',
      '"rate";q=50;w=60',
      'RateLimit',
      '"rate";r=2;t=2',
    ]);
    assert.deepEqual(httpHeaders(poor), []);
  });
});

function parse(body: string): Record<string, unknown> {
  const parsed: Record<string, unknown> = JSON.parse(body);
  return parsed;
}
