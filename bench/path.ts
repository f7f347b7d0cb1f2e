/** Question `path`: the cost of each step of a message of one part, in microseconds, on the files of this checkout. */
import { randomBytes } from 'node:crypto';
import { toMicros } from '@morsel/api/values/money.ts';
import { ok } from '@morsel/api/values/result.ts';
import { tokenScopes } from '@morsel/api/values/credentials.ts';
import { makeToken, tokenRandomBytes, verifyToken } from '@morsel/gateway/core/account/token.ts';
import { changeRules } from '@morsel/gateway/core/account/rules.ts';
import { nextMessageId } from '@morsel/gateway/core/base/message-id.ts';
import { authorize, parseDraft, type Draft } from '@morsel/gateway/core/message/admission.ts';
import { priceTable } from '@morsel/gateway/core/money/price-table.ts';
import { standardProfile } from '@morsel/api/admin/routing/kinds/smpp.ts';
import { buildSnapshot, type Settings } from '@morsel/gateway/core/snapshot.ts';
import { parseDelivery } from '@morsel/gateway/edge/carriers/smpp/delivery.ts';
import { submitSm } from '@morsel/gateway/edge/carriers/smpp/submit-sm.ts';
import type { ClientApi } from '@morsel/gateway/edge/clients/client-api.ts';
import { startClientListener } from '@morsel/gateway/edge/clients/listener.ts';
import { clientRoutes } from '@morsel/gateway/edge/clients/apis.ts';
import { Limits } from '@morsel/gateway/flow/account/limits.ts';
import { machineClock } from '@morsel/gateway/runtime/clock.ts';
import { Reader } from '@morsel/gateway/store/reader.ts';
import { compose } from '@morsel/gsm';
import { connect } from '@morsel/smpp';
import { pack, packResults, unpack, unpackResults } from '../packages/gateway/src/store/packed.ts';
import { quietLog } from '../packages/gateway/test/support/quiet-log.ts';
import { type SqliteTestStore, helloContent } from '../packages/gateway/test/support/store/store.ts';
import { figure, sendHttp, type Figure, type Question, type Round } from './harness.ts';
import { commandsOf, groupSize, measureStore, openStore } from './path-store.ts';
import { Sink } from './sink.ts';

const httpSeconds = 3;
const connections = 64;
const linkMessages = 100_000;
const linkWindow = 1_000;
const draft: Draft = {
  sender: '+41791112233',
  receiver: '+41791234567',
  text: 'Hello your code is 123456',
  dcs: 'GSM',
};
const helloId = nextMessageId(0, Date.now(), 0);
const token = makeToken(randomBytes(tokenRandomBytes));
const unlimited = { scopes: tokenScopes, from: 'any', expiresAt: undefined, revokedAt: undefined } as const;

export const question: Question = {
  options: ['rounds', 'repeats'],
  programs: () => ['cc'],
  sides: () => [{ name: 'each step of a message', measure: measurePath }],
};

async function measurePath(): Promise<Round> {
  await using store = await openStore();
  await using reader = new Reader({ place: store.place, onFault: fail, onFatal: fail });
  const settings = await reader.ask('settings', Date.now());
  if (!settings.ok) fail('the settings cannot be read');
  return {
    figures: [
      figure('http', 'HTTP: read the request, answer it', 'us', await httpCost(settings.value)),
      figure('token', 'token: checksum, look-up, hash', 'us', tokenCost()),
      ...admissionCosts(settings.value),
      figure('crossing', 'to the writing thread and back, 3 commands', 'us', crossingCost(store)),
      figure('link', 'link: submit_sm, answer, receipt, acknowledgement', 'us', await linkCost()),
      ...(await measureStore()),
    ],
    faults: [],
  };
}

function fail(reason: string): never {
  throw new Error(reason);
}

/** Results are stored so that the compiler cannot remove the calls. */
let kept: unknown;
const roundMs = 200;

/** Mean time of a call, in microseconds, after many calls. */
function timeOf(call: () => unknown): number {
  // Each round has twice the calls of the one before. The earlier rounds warm the code up.
  for (let calls = 1; ; calls *= 2) {
    const begin = performance.now();
    for (let count = 0; count < calls; count++) kept = call();
    const took = performance.now() - begin;
    if (took > roundMs && kept !== undefined) return (took * 1_000) / calls;
  }
}

