/* Inputs for every view, which reach each of its queries, for the tests that compare engines and check plans. */

import { toMicros } from '@morsel/api/values/money.ts';
import { toMessageId } from '../../../src/core/base/message-id.ts';
import { firstPlace } from '../../../src/core/message/waiting-place.ts';
import { noFigures } from '../../../src/state/tables/notification.ts';
import type { ViewAnswer, ViewedName, ViewInput, ViewName } from '../../../src/store/views/views.ts';

const ever = Number.MAX_SAFE_INTEGER;
/** The instant of all questions. The random rows have instants from 1 to 8. */
const at = 5;
/** The id of the account `beta`, and of a webhook. */
const beta = 3;
const hook = 3;
const limit = 4;
const id = toMessageId(3);
/** The name of an account that exists, and a name that no account has. */
const names = ['beta', 'nobody'];
const given = { prefix: '4', list: 'default', at };
const flags = { replace: false, allowFree: false, allowEmpty: false, dryRun: true };
const share = toMicros(50_000_000n);
const importing = { list: 'default', now: at, threshold: share, maxRemoved: share, ...flags };
const byAccount = [{ limit }, ...names.map((account) => ({ account, limit }))];
const ofReceivers = [{}, { account: 'beta' }, { receiver: 'a' }, { account: 'beta', receiver: 'a' }].map((each) => ({
  ...each,
  limit,
}));
const everyWaiting = {
  account: null,
  routes: null,
  sender: null,
  receiver: null,
  state: null,
  from: toMessageId(1),
  below: toMessageId(ever),
} as const;
const destinations = [
  { kind: 'webhook', account: beta, webhook: hook },
  { kind: 'sessions', account: beta },
  { kind: 'callback', account: beta },
] as const;

const limited = { text: 'Hello', octets: null, header: null, reference: null, encoding: 'gsm7', numParts: 1 } as const;

const listenEvent = { ...noFigures, account: 1, subject: 3 };

