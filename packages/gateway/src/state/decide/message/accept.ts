/* Accepts a message: charges it, stores it with its parts, and claims or queues them. */

import { count } from '../../rows/totals.ts';
import { isEnded } from '../../../core/account/token.ts';
import { credentialOpening, type MessageSource } from '@morsel/api/client-apis.ts';
import type { MessageCallback } from '../../../core/message/callback.ts';
import { envelopeOf, type MessageContent } from '../../../core/message/content.ts';
import { charge } from '../../../core/money/ledger.ts';
import { allEligibleText } from '../../../core/routing/eligible.ts';
import type { RuleName } from '@morsel/api/values/account.ts';
import { toMicros, type Micros } from '@morsel/api/values/money.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import { dayMs, type Instant } from '@morsel/api/values/time.ts';
import {
  type FirstAccepted,
  type IdempotencyKey,
  idempotencyLifeMs,
  isSameRequest,
} from '../../../core/message/idempotency.ts';
import { placesOfRoute } from '../../tables/route.ts';
import {
  loginByUser,
  tokenById,
  tokenDayTable,
  type AccountRow,
  type LoginRow,
  type TokenRow,
} from '../../tables/account.ts';
import { hashingKey, readKeys, seal } from '../../rows/keys.ts';
import type { Reads } from '../../rows/reads.ts';
import { encodeContent } from '../../sealing/content.ts';
import { raiseLowBalance } from '../notification/low-balance.ts';
import { rewrite, touch, type Rows } from '../../rows/rows.ts';
import { entryTable, type EntryRow } from '../../tables/ledger.ts';
import {
  type MessageRow,
  type PartRow,
  type LinkClaim,
  idempotencyKeyTable,
  keyOfAccount,
  referenceBetween,
  referenceTable,
  scheduledTable,
  taggedTable,
} from '../../tables/message.ts';
import { readDestinations } from '../notification/notification.ts';
import { beginCharge } from '../money/entry.ts';
import { readOptOuts, optOutOf } from '../number/opt-out.ts';
import { accountOf, enqueuePart } from './part.ts';
import { claimPart } from './claim.ts';
import { keepLimits, readLimits } from '../account/limits.ts';

/**
 * Charges and stores a message. If a link reserved room for it, its parts are claimed for that link in the same commit.
 */
export interface Accept extends MessageContent {
  readonly at: Instant;
  readonly id: MessageId;
  readonly account: number;
  readonly source: MessageSource;
  readonly submitter?: string | undefined;
  readonly address?: string | undefined;
  readonly session?: string | undefined;
  readonly priority: number;
  readonly route: number;
  /** The eligible carriers of the route, in the form of core/routing/eligible.ts; without it all of them. */
  readonly eligible?: string;
  /** Later than `at` for a scheduled message; its claim is null then. */
  readonly dueAt: Instant;
  readonly expiresAt: Instant;
  readonly priceList: number;
  readonly priceVersion: number;
  readonly unitPrice: Micros;
  readonly totalCost: Micros;
  readonly claim: LinkClaim | null;
  /** This member and the next are left out of the object, not undefined, for the many messages without them. */
  readonly idempotency?: IdempotencyKey;
  readonly callback?: MessageCallback;
}

export interface Accepted {
  readonly clientBalance: Micros;
  readonly reference: number | null;
  /** The message that was accepted before under this idempotency key. This one was not accepted again. */
  readonly first?: FirstAccepted;
  /** The watched rules that the message breaks, of those that count earlier messages; left out if there are none. */
  readonly watched?: readonly RuleName[];
}

export const acceptCommand = {
  reads(read: Reads, command: Accept): void {
    const { account, receiver, sender, numParts, idempotency, claim, route } = command;
    readLimits(read, command);
    credentialOf(read, command);
    // An outcome in the same commit may look for other carriers, and does not know the message yet.
    if (claim) read.values(placesOfRoute, route);
    readDestinations(read, account);
    readOptOuts(read, { account, receiver });
    if (numParts > 1) read.one(referenceBetween, receiver, sender);
    if (idempotency) readKeys(read, null);
    const known = idempotency && read.one(keyOfAccount, account, idempotency.key);
    if (known) read.message(known.message);
  },
  decide: decideAccept,
};

