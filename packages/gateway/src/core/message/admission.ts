import { hash } from 'node:crypto';
import { compose } from '@morsel/gsm';
import type { Dcs } from '@morsel/gsm';
import type { Account } from '../account/account.ts';
import { isForNobody, eligibleByCost } from '../routing/carrier-cost.ts';
import { allEligible } from '../routing/eligible.ts';
import type { Eligible } from '../routing/eligible.ts';
import { parseReceiver, parseSender } from '../number/address.ts';
import type { Receiver, Sender } from '../number/address.ts';
import { isIdempotencyKey } from './idempotency.ts';
import { composeClientEncoded } from './client-encoded-part.ts';
import type { Composition, ClientEncodedPart } from './client-encoded-part.ts';
import { closedTo, tagText } from '../routing/passed-tlvs.ts';
import type { PassedTlv } from '../routing/passed-tlvs.ts';
import { parsePriority, priorities } from './priority.ts';
import type { Priority } from './priority.ts';
import { rate } from '../money/rating.ts';
import type { Rated } from '../money/rating.ts';
import type { Rejection } from '../base/rejection.ts';
import { parseSendAt, dueTime } from './schedule.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { chooseRoute } from '../routing/route.ts';
import type { Route, RouteQuestion } from '../routing/route.ts';
import type { Snapshot } from './snapshot.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/** A message as its sender wrote it, whichever API it came by. */
export interface Draft {
  readonly sender: string;
  readonly receiver: string;
  readonly text: string;
  readonly dcs: string;
  readonly clientRef?: string | undefined;
  /** Seconds. */
  readonly validity?: number | undefined;
  readonly priority?: string | undefined;
  /** When it becomes due; `core/message/schedule.ts` reads it. */
  readonly sendAt?: string | undefined;
  /** Shown at once and not kept: a message of class 0 (3GPP TS 23.038, section 4). */
  readonly flash?: boolean | undefined;
  /** The request that comes with it again is the same one, and gets the same answer (decisions, section 4). */
  readonly idempotencyKey?: string | undefined;
  /** The octets themselves, from a client that cut or encoded them: `text` is what they say, and nothing for binary. */
  readonly clientEncoded?: ClientEncodedPart | undefined;
  /** Which receipts its sender wants over SMPP (SMPP 5.0, 4.7.21): 0 or nothing for none. */
  readonly registered?: number | undefined;
  /** A vendor's optional parameters, over SMPP: only a carrier that takes all of them gets the message. */
  readonly tlvs?: readonly PassedTlv[] | undefined;
}

/** What a draft asks for, read, normalised and cut into its parts: the same whenever it comes. */
export interface ParsedDraft {
  readonly sender: Sender;
  readonly receiver: Receiver;
  readonly dcs: Dcs | 'BIN';
  readonly text: string;
  readonly composed: Composition;
  readonly clientRef: string | null;
  readonly validityMs: number;
  readonly priority: Priority;
  readonly flash: boolean;
  /** The time that was asked for; null for none. */
  readonly sendAt: Instant | null;
  /** As its draft has it. */
  readonly registered: number;
  readonly tlvs?: readonly PassedTlv[];
}

/** How a message goes and what it costs: with what was parsed, everything that its commit needs but the balance. */
export interface Way {
  readonly route: Route;
  readonly rated: Rated;
  /** Where its parts wait, if they do: who may have them. */
  readonly eligible: Eligible;
}

const clientRefMax = 64;
const controlPattern = /\p{Cc}/u;
/** Seconds. */
export const validityMin = 60;
/** Seconds. */
export const validityMax = 259_200;
const validityDefault = 172_800;

/*
 * Admission is two steps, so that the idempotency key stands between them where the contract has it (decisions, section
 * 2): `parseDraft` asks what depends on the draft alone, `authorize` what may be another answer tomorrow. The balance comes
 * with the commit.
 */

