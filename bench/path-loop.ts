/* The cost of a message on the event loop, step by step: HTTP, token, admission, commands, SMPP. */

import { randomBytes } from 'node:crypto';
import { connect, decode, encode, writeReceipt } from '@morsel/smpp';
import { standardProfile } from '@morsel/gateway/core/routing/carrier-profile.ts';
import type { PduOf } from '@morsel/smpp';
import { authorize, parseDraft } from '@morsel/gateway/core/message/admission.ts';
import { nextMessageId } from '@morsel/gateway/core/base/message-id.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import { priceTable } from '@morsel/gateway/core/money/price-table.ts';
import { ok } from '@morsel/api/values/result.ts';
import { changeRules } from '@morsel/gateway/core/account/rules.ts';
import { buildSnapshot } from '@morsel/gateway/core/snapshot.ts';
import { pack, packResults, unpack, unpackResults } from '../packages/gateway/src/store/packed.ts';
import type { Settings } from '@morsel/gateway/core/snapshot.ts';
import { makeToken, tokenRandomBytes, verifyToken } from '@morsel/gateway/core/account/token.ts';
import { tokenScopes } from '@morsel/api/values/credentials.ts';
import { parseDelivery } from '@morsel/gateway/edge/carrier/delivery.ts';
import { Limits } from '@morsel/gateway/flow/account/limits.ts';
import { submitSm } from '@morsel/gateway/edge/carrier/submit-sm.ts';
import type { ClientApi } from '@morsel/gateway/edge/http/client-api.ts';
import { startHttp } from '@morsel/gateway/edge/http/server.ts';
import { makeFolder } from './folder.ts';
import { cpuOf, timeOf } from './path-clock.ts';
import type { Cost } from './path-clock.ts';
import {
  acceptCommand,
  draft,
  firstLease,
  idsOf,
  outcomeCommand,
  outgoingPart,
  receiptCommand,
  unitPrice,
} from './message.ts';
import { Sink } from './sink.ts';
import { runWrk } from './wrk.ts';
import { machineClock } from '@morsel/gateway/runtime/clock.ts';

const seconds = 3;
const connections = 64;
const linkMessages = 100_000;
const linkWindow = 1_000;
const commandsOfGroup = 100;

/** Measures all steps on the event loop. */
export async function measureLoop(settings: Settings): Promise<Cost[]> {
  return [
    { part: 'HTTP: read the request, answer it', microseconds: await httpCost(settings) },
    { part: 'token: checksum, look-up, hash', microseconds: tokenCost() },
    { part: 'admission: encode and cut, numbers, route, price', microseconds: admissionCost(settings) },
    ...authorizeCosts(settings),
    { part: 'to the writing thread and back, 3 commands', microseconds: crossingCost(settings) },
    { part: 'SMPP link: submit_sm, answer, receipt, acknowledgement', microseconds: await linkCost() },
    ...codecCosts(),
  ];
}

/** The cost of HTTP: parsing, operation, fields, answer, and the kernel's part. The API accepts everything. */
async function httpCost(settings: Settings): Promise<number> {
  const [account] = settings.accounts;
  if (!account) throw new Error('the store is not set up');
  const accepted = {
    msgId: nextMessageId(0, Date.now(), 0),
    numParts: 1,
    totalCost: unitPrice,
    clientBalance: toMicros(10n ** 12n),
    clientCurrency: account.currency,
  };
  const api: ClientApi = {
    authenticate: () => ok(account),
    submit: async () => ok(accepted),
    quote: () => Promise.reject(new Error('nobody asks')),
    report: () => Promise.reject(new Error('nobody asks')),
    cancel: () => Promise.reject(new Error('nobody asks')),
    balance: () => Promise.reject(new Error('nobody asks')),
  };
  const server = await startHttp({
    hasBoundLink: () => true,
    api,
    clock: machineClock,
    host: '127.0.0.1',
    port: 0,
    readiness: { ready: () => ok(undefined) },
    // A network may have half of these.
    connectionsMax: 4 * connections,
  });
  const load = { gateway: 'morsel', port: server.port, tokens: [tokenText()], connections, rate: 0 } as const;
  await runWrk({ ...load, seconds: 1 });
  let answered = 0;
  const cpu = await cpuOf(async () => {
    ({ answered } = await runWrk({ ...load, seconds }));
  });
  await server.close();
  return cpu / answered;
}

function tokenText(): string {
  return makeToken(randomBytes(tokenRandomBytes)).text;
}

function tokenCost(): number {
  const made = makeToken(randomBytes(tokenRandomBytes));
  const record = { id: made.id, account: 1, hash: made.hash, ...unlimited };
  const tokens = new Map([[made.id, record]]);
  return timeOf(() => verifyToken(tokens, made.text, 0));
}

const limits = new Limits({ monotonicMs: () => performance.now(), salt: 'bench', hit: () => undefined });
const unlimited = { scopes: tokenScopes, from: 'any' as const, expiresAt: undefined, revokedAt: undefined };

/** The only price of bench/message.ts. */
const tables = () => priceTable([{ prefix: '41', unitPrice }]);

