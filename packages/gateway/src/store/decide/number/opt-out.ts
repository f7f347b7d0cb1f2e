/*
 * Decides about opt-outs: STOP and START in inbound messages, changes by the operator, and whether a receiver has opted
 * out.
 */

import type { InboundRoute, NumberKeywords } from '../../../core/number/inbound-route.ts';
import { saysOnly } from '../../../core/number/keyword-wish.ts';
import { coversSender, everySender, accountWordsMax, readWish, usualHandling } from '../../../core/number/opt-out.ts';
import type { OptOutHandling, Wished } from '../../../core/number/opt-out.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { numberKey } from '../../tables/inbound.ts';
import type { InboundRow } from '../../tables/inbound.ts';
import type {
  AddOptOuts,
  OptOutResults,
  RemoveOptOut,
  SetOptOutHandling,
  SetOptOutWord,
} from '../../commands/opt-out.ts';
import { receiverKey } from '../../tables/opt-out.ts';
import type { OptOutCause, OptOutRow } from '../../tables/opt-out.ts';
import { touch } from '../../tables/rows.ts';
import type { MessageRow } from '../../tables/message.ts';
import type { Rows } from '../../tables/rows.ts';
import type { Routed } from './inbound-route.ts';
import { keywordAgainst } from './opt-out-keyword.ts';
import { withdrawPart } from '../message/part.ts';

/** The error code in `/sms/dlr` of a message that was canceled because its receiver has opted out. */
const optedOutCode = 'receiver_opted_out';

interface Between {
  readonly account: number;
  readonly sender: string;
  readonly receiver: string;
}

/** Finds the opt-out that forbids this message. */
export function optOutOf({ optOuts }: Rows, message: Between): OptOutRow | undefined {
  if (optOuts.byReceiver.size === 0) return undefined;
  return optOuts.byReceiver.get(receiverKey(message))?.find((row) => coversSender(row.sender, message.sender));
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
  rows.notes.push({ message: message.id, at, part: null, kind: 'canceled', detail });
  return true;
}

interface RoutedInbound {
  readonly routed: Routed;
  readonly at: Instant;
}

/**
 * Applies a STOP or START in the commit that stores the inbound message. On a number with keywords, `STOP WORD`
 * concerns only the account of the keyword WORD. A STOP without a keyword concerns all accounts on the number, because
 * a person cannot know which account sent the messages.
 */
export function applyWishes(rows: Rows, inbound: InboundRow, { routed, at }: RoutedInbound): void {
  for (const { account, wished } of wishesOf(rows, inbound, routed)) applyWish(rows, inbound, { account, wished, at });
}

/** Whether the message is a STOP from a number that is not opted out yet. */
export function wouldStop(rows: Rows, inbound: InboundRow, routed: Routed): boolean {
  return wishesOf(rows, inbound, routed).some(({ account, wished }) => {
    const between = { account, sender: senderFor(rows, account, inbound.receiver), receiver: inbound.sender };
    return wished.wish === 'stop' && !optOutOf(rows, between);
  });
}

interface AccountWish {
  readonly account: number;
  readonly wished: Wished;
}

