/*
 * Decides whether an account may send a message, and by which route, price and carriers. There are two steps, because
 * the public contract checks the idempotency key between them. `parseDraft` makes the checks that depend only on the
 * draft. `authorize` makes the checks whose result may change over time. The balance is checked later, in the commit.
 */

import { hash } from 'node:crypto';
import { compose, type Dcs } from '@morsel/gsm';
import type { Account } from '../account/account.ts';
import { isForNobody } from '../routing/carrier-cost.ts';
import { parseReceiver, parseSender, type Receiver, type Sender } from '../number/address.ts';
import type { MessageContent, WantedReceipts } from './content.ts';
import { readCallback, refusalOfCallback, type GivenCallback, type MessageCallback } from './callback.ts';
import { isIdempotencyKey } from './idempotency.ts';
import { composeClientEncoded, userDataOf, type Composition, type ClientEncodedPart } from './client-encoded-part.ts';
import { closedTo, tagText, type Extra } from '../routing/extras.ts';
import {
  echoNames,
  priorities,
  readEcho,
  validitySeconds,
  type Echo,
  type GivenEcho,
  type Priority,
} from '@morsel/api/values/message.ts';
import { parsePriority } from './priority.ts';
import { invalid, type Rejection } from '../base/rejection.ts';
import { parseSendAt, dueTime } from './schedule.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { findWay, type Way } from '../routing/way.ts';
import type { Snapshot } from '../snapshot.ts';
import { secondMs, type Instant } from '@morsel/api/values/time.ts';

export interface Draft extends GivenEcho {
  readonly sender: string;
  readonly receiver: string;
  readonly text: string;
  readonly dcs: string;
  /** Seconds. */
  readonly validity?: number | undefined;
  readonly priority?: string | undefined;
  /** The time when the message becomes due, as text for `core/message/schedule.ts`. */
  readonly sendAt?: string | undefined;
  /** Whether the phone shows the message at once and does not store it (class 0, 3GPP TS 23.038, section 4). */
  readonly flash?: boolean | undefined;
  /** A repeated request with the same key gets the same answer. */
  readonly idempotencyKey?: string | undefined;
  /** A part that the client cut or encoded itself. `text` is then the text of its octets, or empty for binary. */
  readonly clientEncoded?: ClientEncodedPart | undefined;
  /** The receipts that the client's sessions get; by default none. */
  readonly wantedReceipts?: WantedReceipts | undefined;
  /** Only a carrier that passes on all of them gets the message. */
  readonly extras?: readonly Extra[] | undefined;
  /** False: the text is deleted as soon as no carrier needs it any more. The account may want that for all messages. */
  readonly storeText?: boolean | undefined;
  /** Gets the receipts of the message in place of the account's webhooks and sessions. */
  readonly callback?: GivenCallback | undefined;
}

/** A draft after parsing, normalising and cutting into parts. The result is the same at any time. */
export interface ParsedDraft extends MessageContent {
  readonly sender: Sender;
  readonly receiver: Receiver;
  readonly composed: Composition;
  readonly validityMs: number;
  readonly priority: Priority;
  /** The time at which the client wants the message sent; null for as soon as possible. */
  readonly sendAt: Instant | null;
  readonly callback?: MessageCallback | undefined;
}

/** Parses and checks a draft in the order of the public contract: fields, encoding and length, sender, receiver. */
export function parseDraft(draft: Draft, account: Account, now: Instant): Result<ParsedDraft, Rejection> {
  const fields = readFields(draft, now);
  if (!fields.ok) return fields;
  const { dcs, echo, validityMs, priority, sendAt, callback } = fields.value;
  const composed = draft.clientEncoded
    ? composeClientEncoded(draft.clientEncoded)
    : composeText(draft, dcs, account.partsMax);
  if (!composed.ok) return composed;
  const sender = parseSender(draft.sender);
  if (!sender.ok) return sender;
  const receiver = parseReceiver(draft.receiver);
  if (!receiver.ok) return receiver;
  const { encoding, numParts } = composed.value;
  return ok({
    sender: sender.value,
    receiver: receiver.value,
    dcs: draft.clientEncoded ? ownDcs[draft.clientEncoded.encoding] : dcs,
    encoding,
    text: encoding === 'binary' ? null : draft.text,
    ...userDataOf(composed.value),
    numParts,
    flash: draft.flash ?? false,
    ...echo,
    wantedReceipts: draft.wantedReceipts ?? 'none',
    extras: draft.extras ?? null,
    storeText: draft.storeText !== false && account.storeText === 'yes',
    composed: composed.value,
    validityMs,
    priority,
    sendAt,
    callback,
  });
}