/** The inputs by view. For views of operations, the instant and the operator are added later. */
const questions: {
  readonly [V in ViewName]: readonly (V extends ViewedName ? Omit<ViewInput<V>, 'now' | 'caller'> : ViewInput<V>)[];
} = {
  settings: [at],
  report: [{ account: 1, id, details: true }, ...idsTo(40).map((each) => ({ account: beta, id: each, details: true }))],
  balance: [1, 99],
  payer: [1, 99],
  brokenLimit: [1, beta].map((account) => ({ account, at, receiver: '+41791234567', ...limited })),
  idempotency: ['a', 'B', 'b', 'Z', '~', 'stop'].flatMap((key) =>
    [1, beta].map((each) => ({ account: each, key, hash: new Uint8Array(32), after: 0 })),
  ),
  'account.list': [{ limit }],
  'account.show': [{ account: 'beta' }, { account: 'nobody' }],
  'alarm.list': [true, false].flatMap((all) => [
    { all, limit },
    { all, limit, after: '3' },
  ]),
  'alarm.show': [{ alarm: 3 }, { alarm: 99 }],
  'alarm.kinds': [{ limit }],
  alarmState: [at],
  openAlarms: [undefined],
  'alarmReceiver.list': [{ limit }],
  heartbeats: [undefined],
  dueNotices: [at],
  alarmReceiver: ['night', 'nobody'],
  'posting.statement': names.flatMap((account) => [
    { account, messages: true },
    { account, messages: false, from: '1970-01-01T00:00:00.003Z', to: '1970-01-01T00:00:00.009Z' },
  ]),
  'posting.balance': [{ account: 'beta' }, { account: 'beta', at: '1970-01-01T00:00:00.004Z' }],
  'ledger.check': [undefined, 'beta'].flatMap((account) =>
    ['guards/0', 'accounts/0', 'entries/0', 'entries/3', 'messages/0'].map((after) => ({ account, after })),
  ),
  ledgerCheck: [{ after: 'guards/0' }],
  configState: [undefined],
  changeSet: ['cheaper'],
  'changeSet.list': [{ limit: 10 }],
  accepted: [[{ after: 0, before: Number.MAX_SAFE_INTEGER, limit: 10 }]],
  acceptedCounts: [0],
  retention: [at],
  'retention.list': [{ limit }],
  'encryptionKey.list': [{ limit }, { after: '1/1', limit }],
  erasures: [{ limit }, { limit, after: '3' }],
  'privacy.list': [{ limit }],
  openErasure: [undefined],
  numberLeft: ['+41791112233', '+1'],
  numberLook: (['message', 'inbound'] as const).flatMap((of) => [
    { of, receiver: '4179', after: 0, max: 3 },
    { of, receiver: 'a', after: 0, max: 100 },
  ]),
  numberRows: ['message/0', 'inbound/0', 'rest/0'].map((after) => ({ receiver: '4179', after })),
  'token.list': byAccount,
  'token.usage': byAccount.flatMap((each) => [each, { ...each, token: 't1' }]),
  'audit.list': (['newest', 'oldest'] as const).flatMap((order) => [
    { order, limit },
    { order, limit, after: '5/3/3', since: 1, until: at },
    { order, limit, operator: 'a' },
    { order, limit, operation: 'a', since: 1 },
    { order, limit, account: 'a', after: '5/3/3' },
    { order, limit, carrier: 'a', operator: 'b' },
  ]),
  'audit.show': [{ entry: '1-2' }, { entry: '3-2' }],
  'audit.verify': ['1-0-', '1-2-00', '3-2-00', '99-0-', 'account-0', 'account-5'].map((after) => ({ after })),
  'operator.list': [{ limit }, { limit, after: 'a' }],
  operatorRequest: ['a', 'b', 'Z', 't1'].flatMap((operator) =>
    ['a', 'b', 'Z'].map((key) => ({ operator, key, hash: new Uint8Array(32), after: 0 })),
  ),
  operatorSignIn: ['t1', 't2', 'a', 'nobody'],
  ownerSignIn: [undefined],
  present: [0],
  'traffic.history': (['minute', 'hour'] as const).map((span) => ({ span, limit })),
  'traffic.ofCarrier': ['alpha', 'nobody'].map((carrier) => ({ carrier, limit })),
  'operator.show': [{ operator: 't1' }, { operator: 'nobody' }],
  'operatorKey.sessions': [{ limit }],
  'operatorKey.list': [{ limit }, { limit, operator: 'a' }, { limit, after: 'a' }],
  'login.list': byAccount.flatMap((each) => [
    { ...each, removed: false },
    { ...each, removed: true },
  ]),
  carriers: [undefined, 'alpha', 'nobody'],
  'carrier.cost': ([undefined, 'account', 'prefix', 'day'] as const).map((group) => {
    return { carrier: 'alpha', from: 0, to: Date.UTC(2100, 0), by: group };
  }),
  'route.list': [{ limit }],
  routesToFollow: [undefined],
  priceTable: [
    { priceList: 1, version: 1 },
    { priceList: 2, version: 9 },
  ],
  priceLists: [{ now: at, limit: 2 }],
  'price.versions': [{ list: 'default' }],
  'price.show': [
    { ...given, limit },
    { list: 'default', version: 1, limit, after: `${at}/41` },
  ],
  'price.export': [{ list: 'default', at }],
  priceImport: [
    { ...importing, file: '41,0.1\n43,x' },
    { ...importing, file: '41,0.1\n43,0.2', replace: true },
    { ...importing, list: 'new', currency: 'EUR', base: 'default', file: '41,0.1' },
  ],
  priceWithdrawal: [{ list: 'default', version: 1, now: at }],
  priceImports: [undefined],
  message: idsTo(40),
  'message.find': [
    { limit },
    { limit, account: 'beta', sender: 'a' },
    { limit, receiver: 'b', event: 'delivered' },
    { limit, clientRef: 'a', since: Date.UTC(2018, 0), until: Date.UTC(2100, 0) },
    { limit, tag: 'a' },
    { limit, tag: 'b', account: 'beta', event: 'delivered' },
    { limit, tag: 'a', carrierMessageId: 'a' },
    { limit, carrier: 'alpha' },
    { limit, tag: 'stop' },
    { limit, tag: 'a', sender: 'a', carrierMessageId: 'B' },
    { limit, carrierMessageId: 'a' },
    { limit, carrierMessageId: 'B', carrier: 'alpha' },
  ],
  'cdr.list': [
    { limit },
    { limit: 100, after: '2', from: Date.UTC(2018, 0), to: Date.UTC(2100, 0) },
    { limit, account: 'beta', carrier: 'alpha' },
  ],
  'cdr.check': [undefined, 'messages/1', 'records/0', 'records/2'].flatMap((after) => [
    { after },
    { after, account: 'beta', from: Date.UTC(2018, 0), to: Date.UTC(2100, 0) },
  ]),
  'message.inDoubt': [{ limit }, { limit, carrier: 'alpha' }],
  waiting: [
    everyWaiting,
    { ...everyWaiting, account: beta, sender: 'a', receiver: '4' },
    { ...everyWaiting, routes: [1, 3] },
    { ...everyWaiting, state: 'scheduled' } as const,
  ].map((filter) => ({ filter, after: firstPlace, limit })),
  waitingMessage: idsTo(40),
  'job.list': [{ limit }, { limit, after: '3' }],
  'job.show': [{ job: 3 }, { job: 99 }],
  runningJobs: [undefined],
  bulkRows: [
    ...(['message.cancelMany', 'message.rerouteMany'] as const).map((operation) => ({
      operation,
      filter: everyWaiting,
      // One page, because the places of the random rows cannot be written as texts.
      limit: 1_000,
    })),
    ...[null, beta].flatMap((one) => {
      const filter = { as: 'sent', carrier: one, account: one, until: ever };
      return { operation: 'message.settleMany', filter, limit } as const;
    }),
  ].map((each) => ({ ...each, after: '' })),
  'inbound.list': [{}, { order: 'oldest' } as const].flatMap((order) => [
    { ...order, limit, unmatched: false, undelivered: false },
    { ...order, limit, unmatched: true, undelivered: false },
    { ...order, limit, unmatched: false, undelivered: true, account: 'beta' },
    { ...order, limit, unmatched: false, undelivered: false, number: '4179', sender: 'a' },
    { ...order, limit, unmatched: false, undelivered: false, number: '4179', account: 'beta', keyword: 'stop' },
    { ...order, limit, unmatched: true, undelivered: false, number: '4179', since: 0, until: Date.UTC(2100, 0) },
  ]),
  'inbound.show': idsTo(40).map((each) => ({ id: String(each) })),
  'number.list': [undefined, ...names].map((account) => ({ account, limit })),
  'keyword.list': [undefined, '41'].flatMap((number) =>
    [undefined, ...names].flatMap((account) => [
      { number, kind: 'number', account, limit: 100 } as const,
      { number, kind: 'number', account, after: '41/number/a', limit: 100 } as const,
    ]),
  ),
  dueWork: [0, at],
  dueMessages: [
    { at, after: { dueAt: -1, id: toMessageId(0) }, limit },
    { at, after: { dueAt: 2, id }, limit },
  ],
  dueNotifications: destinations.flatMap((destination) => [
    { destination, isBound: true, at, known: new Set([1]), limit: 3 },
    { destination, isBound: false, at: 2, known: new Set(), limit: 100 },
  ]),
  'notification.list': [undefined, ...names]
    .flatMap((account) => [undefined, hook, 99].map((webhook) => ({ account, webhook })))
    .flatMap((of) => [
      { ...of, limit },
      { ...of, limit, state: 'waiting' } as const,
      { ...of, limit, state: 'dead', kind: 'receipt' } as const,
      { ...of, limit, state: 'delivered' } as const,
      { ...of, limit, kind: 'alert' } as const,
    ]),
  'notification.show': [1, 2, 99].map((notification) => ({ notification })),
  'webhook.list': byAccount,
  'webhook.show': [1, 2, 3, 99].map((webhook) => ({ webhook })),
  'webhookSecret.list': [1, 2, 3, 99].map((webhook) => ({ webhook, limit })),
  listenEvent: [
    { ...listenEvent, kind: 'receipt', event: 'delivered', eventAt: 4 },
    { ...listenEvent, kind: 'inbound' },
    { ...listenEvent, kind: 'alert', subject: 1, eventAt: 4, threshold: toMicros(5n), balance: toMicros(3n) },
  ],
  'refusal.list': [{ limit }, { limit, account: 'beta', code: 'a', since: 0 }, { limit, requestId: 'a' }],
  'refusal.summary': [
    { limit, since: 0 },
    { limit, since: 0, account: 'beta' },
  ],
  'account.rules': byAccount,
  'gateway.totals': [{}],
  figures: [{ carriers: [1, 2, beta, 99], webhooks: [1, hook], sessions: [1, beta], callbacks: [1, beta] }],
  'carrier.learned': ['alpha', 'nobody'].map((carrier) => ({ carrier })),
  shownRules: [undefined],
  'receipt.unmatched': [
    { limit },
    { limit, until: at },
    { limit, until: ever, carrier: 'alpha' },
    { limit, until: ever, why: 'unreadable' },
  ],
  'receipt.show': [{ id: 1 }, { id: 99 }],
  optOutOf: ['a', 'B', 'stop', '~'].map((receiver) => ({ account: beta, receiver, sender: 'b' })),
  'optOut.list': ofReceivers,
  'optOut.history': ofReceivers,
  'optOut.words': [{}, ...names.map((account) => ({ account }))],
};