function wishesOf(rows: Rows, inbound: InboundRow, routed: Routed): readonly AccountWish[] {
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
 * Applies the STOP of a replayed message to its new account, unless the opt-outs of the person have changed since. An
 * old START is ignored, because the person may have opted out later.
 */
export function applyStop(rows: Rows, inbound: InboundRow, { routed, at }: RoutedInbound): void {
  const { account } = inbound;
  if (account === null || !canWish(inbound)) return;
  const { keywordWish } = routed;
  const ofKeyword = keywordWish?.account === account && handlingOf(rows, account).isOn ? keywordWish.wished : undefined;
  const wished = keywordWish ? ofKeyword : wishedOf(rows, account, inbound.text);
  if (wished?.wish !== 'stop' || hasChangedSince(rows, inbound, account)) return;
  applyWish(rows, inbound, { account, wished, at });
}

function hasChangedSince({ optOuts }: Rows, { sender: receiver, receivedAt }: InboundRow, account: number): boolean {
  const key = receiverKey({ account, receiver });
  const isLater = (at: Instant | undefined) => at !== undefined && at > receivedAt;
  return (
    isLater(optOuts.changedAt.get(key)) ||
    optOuts.steps.some(({ event }) => receiverKey(event) === key && isLater(event.at))
  );
}

/** Whether the message can be a STOP or START: it must have a text, and its sender must be an international number. */
function canWish(inbound: InboundRow): inbound is InboundRow & { readonly text: string } {
  return inbound.text !== null && inbound.sender.startsWith('+');
}

interface OnNumber {
  readonly keywords: NumberKeywords;
  readonly fallback: number | null;
  readonly route: InboundRoute;
}

/**
 * The accounts on a number that an opt-out word concerns. A usual word such as STOP concerns all accounts. Any other
 * word concerns only accounts that set it as an opt-out word. If the text is just the keyword of another account, it
 * concerns only that account.
 */
function addressed(rows: Rows, text: string, { keywords, fallback, route }: OnNumber): readonly number[] {
  const isOn = (account: number) => keywords.accounts.has(account) || account === fallback;
  if (!readWish(text, usualHandling.words)) {
    const on = [...rows.optOuts.handlings.keys()].filter(isOn);
    return on.filter((account) => account === route.account || !saysOnly(text, route.keyword));
  }
  const all = new Set(keywords.accounts);
  if (fallback !== null) all.add(fallback);
  return [...all];
}

function handlingOf({ optOuts }: Rows, account: number): OptOutHandling {
  return optOuts.handlings.get(account) ?? usualHandling;
}

function wishedOf(rows: Rows, account: number, text: string): Wished | undefined {
  const { isOn, words } = handlingOf(rows, account);
  return isOn ? readWish(text, words) : undefined;
}

function applyWish(
  rows: Rows,
  { id, sender: receiver, receiver: number }: InboundRow,
  { account, wished, at }: { readonly account: number; readonly wished: Wished; readonly at: Instant },
): void {
  const sender = senderFor(rows, account, number);
  const cause = { at, inbound: id, word: wished.word, actor: null, reason: null };
  if (wished.wish === 'stop') add(rows, { account, receiver, sender }, cause);
  else remove(rows, { account, receiver, sender: sender === everySender ? null : sender }, cause);
}

/** The sender that a STOP to this number opts out of. */
function senderFor(rows: Rows, account: number, number: string): string {
  return handlingOf(rows, account).scope === 'account' ? everySender : senderOf(rows, number);
}

/** Adds numbers to an account's opt-out list, with an event for each new entry. */
export function decideAddOptOuts(rows: Rows, command: AddOptOuts): Result<OptOutResults['add-opt-outs'], never> {
  const { account, at, actor } = command;
  let added = 0;
  for (const { receiver, sender, reason } of command.list) {
    if (add(rows, { account, receiver, sender }, { at, inbound: null, word: null, actor, reason })) added += 1;
  }
  return ok({ added });
}

/** Removes a number from an account's opt-out list, with an event for each removed entry. */
export function decideRemoveOptOut(
  rows: Rows,
  command: RemoveOptOut,
): Result<OptOutResults['remove-opt-out'], Rejection> {
  const { at, actor, reason, receiver, sender } = command;
  const removed = remove(rows, command, { at, inbound: null, word: null, actor, reason });
  if (removed > 0) return ok({ removed });
  const isListed = (rows.optOuts.byReceiver.get(receiverKey(command)) ?? []).length > 0;
  const detail =
    isListed && sender !== null
      ? `the opt-out list has no entry of ${receiver} for sender ${sender}: leave the sender out to remove all entries of this number`
      : `${receiver} is not on the opt-out list`;
  return refused({ code: 'does_not_exist', detail });
}

export function decideSetOptOutHandling(rows: Rows, command: SetOptOutHandling): Result<null, Rejection> {
  const { account, isOn, scope } = command;
  const before = rows.optOuts.handlings.get(account) ?? usualHandling;
  const after = { ...before, isOn: isOn ?? before.isOn, scope: scope ?? before.scope };
  const clash = before.isOn ? undefined : keywordAgainst(rows, { account, handling: after });
  if (clash !== undefined) return refused({ code: 'invalid_parameter', field: 'words', detail: clash });
  rows.optOuts.handlings.set(account, after);
  rows.optOuts.handlingsChanged.add(account);
  return ok(null);
}

export function decideSetOptOutWord(rows: Rows, { account, word, means }: SetOptOutWord): Result<null, Rejection> {
  const before = rows.optOuts.handlings.get(account) ?? usualHandling;
  const words = new Map(before.words);
  if (means === null) words.delete(word);
  else words.set(word, means);
  if (words.size > accountWordsMax) {
    const detail = `an account can have at most ${accountWordsMax} opt-out words of its own: reset one to its usual meaning first`;
    return refused({ code: 'invalid_parameter', field: 'word', detail });
  }
  const after = { ...before, words };
  const clash = keywordAgainst(rows, { account, handling: after, word });
  if (clash !== undefined) return refused({ code: 'invalid_parameter', field: 'word', detail: clash });
  rows.optOuts.handlings.set(account, after);
  rows.optOuts.handlingsChanged.add(account);
  return ok(null);
}

/** The number that a STOP was sent to, in the form in which messages have it as their sender. */
function senderOf(rows: Rows, number: string): string {
  const digits = number.replace(/^\+/, '');
  const owned = rows.inbound.numbers.get(numberKey({ kind: 'number', digits }));
  return owned ? owned.number : `+${digits}`;
}

type Place = Pick<OptOutRow, 'account' | 'receiver' | 'sender'>;

function add({ optOuts, counters }: Rows, place: Place, cause: OptOutCause): boolean {
  const key = receiverKey(place);
  const listed = optOuts.byReceiver.get(key) ?? [];
  if (listed.some((row) => isSame(row.sender, place.sender))) return false;
  const event = { ...place, ...cause, id: counters.optOutEvent++, wish: 'out' as const };
  const row = { ...place, since: cause.at, event: event.id };
  optOuts.byReceiver.set(key, [...listed, row]);
  optOuts.steps.push({ event, row });
  return true;
}

/** Removes the entry for one sender, or all entries of the number. Returns how many entries were removed. */
function remove(
  { optOuts, counters }: Rows,
  place: Omit<Place, 'sender'> & { readonly sender: string | null },
  cause: OptOutCause,
): number {
  const { account, receiver, sender } = place;
  const key = receiverKey(place);
  const listed = optOuts.byReceiver.get(key) ?? [];
  const [gone, left] = [true, false].map((isGone) =>
    listed.filter((row) => (sender === null || isSame(row.sender, sender)) === isGone),
  );
  for (const row of gone ?? []) {
    const event = { account, receiver, sender: row.sender, ...cause, id: counters.optOutEvent++, wish: 'in' as const };
    optOuts.steps.push({ event, row });
  }
  if (gone && left && gone.length > 0) optOuts.byReceiver.set(key, left);
  return gone?.length ?? 0;
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
