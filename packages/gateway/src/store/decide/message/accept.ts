import { contentOf } from '../../../core/message/content.ts';
import { charge } from '../../../core/money/ledger.ts';
import { allEligibleText } from '../../../core/routing/eligible.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Accept, Accepted } from '../../commands/commands.ts';
import { referenceKey, touch } from '../../tables/rows.ts';
import type { EntryRow } from '../../tables/ledger.ts';
import type { AccountRow } from '../../tables/account.ts';
import type { MessageRow, PartRow } from '../../tables/message.ts';
import type { Rows } from '../../tables/rows.ts';
import { raiseLowBalance } from '../notification/alert.ts';
import { beginCharge } from '../money/entry.ts';
import { optOutOf } from '../number/opt-out.ts';
import { accountOf, enqueuePart } from './part.ts';
import { countTokenUse } from '../account/counts.ts';
import { idempotencyLifeMs, isSameRequest } from '../../../core/message/idempotency.ts';
import type { IdempotencyKey } from '../../../core/message/idempotency.ts';
import { idempotencyId } from '../../tables/message.ts';
import { claimPart } from './claim.ts';

/** Charges and stores a message (A1, M2, M6), or rejects it without any change. */
export function decideAccept(rows: Rows, command: Accept): Result<Accepted, Rejection> {
  const repeat = command.idempotency && decideRepeat(rows, command, command.idempotency);
  if (repeat) return repeat;
  const account = accountOf(rows, command.account);
  if (account.status !== 'active') return refused({ code: 'forbidden', detail: 'the account is suspended' });
  const optOut = optOutOf(rows, command);
  if (optOut) return refused({ code: 'receiver_opted_out', ofSender: optOut.sender || null });
  const charged = charge(account, account, { cost: command.totalCost, at: command.at });
  if (!charged.ok) return charged;
  const { balance, spent } = charged.value;
  const entry = growCharge(rows, account, command);
  account.balance = balance;
  account.spent = spent;
  touch(account);
  entry.balanceAfter = balance;
  const reference = command.numParts > 1 ? nextReference(rows, command) : command.reference;
  const message = newMessage(command, {
    reference,
    balanceAfter: balance,
    entry: entry.id,
    entryPlace: entry.messages - 1,
  });
  rows.messages.set(message.id, message);
  if (command.source === 'http' && command.submitter !== undefined) {
    countTokenUse(rows, { token: command.submitter, requests: 0, messages: 1, lastAt: command.at });
  }
  if (message.event === 'scheduled') rows.scheduled.push(message);
  rows.node.lastMessageId = Math.max(rows.node.lastMessageId, command.id);
  touch(rows.node);
  for (let number = 1; number <= command.numParts; number++) addPart(rows, message, { number, accept: command });
  if (command.idempotency) keepKey(rows, message, command.idempotency);
  const alert = raiseLowBalance(rows, account, command.at);
  return ok(alert ? { clientBalance: balance, reference, alert } : { clientBalance: balance, reference });
}

/**
 * Adds the message to its account's charge entry, which all messages of one commit share. After any other entry of the
 * account, a new charge entry begins.
 */
function growCharge(rows: Rows, account: AccountRow, command: Accept): EntryRow {
  const entry = rows.charges.get(account.id) ?? beginCharge(rows, account, command.at);
  entry.amount = toMicros(entry.amount - command.totalCost);
  entry.messages += 1;
  entry.parts += command.numParts;
  entry.firstMessage = entry.firstMessage === null || command.id < entry.firstMessage ? command.id : entry.firstMessage;
  entry.lastMessage = entry.lastMessage === null || command.id > entry.lastMessage ? command.id : entry.lastMessage;
  return entry;
}

type Charged = Pick<MessageRow, 'reference' | 'balanceAfter' | 'entry' | 'entryPlace'>;

function newMessage(command: Accept, charged: Charged): MessageRow {
  return {
    change: 'new',
    id: command.id,
    account: command.account,
    source: command.source,
    submitter: command.submitter ?? null,
    address: command.address ?? null,
    session: command.session ?? null,
    ...contentOf(command),
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
    claim: null,
    report: null,
    textEnd: null,
    loaded: [],
  };
  message.parts.push(part);
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
  const key = referenceKey(command.receiver, command.sender);
  const row = rows.references.get(key);
  if (!row) {
    const first = command.id % referenceCount;
    rows.references.set(key, {
      change: 'new',
      receiver: command.receiver,
      sender: command.sender,
      last: first,
      usedAt: command.at,
    });
    return first;
  }
  row.last = (row.last + 1) % referenceCount;
  row.usedAt = command.at;
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
  const known = rows.idempotencyKeys.get(idempotencyId(command.account, key));
  if (!known || known.createdAt <= command.at - idempotencyLifeMs) return undefined;
  if (!isSameRequest(known.hash, hash)) return refused({ code: 'idempotency_conflict' });
  return ok({ clientBalance: known.first.clientBalance, reference: null, first: known.first });
}

/** Stores an idempotency key in the commit of its message. */
function keepKey(rows: Rows, message: MessageRow, { key, hash }: IdempotencyKey): void {
  const { account, id, numParts, totalCost, balanceAfter, acceptedAt } = message;
  rows.idempotencyKeys.set(idempotencyId(account, key), {
    change: 'new',
    account,
    key,
    hash,
    createdAt: acceptedAt,
    first: { message: id, numParts, totalCost, clientBalance: balanceAfter },
  });
}