/** Checks the account's rules. `flow/account/limits.ts` implements it, because it remembers earlier refusals. */
export interface Judge {
  /** Undefined if no rule is known to refuse the message. The commit checks limits that count earlier messages. */
  judge(account: Account, message: ParsedDraft): Rejection | undefined;
}

/**
 * Whether the account may send this message now, and by which route, price and carriers. Checks, in this order: number
 * of parts, callback, rules of the account, route, price, extras. `flow/message/opted-out.ts` and the commit check
 * opt-outs.
 */
export function authorize(
  parsed: ParsedDraft,
  now: { readonly account: Account; readonly snapshot: Snapshot; readonly at: Instant; readonly limits: Judge },
): Result<Way, Rejection> {
  const { sender, receiver, numParts, encoding } = parsed;
  const maxParts = now.account.partsMax;
  if (numParts > maxParts) return refused({ code: 'text_too_long', numParts, maxParts });
  const { callback } = parsed;
  const uncalled = callback && refusalOfCallback(callback, now.snapshot.callbacks.get(now.account.id));
  if (uncalled) return uncalled;
  // Most accounts have no rules and skip these checks.
  const broken = now.account.rules === null ? undefined : now.limits.judge(now.account, parsed);
  if (broken) return refused(broken);
  const way = findWay({ receiver, sender, account: now.account.id, encoding }, numParts, now);
  // A client must not learn about costs. If every carrier is too expensive, the client gets the same refusal as without
  // a route.
  const isForNone = way.ok && isForNobody(way.value.route, way.value.eligible);
  if (isForNone) return refused({ code: 'no_route', receiver, isBelowMargin: true });
  return way.ok && parsed.extras ? passing(way.value, parsed.extras, now.snapshot) : way;
}

/** Removes the carriers that do not pass on all extras of a message. */
function passing(way: Way, extras: readonly Extra[], snapshot: Snapshot): Result<Way, Rejection> {
  const { route, eligible } = way;
  const barred = [...new Set([...eligible.barred, ...closedTo(route.carriers, snapshot.carriers, extras)])];
  if (barred.length === eligible.barred.length) return ok(way);
  if (!isForNobody(route, { ...eligible, barred })) return ok({ ...way, eligible: { ...eligible, barred } });
  const tags = extras.map(({ tag }) => tagText(tag)).join(', ');
  const detail = `no carrier for this receiver accepts ${tags}: send the message without ${extras.length === 1 ? 'it' : 'them'}`;
  return refused({ code: 'invalid_option', fault: 'not_allowed', detail });
}

const ownDcs = { gsm7: 'GSM', ucs2: 'UCS', binary: 'BIN' } as const;

type Read = Pick<ParsedDraft, 'validityMs' | 'priority' | 'sendAt' | 'callback'> & {
  readonly dcs: Dcs;
  readonly echo: Echo;
};