/** The token or the login with which a client gave the message. */
function credentialOf(asked: Pick<Reads, 'one'>, { source, submitter }: Accept): TokenRow | LoginRow | undefined {
  const kind = credentialOpening(source);
  if (submitter === undefined || kind === null) return undefined;
  return kind === 'token' ? asked.one(tokenById, submitter) : asked.one(loginByUser, submitter);
}

/** The gateway accepted the token or the login of the message, but meanwhile it may have ended, even at another node. */
function refusalOfCredential(rows: Rows, command: Accept): Result<never, Rejection> | undefined {
  const { account, at, source, submitter } = command;
  const kind = credentialOpening(source);
  if (submitter === undefined || kind === null) return undefined;
  const credential = credentialOf(rows, command);
  if (credential?.account === account && !('expiresAt' in credential && isEnded(credential, at))) return undefined;
  if (kind === 'token') return refused({ code: 'unauthorized' });
  return refused({ code: 'forbidden', detail: `the login ${submitter} was removed` });
}

/** Charges and stores a message (A1, M2, M6), or rejects it without any change. */
function decideAccept(rows: Rows, command: Accept): Result<Accepted, Rejection> {
  const withdrawn = refusalOfCredential(rows, command);
  if (withdrawn) return withdrawn;
  const repeat = command.idempotency && decideRepeat(rows, command, command.idempotency);
  if (repeat) return repeat;
  const account = accountOf(rows, command.account);
  if (account.status !== 'active') return refused({ code: 'forbidden', detail: 'the account is suspended' });
  const limits = keepLimits(rows, account, command);
  if (!limits.ok) return limits;
  const optOut = optOutOf(rows, command);
  if (optOut) return refused({ code: 'receiver_opted_out', ofSender: optOut.sender || null });
  const charged = charge(account, account, { cost: command.totalCost, at: command.at });
  if (!charged.ok) return charged;
  const { balance, spent } = charged.value;
  const entry = growCharge(rows, account, command);
  account.balance = balance;
  account.spent = spent;
  limits.value.count();
  touch(account);
  entry.balanceAfter = balance;
  const reference = command.numParts > 1 ? nextReference(rows, command) : command.reference;
  const message = newMessage(rows, command, {
    reference,
    balanceAfter: balance,
    entry: entry.id,
    entryPlace: entry.messages - 1,
  });
  rows.messages.set(message.id, message);
  count(rows, 'messages', message.event, 1);
  count(rows, 'charged', '', 1, message.totalCost);
  if (credentialOpening(command.source) === 'token' && command.submitter !== undefined) {
    const use = { token: command.submitter, day: Math.floor(command.at / dayMs), lastAt: command.at };
    rows.put(tokenDayTable, { ...use, requests: 0, messages: 1 });
  }
  for (const tag of message.tags ?? []) rows.add(taggedTable, { tag, message: message.id });
  if (message.event === 'scheduled') rows.add(scheduledTable, { dueAt: message.dueAt, message: message.id });
  rows.node.lastMessageId = Math.max(rows.node.lastMessageId, command.id);
  touch(rows.node);
  for (let number = 1; number <= command.numParts; number++) addPart(rows, message, { number, accept: command });
  if (command.idempotency) keepKey(rows, message, command.idempotency);
  raiseLowBalance(rows, account, command.at);
  const { watched } = limits.value;
  return ok({ clientBalance: balance, reference, ...(watched.length > 0 && { watched }) });
}

/**
 * Adds the message to its account's charge entry, which all messages of one commit share. After any other entry of the
 * account, a new charge entry begins.
 */
function growCharge(rows: Rows, account: AccountRow, command: Accept): EntryRow {
  const entry = rows.charges.get(account.id) ?? beginCharge(rows, account, command.at);
  rows.look(entryTable, entry);
  entry.amount = toMicros(entry.amount - command.totalCost);
  entry.messages += 1;
  entry.parts += command.numParts;
  entry.firstMessage = entry.firstMessage === null || command.id < entry.firstMessage ? command.id : entry.firstMessage;
  entry.lastMessage = entry.lastMessage === null || command.id > entry.lastMessage ? command.id : entry.lastMessage;
  return entry;
}

type Charged = Pick<MessageRow, 'reference' | 'balanceAfter' | 'entry' | 'entryPlace'>;