/** What a draft asks for. The checks, in the order of the contract: fields, encoding and length, sender, receiver. */
export function parseDraft(draft: Draft, account: Account, now: Instant): Result<ParsedDraft, Rejection> {
  const fields = readFields(draft, now);
  if (!fields.ok) return fields;
  const { dcs, clientRef, validityMs, priority, sendAt } = fields.value;
  const composed = draft.clientEncoded
    ? composeClientEncoded(draft.clientEncoded)
    : composeText(draft, dcs, account.partsMax);
  if (!composed.ok) return composed;
  const sender = parseSender(draft.sender);
  if (!sender.ok) return sender;
  const receiver = parseReceiver(draft.receiver);
  if (!receiver.ok) return receiver;
  return ok({
    sender: sender.value,
    receiver: receiver.value,
    dcs: draft.clientEncoded ? ownDcs[draft.clientEncoded.encoding] : dcs,
    text: draft.text,
    composed: composed.value,
    clientRef,
    validityMs,
    priority,
    flash: draft.flash ?? false,
    sendAt,
    registered: draft.registered ?? 0,
    ...(draft.tlvs && { tlvs: draft.tlvs }),
  });
}

/** Holds a message against the rules of its account; `flow/account/limits.ts` knows what was sent before. */
export interface Judge {
  /** Why it may not be sent now, or undefined. */
  judge(account: Account, message: ParsedDraft): Rejection | undefined;
}

/**
 * Whether the account may send this now, and how. The checks, in the order of the contract: rules, opt-out, route, price; and
 * before them the length of what came with a key.
 */
export function authorize(
  parsed: ParsedDraft,
  now: { readonly account: Account; readonly snapshot: Snapshot; readonly at: Instant; readonly limits: Judge },
): Result<Way, Rejection> {
  const { sender, receiver, composed } = parsed;
  const { numParts, encoding } = composed;
  const maxParts = now.account.partsMax;
  if (numParts > maxParts) return refused({ code: 'text_too_long', numParts, maxParts });
  // All that a message of an account without rules pays for them.
  const broken = now.account.rules === null ? undefined : now.limits.judge(now.account, parsed);
  if (broken) return refused(broken);
  const way = findWay({ receiver, sender, account: now.account.id, encoding }, numParts, now);
  // What carriers take is nobody's business but the operator's: for the client there is no route.
  const isForNone = way.ok && isForNobody(way.value.route, way.value.eligible);
  if (isForNone) return refused({ code: 'no_route', receiver, isBelowMargin: true });
  return way.ok && parsed.tlvs ? passing(way.value, parsed.tlvs, now.snapshot) : way;
}

/** The way of a message with a vendor's parameters: only carriers that take all of them may have it. */
function passing(way: Way, tlvs: readonly PassedTlv[], snapshot: Snapshot): Result<Way, Rejection> {
  const { route, eligible } = way;
  const barred = [...new Set([...eligible.barred, ...closedTo(route.carriers, snapshot.carriers, tlvs)])];
  if (barred.length === eligible.barred.length) return ok(way);
  if (!isForNobody(route, { ...eligible, barred })) return ok({ ...way, eligible: { ...eligible, barred } });
  const tags = tlvs.map(({ tag }) => tagText(tag)).join(', ');
  const detail = `no carrier for this receiver takes ${tags}: leave ${tlvs.length === 1 ? 'it' : 'them'} out`;
  return refused({ code: 'invalid_tlv', fault: 'not_allowed', detail });
}

/**
 * The route and the price of a message that is accepted at `at`, and who of the route may have it: what admission goes by,
 * and `route explain` with it.
 */
export function findWay(
  message: RouteQuestion,
  numParts: number,
  { account, snapshot, at }: { readonly account: Account; readonly snapshot: Snapshot; readonly at: Instant },
): Result<Way, Rejection> {
  const route = chooseRoute(snapshot, message);
  if (!route) return refused({ code: 'no_route', receiver: message.receiver });
  const rated = rate(snapshot.priceLists.get(account.priceList), message.receiver, { numParts, at });
  if (!rated) return refused({ code: 'no_price', receiver: message.receiver });
  const { receiver } = message;
  const eligible = snapshot.hasCosts
    ? eligibleByCost(route, snapshot, { account, receiver, unitPrice: rated.unitPrice, at })
    : allEligible;
  return ok({ route, rated, eligible });
}

const ownDcs = { gsm7: 'GSM', ucs2: 'UCS', binary: 'BIN' } as const;

