/* Decisions about opt-outs: STOP and START in inbound messages, and whether a receiver has opted out. */

import type { InboundRoute, NumberKeywords } from '../../../core/number/inbound-route.ts';
import { saysOnly } from '../../../core/number/keyword-wish.ts';
import { coversSender, everySender, readWish, usualHandling, type Wished } from '../../../core/number/opt-out.ts';
import { erasedNumber } from '../../../core/privacy/erased.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Looks, Reads } from '../../rows/reads.ts';
import { accountById, type AccountRow } from '../../tables/account.ts';
import { numberByDigits, type OpenInbound } from '../../tables/inbound.ts';
import {
  anyErased,
  anyList,
  erasedOfAccount,
  lastChanges,
  listOfAccount,
  optOutEventTable,
  optOutsOf,
  optOutsOfPhone,
  optOutTable,
  type OptOutCause,
  type OptOutRow,
} from '../../tables/opt-out.ts';
import { numberKeyById, numberKeyId } from '../../tables/privacy/removal.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import type { MessageRow } from '../../tables/message.ts';
import { handlingOf, type Routed } from './inbound-route.ts';
import { accountOf, addNote, withdrawPart } from '../message/part.ts';

/** The error code in `/sms/dlr` of a message that was canceled because its receiver has opted out. */
const optedOutCode = 'receiver_opted_out';

interface Between {
  readonly account: number;
  readonly sender: string;
  readonly receiver: string;
}

/** Reads the opt-outs of a message's receiver. For an account without a list, nothing is read. */
export function readOptOuts(read: Looks, { account, receiver }: Omit<Between, 'sender'>): void {
  if (read.values(listOfAccount, account).length === 0) return;
  read.all(optOutsOf, account, receiver);
  if (read.values(erasedOfAccount, account).length === 0) return;
  const key = read.one(numberKeyById, numberKeyId);
  if (key) read.all(optOutsOf, account, erasedNumber(key.key, receiver));
}

/** Reads the opt-outs of the sender of an inbound message, in the lists of all accounts. */
export function readOptOutsOfPhone(read: Looks, phone: string): void {
  if (read.values(anyList).length === 0) return;
  read.all(optOutsOfPhone, phone);
  if (read.values(anyErased).length === 0) return;
  const key = read.one(numberKeyById, numberKeyId);
  if (key) read.all(optOutsOfPhone, erasedNumber(key.key, phone));
}

/** Finds the opt-out that forbids this message. */
export function optOutOf(rows: Rows, message: Between): OptOutRow | undefined {
  return listed(rows, message).find((row) => coversSender(row.sender, message.sender));
}

/** The entries of a receiver, loaded or made by the group. Without a stored list, only the latter exist. */
export function listed(rows: Rows, { account, receiver }: Omit<Between, 'sender'>): readonly OptOutRow[] {
  const all = rows.of(optOutTable);
  if (all.length === 0) return all;
  const [key] = rows.loaded(numberKeyById, numberKeyId);
  const code = key && erasedNumber(key.key, receiver);
  // An import of a list asks for thousands of receivers, so the cheapest comparison comes first.
  return all.filter(
    (row) => (row.receiver === receiver || row.receiver === code) && row.account === account && row.change !== 'gone',
  );
}

/**
 * Cancels a waiting message if its receiver has opted out since the message was accepted. Returns whether it did. If a
 * carrier already has a part, the other parts are sent, too.
 */
export function withdrawOptedOut(rows: Rows, message: MessageRow, at: Instant): boolean {
  if (!optOutOf(rows, message) || !message.parts.every((part) => part.state === 'queued')) return false;
  message.errorCode = optedOutCode;
  touch(message);
  for (const part of message.parts) withdrawPart(rows, part, at);
  const detail = `the receiver opted out: ${message.numParts} of ${message.numParts} parts were canceled`;
  addNote(rows, { message: message.id, number: null }, { at, kind: 'canceled', detail });
  return true;
}

interface RoutedInbound {
  readonly routed: Routed;
  readonly at: Instant;
}

/**
 * Applies a STOP or START in the commit that stores the inbound message. On a number with keywords, `STOP WORD`
 * concerns only the account of the keyword WORD. A STOP without a keyword concerns all accounts of the number, because
 * a person cannot know which account sent the messages.
 */
export function applyWishes(rows: Rows, inbound: OpenInbound, { routed, at }: RoutedInbound): void {
  for (const { account, wished } of wishesOf(rows, inbound, routed)) applyWish(rows, inbound, { account, wished, at });
}

/** Whether the inbound message is a STOP that would opt out its sender. */
export function wouldStop(rows: Rows, inbound: OpenInbound, routed: Routed): boolean {
  return wishesOf(rows, inbound, routed).some(({ account, wished }) => {
    const between = { account, sender: senderFor(rows, account, inbound.receiver), receiver: inbound.sender };
    return wished.wish === 'stop' && !optOutOf(rows, between);
  });
}

/** Reads the accounts that a STOP or START concerns. A change of an account's list also writes the account's row. */
export function readWishes(read: Reads, inbound: OpenInbound, routed: Routed): void {
  for (const { account } of wishesOf(read.rows, inbound, routed)) read.one(accountById, account);
}

interface AccountWish {
  readonly account: number;
  readonly wished: Wished;
}