function newMessage(rows: Rows, command: Accept, charged: Charged): MessageRow {
  const { id, account } = command;
  return {
    ...envelopeOf(command),
    change: 'new',
    id,
    account,
    source: command.source,
    submitter: command.submitter ?? null,
    address: command.address ?? null,
    session: command.session ?? null,
    callback: command.callback ?? null,
    content: seal(rows, { account, column: 'message.content', id }, encodeContent(command)),
    reference: charged.reference,
    priority: command.priority,
    route: command.route,
    acceptedAt: command.at,
    dueAt: command.dueAt,
    expiresAt: command.expiresAt,
    priceList: command.priceList,
    priceVersion: command.priceVersion,
    unitPrice: command.unitPrice,
    totalCost: command.totalCost,
    balanceAfter: charged.balanceAfter,
    entry: charged.entry,
    entryPlace: charged.entryPlace,
    event: isScheduled(command) ? 'scheduled' : 'queued',
    eventAt: command.at,
    corrected: false,
    ownEnd: false,
    errorCode: null,
    parts: [],
  };
}

function addPart(rows: Rows, message: MessageRow, { number, accept }: { number: number; accept: Accept }): void {
  const part: PartRow = {
    change: 'new',
    message: message.id,
    number,
    state: isScheduled(accept) ? 'scheduled' : 'queued',
    changedAt: accept.at,
    deadline: message.expiresAt,
    due: null,
    carrier: null,
    attempts: 0,
    tries: 0,
    inDoubt: 0,
    carrierState: null,
    errorCode: null,
    refundEntry: null,
    eligible: accept.eligible ?? allEligibleText,
    triedBy: null,
    roundEnds: null,
    cdr: null,
    claim: null,
    report: null,
    endedByText: false,
    loaded: [],
  };
  message.parts.push(part);
  count(rows, 'parts', part.state, 1);
  if (accept.claim) claimPart(rows, part, { ...accept.claim, at: accept.at });
  else if (part.state === 'queued') enqueuePart(rows, part, accept.at, accept.at);
}

function isScheduled(command: Accept): boolean {
  return command.dueAt > command.at;
}

const referenceCount = 256;

/**
 * The concatenation reference of a long message. It is counted for each pair of sender and receiver, so it repeats only
 * after 255 other long messages of this pair.
 */
function nextReference(rows: Rows, command: Accept): number {
  const { receiver, sender, at: usedAt } = command;
  const row = rows.one(referenceBetween, receiver, sender);
  if (!row) {
    const last = command.id % referenceCount;
    rows.add(referenceTable, { receiver, sender, last, usedAt });
    return last;
  }
  row.last = (row.last + 1) % referenceCount;
  row.usedAt = usedAt;
  touch(row);
  return row.last;
}

/**
 * The answer to a message with a known idempotency key (M7): the first answer, or a rejection if the request is
 * different. Undefined for a new or expired key. Commands are decided one after the other, so exactly one of several
 * simultaneous requests is the first.
 */
function decideRepeat(
  rows: Rows,
  command: Accept,
  { key, hash }: IdempotencyKey,
): Result<Accepted, Rejection> | undefined {
  const known = rows.one(keyOfAccount, command.account, key);
  const first = known && rows.messages.get(known.message);
  if (!first || known.createdAt <= command.at - idempotencyLifeMs) return undefined;
  if (!isSameRequest(known.hash, hashingKey(rows).mac(hash))) return refused({ code: 'idempotency_conflict' });
  const { id: message, numParts, totalCost, balanceAfter: clientBalance } = first;
  return ok({ clientBalance, reference: null, first: { message, numParts, totalCost, clientBalance } });
}

/** Stores an idempotency key in the commit of its message. An expired key is used again. */
function keepKey(rows: Rows, message: MessageRow, { key, hash: ofRequest }: IdempotencyKey): void {
  const hash = hashingKey(rows).mac(ofRequest);
  const { account, id, acceptedAt: createdAt } = message;
  const expired = rows.one(keyOfAccount, account, key);
  if (expired) rewrite(expired, { hash, message: id, createdAt });
  else rows.add(idempotencyKeyTable, { account, key, hash, message: id, createdAt });
}
