import assert from 'node:assert/strict';
import { it } from 'node:test';
import { accountDefaults, type Account } from '../account/account.ts';
import { changeRules } from '../account/rules.ts';
import { authorize, parseDraft, type Draft, type ParsedDraft } from './admission.ts';
import type { Way } from '../routing/way.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import { priceTable } from '../money/price-table.ts';
import type { Rejection } from '../base/rejection.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import { buildSnapshot, type Settings, type Snapshot } from '../snapshot.ts';

const account: Account = {
  id: 1,
  name: 'acme',
  currency: 'EUR',
  status: 'active',
  ...accountDefaults,
  priceList: 1,
  partsMax: 3,
};
const everybody = { sender: null, account: null, encoding: null, by: 'weight', carrierList: 0 } as const;
const settings: Settings = {
  accounts: [account],
  tokens: [],
  carriers: [],
  routes: [
    { ...everybody, id: 1, prefix: '41', isRemoved: false },
    { ...everybody, id: 2, prefix: '4179', isRemoved: false },
    { ...everybody, id: 3, prefix: '44', isRemoved: false },
    { ...everybody, id: 4, prefix: '49', isRemoved: true },
  ],
  carrierLists: [[{ carrier: 1, rank: 1, weight: 1, cost: null, waitMs: null }]],
  webhooks: [],
  priceLists: [
    {
      id: 1,
      name: 'default',
      currency: 'EUR',
      base: null,
      versions: [
        { version: 5, effectiveAt: 0 },
        { version: 6, effectiveAt: 2_000 },
      ],
    },
  ],
};
const limits = { judge: () => undefined };
const snapshot = buildSnapshot(settings, (_list, version) =>
  priceTable([
    { prefix: '41', unitPrice: toMicros(7_500n) },
    { prefix: '417', unitPrice: toMicros(version === 5 ? 8_000n : 9_000n) },
  ]),
);
const now = { snapshot, at: 1_999 };
/** Both steps, one after the other, as for a message that has no idempotency key. */
function admit(
  given: Draft,
  by: Account,
  at: { readonly snapshot: Snapshot; readonly at: number },
): Result<ParsedDraft & Way, Rejection> {
  const parsed = parseDraft(given, by, 0);
  if (!parsed.ok) return parsed;
  const way = authorize(parsed.value, { account: by, limits, ...at });
  return way.ok ? ok({ ...parsed.value, ...way.value }) : way;
}

const draft: Draft = { sender: '+41791112233', receiver: '+41791234567', text: 'Hello', dcs: 'GSM' };

it('takes the longest prefix for the route and for the price', () => {
  const admitted = admit(draft, account, now);
  assert.ok(admitted.ok);
  assert.equal(admitted.value.route.id, 2);
  assert.deepEqual(admitted.value.rated, { priceList: 1, priceVersion: 5, unitPrice: 8_000n, totalCost: 8_000n });
  assert.equal(admitted.value.validityMs, 172_800_000);
});
it('charges by the version in effect at the instant of acceptance', () => {
  const admitted = admit(draft, account, { snapshot, at: 2_000 });
  assert.ok(admitted.ok);
  assert.deepEqual(admitted.value.rated, { priceList: 1, priceVersion: 6, unitPrice: 9_000n, totalCost: 9_000n });
});
it('each part of a message is charged', () => {
  const admitted = admit({ ...draft, text: 'x'.repeat(161), dcs: 'sms', validity: 60 }, account, now);
  assert.ok(admitted.ok);
  assert.deepEqual(
    [admitted.value.composed.numParts, admitted.value.rated.totalCost, admitted.value.validityMs],
    [2, 16_000n, 60_000],
  );
});