function wishesOf(rows: Rows, inbound: OpenInbound, routed: Routed): readonly AccountWish[] {
  if (!canWish(inbound)) return [];
  const { keywords, fallback, keywordWish, route } = routed;
  if (keywordWish) return handlingOf(rows, keywordWish.account).isOn ? [keywordWish] : [];
  const accounts = keywords ? addressed(rows, inbound.text, { keywords, fallback, route }) : [fallback];
  return accounts.flatMap((account) => {
    const wished = account === null ? undefined : wishedOf(rows, account, inbound.text);
    return account !== null && wished ? [{ account, wished }] : [];
  });
}

/**
 * Applies the STOP of a replayed message to its new account, unless the sender's opt-outs have changed since. An old
 * START is ignored, because the sender may have opted out later.
 */
export function applyStop(rows: Rows, inbound: OpenInbound, { routed, at }: RoutedInbound): void {
  const { account } = inbound;
  if (account === null || !canWish(inbound)) return;
  const { keywordWish } = routed;
  const ofKeyword = keywordWish?.account === account && handlingOf(rows, account).isOn ? keywordWish.wished : undefined;
  const wished = keywordWish ? ofKeyword : wishedOf(rows, account, inbound.text);
  if (wished?.wish !== 'stop' || hasChangedSince(rows, inbound, account)) return;
  applyWish(rows, inbound, { account, wished, at });
}

function hasChangedSince(rows: Rows, { sender, receivedAt }: OpenInbound, account: number): boolean {
  const ofGroup = rows.of(optOutEventTable).filter(({ receiver }) => receiver === sender);
  return [...rows.values(lastChanges, sender), ...ofGroup].some(
    (change) => change.account === account && change.at > receivedAt,
  );
}

/** Whether the message can be a STOP or START: it must have a text, and its sender must be an international number. */
function canWish(inbound: OpenInbound): inbound is OpenInbound & { readonly text: string } {
  return inbound.text !== null && inbound.sender.startsWith('+');
}

interface OnNumber {
  readonly keywords: NumberKeywords;
  readonly fallback: number | null;
  readonly route: InboundRoute;
}

/**
 * The accounts of a number that an opt-out word concerns. A usual word such as STOP concerns all accounts. Any other
 * word concerns only accounts that set it as an opt-out word. If the text is just the keyword of another account, it
 * concerns only that account.
 */
function addressed(rows: Rows, text: string, { keywords, fallback, route }: OnNumber): readonly number[] {
  const all = new Set(keywords.accounts);
  if (fallback !== null) all.add(fallback);
  if (readWish(text, usualHandling.words)) return [...all];
  const changed = [...all].filter((account) => handlingOf(rows, account) !== usualHandling);
  return changed.filter((account) => account === route.account || !saysOnly(text, route.keyword));
}

function wishedOf(rows: Rows, account: number, text: string): Wished | undefined {
  const { isOn, words } = handlingOf(rows, account);
  return isOn ? readWish(text, words) : undefined;
}

function applyWish(
  rows: Rows,
  { id, sender: receiver, receiver: number }: OpenInbound,
  { account, wished, at }: { readonly account: number; readonly wished: Wished; readonly at: Instant },
): void {
  const sender = senderFor(rows, account, number);
  const cause = { at, inbound: id, word: wished.word, actor: null, reason: null };
  if (wished.wish === 'stop') addOptOut(rows, { account, receiver, sender }, cause);
  else removeOptOuts(rows, { account, receiver, sender: sender === everySender ? null : sender }, cause);
}

/** The sender that a person opts out of with a STOP to this number. */
function senderFor(rows: Rows, account: number, number: string): string {
  return handlingOf(rows, account).scope === 'account' ? everySender : senderOf(rows, number);
}

/** The number that a STOP was sent to, in the form that outbound messages have as their sender. */
function senderOf(rows: Rows, number: string): string {
  const digits = number.replace(/^\+/, '');
  return rows.one(numberByDigits, digits, 'number')?.number ?? `+${digits}`;
}

type Place = Pick<OptOutRow, 'account' | 'receiver' | 'sender'>;

/**
 * A change of a list also writes the row of its account, and so does every message. A node that accepted a message with
 * the old list finds the changed row at its commit, and decides again.
 */
export function countOptOutChange(account: AccountRow): void {
  account.optOutChanges += 1;
  touch(account);
}

/** Adds an entry, and returns whether it is new. An existing entry stays unchanged. */
export function addOptOut(rows: Rows, place: Place, cause: OptOutCause): boolean {
  if (listed(rows, place).some((row) => isSame(row.sender, place.sender))) return false;
  countOptOutChange(accountOf(rows, place.account));
  const event = rows.add(optOutEventTable, { ...place, ...cause, id: rows.nextId(optOutEventTable), wish: 'out' });
  rows.add(optOutTable, { ...place, since: cause.at, event: event.id });
  return true;
}

/** Removes the entry for one sender, or all entries of the number. Returns how many entries were removed. */
export function removeOptOuts(
  rows: Rows,
  place: Omit<Place, 'sender'> & { readonly sender: string | null },
  cause: OptOutCause,
): number {
  const { account, receiver, sender } = place;
  const gone = listed(rows, place).filter((row) => sender === null || isSame(row.sender, sender));
  if (gone.length > 0) countOptOutChange(accountOf(rows, account));
  for (const row of gone) {
    const id = rows.nextId(optOutEventTable);
    rows.add(optOutEventTable, { account, receiver, sender: row.sender, ...cause, id, wish: 'in' });
    row.change = 'gone';
  }
  return gone.length;
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
