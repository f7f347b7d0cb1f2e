import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { hi, startTestSite, token, type TestSite } from '../../../../test/support/clients/http-site.ts';
import { ask, request } from '../../../../test/support/clients/raw-http.ts';

/* The optional fields of a send and a cancel, in every form of a request. */

const id = '1023456789012345';
const sendAt = '2026-01-31T12:00:00+01:00';
const form = ['Content-Type: application/x-www-form-urlencoded'];

let site: TestSite;
before(async () => {
  site = await startTestSite();
});
after(() => site.close());
beforeEach(() => {
  site.calls.length = 0;
});

function json(given: object): Buffer {
  return request('POST /sms/send', { body: JSON.stringify({ ...hi, ...given }) });
}

function query(given: Readonly<Record<string, string>>): string {
  return new URLSearchParams({ ...hi, ...given }).toString();
}

function post(given: object, path = '/sms/cancel'): Buffer {
  return request(`POST ${path}`, { body: JSON.stringify({ auth: token, ...given }) });
}

describe('sendAt and flash', () => {
  const rows: readonly (readonly [string, Buffer, string | undefined, boolean])[] = [
    ['both in JSON', json({ sendAt, flash: true }), sendAt, true],
    ['both in a query', request(`GET /sms/send?${query({ sendAt, flash: '1' })}`), sendAt, true],
    [
      'both in a form',
      request('POST /v1/sms/send', { body: query({ sendAt, flash: 'true' }), headers: form }),
      sendAt,
      true,
    ],
    [
      'a plus that was not encoded',
      request(`GET /sms/send?${query({ sendAt }).replace('%2B01', '+01')}`),
      '2026-01-31T12:00:00 01:00',
      false,
    ],
    ['flash as 0', json({ flash: '0' }), undefined, false],
    ['an empty flash', json({ flash: '' }), undefined, false],
    ['an empty sendAt, which admission refuses', json({ sendAt: '' }), '', false],
  ];
  for (const [name, bytes, wantedAt, wantedFlash] of rows) {
    it(`are read: ${name}`, async () => {
      assert.equal((await ask(site.port, bytes)).status, 200);
      const [call] = site.calls;
      assert.ok(Array.isArray(call));
      const draft: { sendAt?: unknown; flash?: unknown } = call[2];
      assert.deepEqual([draft.sendAt, draft.flash], [wantedAt, wantedFlash]);
    });
  }

  const bad: readonly (readonly [string, object, string, string])[] = [
    ['a flash that is neither', { flash: 'yes' }, 'invalid_parameter', 'flash'],
    ['a storeText that is neither', { storeText: 'no' }, 'invalid_parameter', 'storeText'],
    ['a flash that is a list', { flash: [] }, 'malformed_request', 'flash'],
    ['a sendAt that is a number', { sendAt: 1_769_860_800 }, 'malformed_request', 'sendAt'],
  ];
  for (const [name, given, code, field] of bad) {
    it(`are refused: ${name}`, async () => {
      const reply = await ask(site.port, json(given));
      const problem: Record<string, unknown> = JSON.parse(reply.body);
      assert.deepEqual([reply.status, problem['code'], problem['field']], [400, code, field]);
      assert.deepEqual(site.calls, []);
    });
  }
});

describe('a quote', () => {
  const read = ['quote', 7];
  const rows: readonly (readonly [string, Buffer])[] = [
    ['JSON', request('POST /sms/quote', { body: JSON.stringify({ ...hi, sendAt }) })],
    ['a query', request(`GET /sms/quote?${query({ sendAt })}`)],
  ];
  for (const [name, bytes] of rows) {
    it(`is read from ${name} like a send, and the answer has only what the client may know`, async () => {
      const reply = await ask(site.port, bytes);
      assert.equal(
        reply.body,
        '{"numParts":2,"encoding":"UCS","ucsCount":21,"ucsCharacters":[{"character":"\\"","position":3}]' +
          ',"unitPrice":0.0075,"totalCost":0.015,"clientBalance":0.01,"balanceAfter":-0.005,"isCovered":false' +
          ',"isReplay":false,"clientCurrency":"EUR","routePrefix":"41"}',
      );
      await ask(site.port, json({ sendAt }));
      const [quoted, sent] = site.calls;
      assert.ok(Array.isArray(quoted) && Array.isArray(sent));
      assert.deepEqual([quoted[0], quoted[1]], read);
      assert.deepEqual(quoted[2], sent[2]);
    });
  }

  it('needs a token', async () => {
    const reply = await ask(site.port, request('POST /sms/quote', { body: JSON.stringify({ ...hi, auth: 'x' }) }));
    assert.equal(reply.status, 401);
  });
});

describe('a cancel', () => {
  const rows: readonly (readonly [string, Buffer])[] = [
    ['JSON', post({ messageId: id })],
    ['an id that is a number', post({ messageId: Number(id) })],
    ['msgId', post({ msgId: id })],
    ['a form', request('POST /sms/cancel', { body: `auth=${token}&messageId=${id}`, headers: form })],
  ];
  for (const [name, bytes] of rows) {
    it(`is read from ${name}, and the answer is the report`, async () => {
      const reply = await ask(site.port, bytes);
      assert.equal(reply.status, 200, reply.body);
      assert.equal(
        reply.body,
        `{"msgId":"${id}","event":"canceled","numParts":2,"sendTime":"2026-01-02T03:04:05Z","dlrTime":"2026-01-02T03:04:06Z"` +
          ',"parts":[{"part":1,"event":"canceled","dlrTime":"2026-01-02T03:04:06Z"}]}',
      );
      assert.deepEqual(site.calls, [
        ['cancel', 7, id],
        ['report', 7, id, { details: true }],
      ]);
    });
  }

  const bad: readonly (readonly [string, Buffer, number, string, string?])[] = [
    ['no id', post({}), 400, 'missing_parameter', 'messageId'],
    ['an id that is a list', post({ messageId: [id] }), 400, 'malformed_request', 'messageId'],
    ['two different ids', post({ messageId: id, msgId: '1' }), 400, 'malformed_request', 'messageId'],
    ['another id in the query', post({ messageId: id }, '/sms/cancel?msgId=1'), 400, 'malformed_request', 'messageId'],
    ['an unknown id', post({ messageId: '1' }), 404, 'message_not_found'],
    ['GET', request(`GET /sms/cancel?auth=${token}&messageId=${id}`), 405, 'method_not_allowed'],
  ];
  for (const [name, bytes, status, code, field] of bad) {
    it(`of ${name} is ${status} ${code}`, async () => {
      const reply = await ask(site.port, bytes);
      const problem: Record<string, unknown> = JSON.parse(reply.body);
      assert.deepEqual([reply.status, problem['code'], problem['field']], [status, code, field]);
      if (status === 405) assert.equal(reply.headers['allow'], 'POST');
    });
  }
});