function idsTo(most: number): ReturnType<typeof toMessageId>[] {
  return Array.from({ length: most }, (_, index) => toMessageId(index + 1));
}

/** A view and the input for it. */
export interface ViewQuestion {
  readonly view: ViewName;
  readonly input: unknown;
}

export const viewQuestions: readonly ViewQuestion[] = Object.entries(questions).flatMap(([view, inputs]) => {
  const more = view.includes('.') ? { now: at, caller: 'beta' } : undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type of `questions` names its members
  return inputs.map((input) => ({ view: view as ViewName, input: more ? { ...more, ...Object(input) } : input }));
});

/** The largest number of pages to read of one list. */
const pagesMax = 50;

/** Reads a view with one input. If the answer is a page of a list, reads the next pages, too. */
export async function askAll(
  ask: (view: ViewName, input: unknown) => Promise<unknown>,
  { view, input }: ViewQuestion,
): Promise<readonly ViewAnswer<ViewName>[]> {
  const answers: unknown[] = [];
  for (let next: unknown; answers.length < pagesMax;) {
    const asked = next === undefined ? input : { ...Object(input), after: next };
    const answer = await ask(view, asked);
    answers.push(answer);
    const { value = answer }: { readonly value?: unknown } = { ...Object(answer) };
    next = typeof value === 'object' && value !== null && 'next' in value ? value.next : null;
    if (next === null) break;
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- these are the answers of that view
  return answers as ViewAnswer<ViewName>[];
}