function readFields(draft: Draft, now: Instant): Result<Read, Rejection> {
  const { idempotencyKey } = draft;
  if (idempotencyKey !== undefined && !isIdempotencyKey(idempotencyKey)) {
    return invalid('idempotencyKey', 'an idempotency key must have 1 to 255 printable ASCII characters');
  }
  const sendAt = readSendAt(draft, now);
  if (!sendAt.ok) return sendAt;
  // A client-encoded part has its own encoding, so `dcs` is ignored.
  const dcs = draft.clientEncoded ? 'SMS' : readDcs(draft.dcs);
  if (!dcs) return invalid('dcs', 'dcs must be one of GSM, UCS and SMS');
  const echo = readEcho(draft);
  if (!echo.ok) return refused({ code: 'invalid_parameter', ...echo.error });
  const validityMs = readValidity(draft.validity);
  if (validityMs === undefined) {
    const { min, max } = validitySeconds;
    return invalid('validity', `validity must be a whole number of seconds from ${min} to ${max}`);
  }
  const priority = parsePriority(draft.priority ?? 'normal');
  if (priority === undefined) return invalid('priority', `priority must be one of ${priorities.join(' and ')}`);
  const callback = draft.callback && readCallback(draft.callback);
  if (callback?.ok === false) return callback;
  return ok({ dcs, echo: echo.value, validityMs, priority, sendAt: sendAt.value, callback: callback?.value });
}

const noTime = ok(null);

/** With an idempotency key, the send time may have passed: the request may repeat an earlier one. */
function readSendAt({ sendAt, idempotencyKey }: Draft, now: Instant): Result<Instant | null, Rejection> {
  if (sendAt === undefined) return noTime;
  const asked = parseSendAt(sendAt);
  if (!asked.ok || idempotencyKey !== undefined) return asked;
  const dueAt = dueTime(asked.value, now);
  return dueAt.ok ? asked : dueAt;
}

function readDcs(input: string): Dcs | undefined {
  // Compares in lower case, because in upper case U+017F (the long s) would count as S.
  switch (input.toLowerCase()) {
    case 'gsm':
      return 'GSM';
    case 'ucs':
      return 'UCS';
    case 'sms':
      return 'SMS';
    default:
      return undefined;
  }
}

function readValidity(seconds: number = validitySeconds.standard): number | undefined {
  return Number.isInteger(seconds) && seconds >= validitySeconds.min && seconds <= validitySeconds.max
    ? seconds * secondMs
    : undefined;
}

/**
 * Cuts the text into parts once, so that the same parts are charged and sent (A5). A request with an idempotency key
 * may repeat an earlier request, made when the account allowed more parts. So `authorize` checks the number of its
 * parts.
 */
function composeText({ text, idempotencyKey }: Draft, dcs: Dcs, maxParts: number): Result<Composition, Rejection> {
  // A text of blanks is refused, because nobody wants to pay for it.
  if (text.trim() === '') return refused({ code: 'missing_parameter', field: 'text' });
  const composed = compose(text, dcs, idempotencyKey === undefined ? { maxParts } : {});
  if (composed.ok) return ok(composed);
  switch (composed.reason) {
    case 'empty':
      return refused({ code: 'missing_parameter', field: 'text' });
    case 'parts':
      return refused({ code: 'text_too_long', numParts: composed.numParts, maxParts });
    case 'nul':
    case 'surrogate':
    case 'character':
      return refused({
        code: 'text_not_encodable',
        detail: unencodable[composed.reason],
        character: composed.character.toWellFormed(),
        position: composed.position,
      });
  }
}

const unencodable = {
  nul: 'the text contains the character U+0000, which phones cannot show: remove it',
  surrogate: 'the text contains only half of a surrogate pair: send both halves, or remove this half',
  character: 'the text contains a character outside the GSM alphabet: remove it, or send with dcs UCS or SMS',
};

/**
 * SHA-256 of a request. Requests that are equal after normalising have the same hash, even with different tokens. JSON
 * quotes every text, so two different requests never have the same JSON. A later version that adds a field must leave
 * it undefined at its default: then the JSON, and the hash, of earlier requests stays the same.
 */
export function hashRequest(parsed: ParsedDraft): Uint8Array {
  const { sender, receiver, text, dcs, validityMs, priority, flash, sendAt, callback } = parsed;
  const echo = echoNames.flatMap((name) => (parsed[name] === null ? [] : [[name, parsed[name]]]));
  const request = { sender, receiver, text, dcs, echo, validityMs, priority, flash, sendAt, callback };
  return hash('sha256', JSON.stringify(request), 'buffer');
}