type Read = Pick<ParsedDraft, 'clientRef' | 'validityMs' | 'priority' | 'sendAt'> & { readonly dcs: Dcs };

function readFields(draft: Draft, now: Instant): Result<Read, Rejection> {
  const { idempotencyKey } = draft;
  if (idempotencyKey !== undefined && !isIdempotencyKey(idempotencyKey)) {
    const detail = 'an idempotency key has 1 to 255 printable ASCII characters';
    return refused({ code: 'invalid_parameter', field: 'idempotencyKey', detail });
  }
  const sendAt = readSendAt(draft, now);
  if (!sendAt.ok) return sendAt;
  // A client-encoded part says itself what it is.
  const dcs = draft.clientEncoded ? 'SMS' : readDcs(draft.dcs);
  if (!dcs) return refused({ code: 'invalid_parameter', field: 'dcs', detail: 'dcs is one of GSM, UCS and SMS' });
  const clientRef = draft.clientRef ?? null;
  if (clientRef !== null && !isClientRef(clientRef)) {
    return refused({
      code: 'invalid_parameter',
      field: 'clientRef',
      detail: `clientRef has at most ${clientRefMax} characters, none of them a control character or half a surrogate pair`,
    });
  }
  const validityMs = readValidity(draft.validity);
  if (validityMs === undefined) {
    return refused({
      code: 'invalid_parameter',
      field: 'validity',
      detail: `validity is a whole number of seconds from ${validityMin} to ${validityMax}`,
    });
  }
  const priority = parsePriority(draft.priority ?? 'normal');
  if (priority === undefined) {
    const detail = `priority is one of ${priorities.join(' and ')}`;
    return refused({ code: 'invalid_parameter', field: 'priority', detail });
  }
  return ok({ dcs, clientRef, validityMs, priority, sendAt: sendAt.value });
}

const noTime = ok(null);

/** With a key it may be the repeat of a request whose time has come since, so only its form is looked at here. */
function readSendAt({ sendAt, idempotencyKey }: Draft, now: Instant): Result<Instant | null, Rejection> {
  if (sendAt === undefined) return noTime;
  const asked = parseSendAt(sendAt);
  if (!asked.ok || idempotencyKey !== undefined) return asked;
  const dueAt = dueTime(asked.value, now);
  return dueAt.ok ? asked : dueAt;
}

/** Whether it can be given back as it came, in JSON and in lists that people read. */
function isClientRef(input: string): boolean {
  return input.isWellFormed() && !controlPattern.test(input) && Array.from(input).length <= clientRefMax;
}

function readDcs(input: string): Dcs | undefined {
  // Not in upper case: that of U+017F, the long s, is S. No other character has one of these letters as its lower case.
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

function readValidity(seconds: number = validityDefault): number | undefined {
  return Number.isInteger(seconds) && seconds >= validityMin && seconds <= validityMax ? seconds * secondMs : undefined;
}

/**
 * Cuts the text once and for all: what is charged is what is sent (A5). With a key it may be the repeat of a message from when
 * the account might have longer ones, so `authorize` asks for its length.
 */
function composeText({ text, idempotencyKey }: Draft, dcs: Dcs, maxParts: number): Result<Composition, Rejection> {
  // Blanks are no text that anybody means to pay for.
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
  nul: 'the text has the character U+0000, which no phone shows: take it out',
  surrogate: 'the text has half of a surrogate pair, which is no character: send both halves or none',
  character: 'the text has a character outside the GSM alphabet: take it out, or send with dcs UCS or SMS',
};

/**
 * SHA-256 of what a request asks for: equal for requests that are equal after normalising, whatever token they came with.
 * JSON quotes every text, so no two requests are written alike. A field that a later version adds has to be undefined
 * where it has its default, which leaves it out: requests from before the update still have their hashes then.
 */
export function hashRequest(parsed: ParsedDraft): Uint8Array {
  const { sender, receiver, text, dcs, clientRef, validityMs, priority, flash, sendAt } = parsed;
  const request = { sender, receiver, text, dcs, clientRef, validityMs, priority, flash, sendAt };
  return hash('sha256', JSON.stringify(request), 'buffer');
}