function admissionCost(settings: Settings): number {
  const now = { snapshot: buildSnapshot(settings, tables), at: Date.now() };
  const [account] = settings.accounts;
  if (!account) throw new Error('there is no account');
  const admit = () => {
    const parsed = parseDraft(draft, account, now.at);
    return parsed.ok && authorize(parsed.value, { account, limits, ...now }).ok;
  };
  if (!admit()) throw new Error('the message is not admitted');
  return timeOf(admit);
}

/** The cost of the second step of admission, for an account without rules and for an account with every rule. */
function authorizeCosts(settings: Settings): Cost[] {
  const now = { snapshot: buildSnapshot(settings, tables), at: Date.now() };
  const [account] = settings.accounts;
  if (!account) throw new Error('there is no account');
  const parsed = parseDraft(draft, account, now.at);
  if (!parsed.ok) throw new Error('the message is not understood');
  const { value } = parsed;
  const strict = {
    ...account,
    rules: changeRules(null, {
      senders: [value.sender, 'kind:short-code'],
      allowCountries: ['CH', 'DE', 'US'],
      denyCountries: ['+41900'],
      rate: { count: 100_000, seconds: 1 },
      burst: 100_000,
      receiverVelocity: { count: 100_000, seconds: 60 },
      prefixVelocity: { count: 100_000, seconds: 60, digits: 8 },
      repeatSeconds: 10,
      modes: { premium: 'refuse', unknown: 'refuse' },
    }),
  };
  const permits = (by: typeof account) => () => authorize(value, { account: by, limits, ...now }).ok;
  if (!permits(account)() || !permits(strict)()) throw new Error('the message is not permitted');
  return [
    { part: 'of it rules, route and price, with no rule set', microseconds: timeOf(permits(account)), isWithin: true },
    { part: 'and with every rule on', microseconds: timeOf(permits(strict)), isWithin: true },
  ];
}

/** The cost on both threads: one writes a group and the other reads it, then the results come back. */
function crossingCost(settings: Settings): number {
  const ids = idsOf(settings, firstLease);
  const moment = { id: nextMessageId(0, Date.now(), 0), at: Date.now(), receiver: draft.receiver };
  const ofOne = [acceptCommand(ids, moment), outcomeCommand(ids, moment), receiptCommand(ids, moment)];
  const commands = Array.from({ length: commandsOfGroup }, () => ({ ...ofOne[0] }));
  const later = Array.from({ length: commandsOfGroup }, () => [{ ...ofOne[1] }, { ...ofOne[2] }]).flat();
  const results = Array.from({ length: commandsOfGroup }, () => [
    ok({ clientBalance: toMicros(10n ** 12n), reference: null }),
    ok({ due: null }),
    ok({ became: 'matched' }),
  ]).flat();
  const group = [...commands, ...later];
  return (
    timeOf(() => [unpack(structuredClone(pack(group))), unpackResults(structuredClone(packResults(results)))]) /
    commandsOfGroup
  );
}

/** A real session of a link, with sockets and a window, to the sink. */
async function linkCost(): Promise<number> {
  await using folder = makeFolder();
  await using sink = await Sink.start(folder.path);
  let receipts = 0;
  const { promise: isDone, resolve: done } = Promise.withResolvers<void>();
  await using session = await connect({
    host: '127.0.0.1',
    port: sink.port,
    bind: { command: 'bind_transceiver', system_id: 'morsel', password: 'secret' },
    windowMax: linkWindow,
    onRequest: (pdu, respond) => {
      if (pdu.command === 'deliver_sm') parseDelivery(pdu);
      respond(0);
      receipts += 1;
      if (receipts === linkMessages) done();
    },
  });
  const part = outgoingPart(nextMessageId(0, Date.now(), 0));
  let left = linkMessages;
  const send = async () => {
    while (left-- > 0) await session.request(submitSm(part, standardProfile, Date.now()));
  };
  const cpu = await cpuOf(async () => {
    await Promise.all([...Array.from({ length: linkWindow / 2 }, send), isDone]);
  });
  return cpu / linkMessages;
}

function codecCosts(): Cost[] {
  const part = outgoingPart(nextMessageId(0, Date.now(), 0));
  const submit = () => encode({ ...submitSm(part, standardProfile, Date.now()), sequence_number: 1 });
  const receipt = encode({
    command: 'deliver_sm',
    sequence_number: 1,
    source_addr_ton: 1,
    source_addr_npi: 1,
    source_addr: draft.receiver.slice(1),
    dest_addr_ton: 1,
    dest_addr_npi: 1,
    destination_addr: draft.sender.slice(1),
    ...writeReceipt({ id: '1009876543210123', state: 'DELIVERED', submittedAtMs: 0, doneAtMs: 0 }),
  });
  return [
    { part: 'write submit_sm', microseconds: timeOf(submit), isWithin: true },
    { part: 'read deliver_sm and its receipt', microseconds: timeOf(() => readReceiptPdu(receipt)), isWithin: true },
  ];
}

function readReceiptPdu(bytes: Uint8Array): ReturnType<typeof parseDelivery> {
  const read = decode(bytes);
  if (!read.ok || !isDelivery(read.pdu)) throw new Error('the receipt is not read');
  return parseDelivery(read.pdu);
}

function isDelivery(pdu: { readonly command: string }): pdu is PduOf<'deliver_sm'> {
  return pdu.command === 'deliver_sm';
}