/** User and system time of this process, in microseconds. Use it if other processes take part in the work. */
async function cpuOf(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

const unasked = () => Promise.reject(new Error('nobody asks'));

/** The cost of HTTP: parsing, operation, fields, answer, and the kernel's part. The API accepts everything. */
async function httpCost({ accounts: [account] }: Settings): Promise<number> {
  if (!account) return fail('the store is not set up');
  const [clientBalance, clientCurrency] = [toMicros(10n ** 12n), account.currency];
  const accepted = { msgId: helloId, numParts: 1, totalCost: toMicros(10n), clientBalance, clientCurrency };
  const api: ClientApi = {
    authenticate: () => ok(account),
    submit: async () => ok(accepted),
    quote: unasked,
    report: unasked,
    cancel: unasked,
    balance: unasked,
  };
  const server = await startClientListener({
    hasBoundLink: () => true,
    routes: clientRoutes(api),
    log: quietLog,
    clock: machineClock,
    host: '127.0.0.1',
    port: 0,
    readiness: { ready: () => ok(undefined) },
    // One network may have half of the connections.
    connectionsMax: 4 * connections,
  });
  const load = { gateway: 'morsel', port: server.port, tokens: [token.text], connections, rate: 0 } as const;
  await sendHttp({ ...load, seconds: 1 });
  let answered = 0;
  const cpu = await cpuOf(async () => {
    ({ answered } = await sendHttp({ ...load, seconds: httpSeconds }));
  });
  await server.close();
  return cpu / answered;
}

function tokenCost(): number {
  const tokens = new Map([[token.id, { id: token.id, account: 1, hash: token.hash, ...unlimited }]]);
  return timeOf(() => verifyToken(tokens, token.text, 0));
}

/**
 * The cost of both steps of admission. The second step is measured for an account without rules, and with every rule.
 */
function admissionCosts(settings: Settings): Figure[] {
  const table = priceTable([{ prefix: '41', unitPrice: toMicros(10n) }]);
  const limits = new Limits({ now: Date.now, hit: () => undefined });
  const now = { snapshot: buildSnapshot(settings, () => table), at: Date.now() };
  const [account] = settings.accounts;
  if (!account) return fail('the store is not set up');
  const parsed = parseDraft(draft, account, now.at);
  if (!parsed.ok) return fail('the message is not understood');
  const rules = changeRules(null, {
    senders: [parsed.value.sender, 'kind:short-code'],
    allowCountries: ['CH', 'DE', 'US'],
    denyCountries: ['+41900'],
    rate: { count: 100_000, seconds: 1 },
    burst: 100_000,
    receiverVelocity: { count: 100_000, seconds: 60 },
    prefixVelocity: { count: 100_000, seconds: 60, digits: 8 },
    repeatSeconds: 10,
    modes: { premium: 'refuse', unknown: 'refuse' },
  });
  const permit = (by: typeof account) => authorize(parsed.value, { account: by, limits, ...now });
  const strict = { ...account, rules };
  if (!permit(account).ok || !permit(strict).ok) fail('the message is not permitted');
  const admit = () => parseDraft(draft, account, now.at).ok && permit(account).ok;
  return [
    figure('admission', 'admission: encode and cut, numbers, route, price', 'us', timeOf(admit)),
    figure(
      'authorize',
      '  of it rules, route and price, with no rule set',
      'us',
      timeOf(() => permit(account)),
    ),
    figure(
      'authorizeStrict',
      '  and with every rule on',
      'us',
      timeOf(() => permit(strict)),
    ),
  ];
}

/** The cost of passing a group between two threads: one packs it, the other unpacks it, then the results come back. */
function crossingCost(store: SqliteTestStore): number {
  const messages = Array.from({ length: groupSize }, (_none, index) => commandsOf(store, index));
  const later = messages.flatMap(({ outcome, receipt }) => [outcome, receipt]);
  const group = [...messages.map(({ accept }) => accept), ...later];
  const accepted = ok({ clientBalance: toMicros(10n ** 12n), reference: null });
  const results = messages.flatMap(() => [accepted, ok({ due: null }), ok({ became: 'matched' })]);
  const cross = () => [unpack(structuredClone(pack(group))), unpackResults(structuredClone(packResults(results)))];
  return timeOf(cross) / groupSize;
}

/** The cost of a session of a link with the sink, with real sockets and a window. */
async function linkCost(): Promise<number> {
  await using sink = await Sink.start();
  let receipts = 0;
  const { promise: isDone, resolve: done } = Promise.withResolvers<void>();
  await using session = await connect({
    host: '127.0.0.1',
    port: sink.port,
    bind: { command: 'bind_transceiver', system_id: 'morsel', password: 'secret' },
    windowMax: linkWindow,
    onRequest: (pdu, respond) => {
      if (pdu.command === 'deliver_sm') parseDelivery(pdu, standardProfile);
      respond(0);
      receipts += 1;
      if (receipts === linkMessages) done();
    },
  });
  const composed = compose(draft.text, 'GSM');
  if (!composed.ok) return fail('the text makes no parts');
  const sent = { ...helloContent, sender: draft.sender, receiver: draft.receiver, text: draft.text, composed };
  const part = { message: helloId, number: 1, attempt: 1, ...sent, expiresAt: Date.now() + 3_600_000, isWhole: false };
  let left = linkMessages;
  const send = async () => {
    while (left-- > 0) await session.request(submitSm(part, standardProfile, Date.now()));
  };
  const cpu = await cpuOf(() => Promise.all([...Array.from({ length: linkWindow / 2 }, send), isDone]));
  return cpu / linkMessages;
}