const refusals: readonly (readonly [string, Partial<Draft>, object])[] = [
  ['an unknown dcs', { dcs: 'UTF8' }, { code: 'invalid_parameter', field: 'dcs' }],
  ['a dcs whose capitals are SMS', { dcs: '\u017fMS' }, { code: 'invalid_parameter', field: 'dcs' }],
  ['a validity too short', { validity: 59 }, { code: 'invalid_parameter', field: 'validity' }],
  ['a validity too long', { validity: 259_201 }, { code: 'invalid_parameter', field: 'validity' }],
  ['half a second', { validity: 60.5 }, { code: 'invalid_parameter', field: 'validity' }],
  ['a clientRef too long', { clientRef: 'é'.repeat(65) }, { code: 'invalid_parameter', field: 'clientRef' }],
  ['a clientRef with U+0000', { clientRef: 'a\u0000' }, { code: 'invalid_parameter', field: 'clientRef' }],
  ['a clientRef of two lines', { clientRef: 'a\r\nb' }, { code: 'invalid_parameter', field: 'clientRef' }],
  ['a clientRef with U+0085', { clientRef: '\u0085' }, { code: 'invalid_parameter', field: 'clientRef' }],
  ['half a pair in clientRef', { clientRef: '\ud800😀' }, { code: 'invalid_parameter', field: 'clientRef' }],
  ['nine tags', { tags: 'a,b,c,d,e,f,g,h,i' }, { code: 'invalid_parameter', field: 'tags' }],
  ['a tag too long', { tags: ['a'.repeat(33)] }, { code: 'invalid_parameter', field: 'tags' }],
  ['a tag with a blank', { tags: 'spring sale' }, { code: 'invalid_parameter', field: 'tags' }],
  ['a tag with an accent', { tags: ['é'] }, { code: 'invalid_parameter', field: 'tags' }],
  ['a tag of two lines', { tags: ['a\nb'] }, { code: 'invalid_parameter', field: 'tags' }],
  ['an empty tag', { tags: 'a,,b' }, { code: 'invalid_parameter', field: 'tags' }],
  ['a tag twice', { tags: ['a', 'b', 'a'] }, { code: 'invalid_parameter', field: 'tags' }],
  ['a character outside GSM', { text: 'a😀ж' }, { code: 'text_not_encodable', character: '😀', position: 1 }],
  ['U+0000', { text: 'a\u0000', dcs: 'UCS' }, { code: 'text_not_encodable', position: 1 }],
  ['half a surrogate pair', { text: '😀\ud800', dcs: 'SMS' }, { code: 'text_not_encodable', position: 1 }],
  ['too many parts', { text: 'x'.repeat(3 * 153 + 1) }, { code: 'text_too_long', numParts: 4, maxParts: 3 }],
  ['with a key', { text: 'x'.repeat(460), idempotencyKey: 'k' }, { code: 'text_too_long', numParts: 4, maxParts: 3 }],
  [
    'more parts than there are',
    { text: 'x'.repeat(40_000), idempotencyKey: 'k' },
    { code: 'text_too_long', maxParts: 3 },
  ],
  ['no sender', { sender: 'a name too long' }, { code: 'invalid_sender' }],
  ['no receiver', { receiver: '12' }, { code: 'invalid_parameter', field: 'receiver' }],
  ['a number that cannot exist', { receiver: '+9991234567' }, { code: 'invalid_parameter', field: 'receiver' }],
  ['no route', { receiver: '+33612345678' }, { code: 'no_route', receiver: '+33612345678' }],
  ['a route that is gone', { receiver: '+491711234567' }, { code: 'no_route' }],
  ['no price: never free', { receiver: '+447911123456' }, { code: 'no_price', receiver: '+447911123456' }],
];
for (const [what, change, rejection] of refusals) {
  it(`refuses ${what}`, () => {
    const admitted = admit({ ...draft, ...change }, account, now);
    assert.ok(!admitted.ok);
    assert.deepEqual({ ...admitted.error, ...rejection }, admitted.error);
  });
}

it('checks the rules of the account before the route; an account without rules skips these checks', () => {
  const refusing = { judge: () => ({ code: 'destination_blocked', rule: 'countries' }) as const };
  const parsed = parseDraft({ ...draft, receiver: '+33612345678' }, account, 0);
  assert.ok(parsed.ok);
  const codeFor = (by: Account) => {
    const way = authorize(parsed.value, { account: by, ...now, limits: refusing });
    return !way.ok && way.error.code;
  };
  assert.equal(codeFor(account), 'no_route');
  assert.equal(codeFor({ ...account, rules: changeRules(null, { denyCountries: ['FR'] }) }), 'destination_blocked');
});

it('checks in the order of the contract: fields, text, sender, receiver, route', () => {
  const everythingWrong: Draft = { sender: '?', receiver: '?', text: '😀', dcs: '?' };
  const mended: readonly (readonly [Partial<Draft>, string])[] = [
    [{}, 'invalid_parameter'],
    [{ dcs: 'GSM' }, 'text_not_encodable'],
    [{ text: 'a' }, 'invalid_sender'],
    [{ sender: 'acme' }, 'invalid_parameter'],
    [{ receiver: '+33612345678' }, 'no_route'],
  ];
  let current = everythingWrong;
  for (const [change, code] of mended) {
    current = { ...current, ...change };
    const admitted = admit(current, account, now);
    assert.equal(!admitted.ok && admitted.error.code, code);
  }
});
