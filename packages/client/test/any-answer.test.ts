import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { Morsel, MorselError, type Fetch } from '../src/index.ts';
import { accepted } from './raw-server.ts';

/* Whatever the answer of the service, a call gives a result or its typed error, and no error contains a secret. */

const token = 'morsel_secretsecretsecret';
const message = { sender: 'SHOP', receiver: '+41791230001', text: 'the text of nobody else' };

const json = fc.oneof(
  { weight: 3, arbitrary: fc.json() },
  // Valid answers with one member replaced.
  fc
    .tuple(fc.constantFrom(...Object.keys(answers()), 'code', 'parts', 'field'), fc.jsonValue())
    .map(([name, value]) => JSON.stringify({ ...answers(), [name]: value })),
  fc
    .dictionary(
      fc.constantFrom('code', 'detail', 'field', 'requestId', 'clientBalance', 'status', 'character'),
      fc.jsonValue(),
    )
    .map((problem) => JSON.stringify({ code: 'rate_limited', ...problem })),
);
const body = fc.oneof(json, fc.string({ unit: 'binary' }), fc.constantFrom('', accepted, token, message.text));
const status = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(200, 400, 429, 503) },
  fc.integer({ min: 0, max: 999 }),
);
const header = fc.oneof(
  fc.constant(null),
  fc.string(),
  fc.constantFrom('true', '0', '-1', '1e9', 'Sun, 99 Nov 1994 08:49:37 GMT', token),
);

describe('with any answer', () => {
  it('of a fetch, each call gives a result or its typed error', async () => {
    await fc.assert(
      fc.asyncProperty(status, body, header, async (code, text, value) => {
        const fetch: Fetch = () =>
          Promise.resolve({ status: code, headers: { get: () => value }, body: new Blob([text]).stream() });
        await judgeAll(new Morsel({ baseUrl: 'http://127.0.0.1', token, fetch, retries: 0 }));
      }),
      { numRuns: 500 },
    );
  });

  it('of a broken fetch, each call gives a result or its typed error', async () => {
    const throws = fc.anything().map(
      (thrown): Fetch =>
        () =>
          Promise.reject(thrown),
    );
    const gives = fc.anything().map((given): Fetch => {
      // @ts-expect-error -- a fetch of a program may give anything
      return () => Promise.resolve(given);
    });
    await fc.assert(
      fc.asyncProperty(fc.oneof(throws, gives), async (fetch) => {
        await judgeAll(new Morsel({ baseUrl: 'http://127.0.0.1', token, fetch, retries: 0 }));
      }),
    );
  });
});

function callsOf(morsel: Morsel): Promise<object>[] {
  return [
    morsel.send(message),
    morsel.quote(message),
    morsel.dlr('1', { details: true }),
    morsel.cancel('1'),
    morsel.balance(),
    morsel.waitForFinal('1', { finalWithinMs: 2_000, lookEveryMs: 3_000 }),
  ];
}

async function judgeAll(morsel: Morsel): Promise<void> {
  await Promise.all(callsOf(morsel).map(judge));
}

/** Checks that a result is an object with exact amounts, or that an error has a known code and contains no secret. */
async function judge(call: Promise<object>): Promise<void> {
  const outcome = await call.catch((error: unknown) => error);
  if (outcome instanceof MorselError) {
    assert.match(outcome.code, /^[\w.:+-]+$/);
    const shown = `${JSON.stringify(outcome)} ${outcome.message} ${outcome.stack}`;
    for (const secret of [token, message.text]) assert.ok(!shown.includes(secret), shown);
    return;
  }
  assert.ok(typeof outcome === 'object' && outcome !== null && !(outcome instanceof Error), String(outcome));
  const exact: Readonly<Record<string, string>> = 'exact' in outcome && outcome.exact ? Object(outcome.exact) : {};
  for (const [name, value] of Object.entries(outcome))
    if (['totalCost', 'clientBalance'].includes(name) && typeof value === 'number')
      assert.equal(Number(exact[name]), value, name);
}

function answers(): Readonly<Record<string, unknown>> {
  return {
    ...JSON.parse(accepted),
    event: 'delivered',
    sendTime: '2026-01-02T03:04:05Z',
    dlrTime: '2026-01-02T03:04:06Z',
    encoding: 'GSM',
    ucsCount: 0,
    ucsCharacters: [],
    unitPrice: 0.0075,
    balanceAfter: 1.5,
    isCovered: true,
    isReplay: false,
    routePrefix: '41',
  };
}
