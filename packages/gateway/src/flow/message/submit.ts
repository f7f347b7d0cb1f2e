/* Checks, prices, charges and stores the messages that clients and operators submit. */

import type { Account } from '../../core/account/account.ts';
import { authorize, parseDraft, hashRequest, type Draft, type ParsedDraft } from '../../core/message/admission.ts';
import type { Way } from '../../core/routing/way.ts';
import type { IdempotencyKey } from '../../core/message/idempotency.ts';
import { eligibleText, allEligible, type Eligible } from '../../core/routing/eligible.ts';
import type { MessageId } from '../../core/base/message-id.ts';
import { contentOf } from '../../core/message/content.ts';
import type { Composition } from '../../core/message/client-encoded-part.ts';
import { priorityNumbers } from '../../core/message/priority.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import type { MessageSource } from '@morsel/api/client-apis.ts';
import { dueTime } from '../../core/message/schedule.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { CommandOf } from '../../state/commands.ts';
import type { Meters } from '../metrics/meters.ts';
import type { Traces } from '../metrics/traces.ts';
import type { Readiness } from '../readiness.ts';
import { optedOutBefore } from './opted-out.ts';
import type { Limits } from '../account/limits.ts';
import type { AcceptedMessage, DetailLog, Submitter, Tools } from '../ports.ts';
import type { Reservation, ReservedMessage } from '../routing/carrier-link.ts';
import { acceptedBefore, type Repeats } from './repeats.ts';

export interface SubmitNeeds extends Pick<Tools, 'log' | 'clock' | 'journal' | 'reader'> {
  readonly readiness: Pick<Readiness, 'check'>;
  readonly meters: Pick<Meters, 'refused'>;
  readonly traces: Pick<Traces, 'accept' | 'named' | 'commit'> | undefined;
  readonly snapshot: () => Snapshot;
  readonly priceClock: { now(): Instant };
  readonly nextId: () => MessageId;
  readonly limits: Pick<Limits, 'judge' | 'decided'>;
  readonly repeats: Pick<Repeats, 'once'>;
  /** Reserves room on a link, if no earlier message waits for the carrier. */
  readonly reserveOnRoute: (way: Way, priority: number, numParts: number) => Reservation | undefined;
  /** Notifies the carriers of a route that a message waits. */
  readonly notifyCarriers: (way: Way, priority: number, numParts: number) => void;
}

interface Terms {
  readonly account: Account;
  readonly snapshot: Snapshot;
  readonly source: MessageSource;
  readonly by: Submitter | undefined;
  readonly at: Instant;
  readonly idempotency?: IdempotencyKey;
}

/** A message, the way in which it came, and who gave it. */
export interface Submission {
  readonly draft: Draft;
  readonly source: MessageSource;
  readonly by?: Submitter | undefined;
}

/** An accepted message is on disk; a rejected message leaves nothing in the store (A2). */
export async function submit(
  needs: SubmitNeeds,
  account: Account,
  submission: Submission,
): Promise<Result<AcceptedMessage, Rejection>> {
  const { readiness, traces, meters } = needs;
  const ready = readiness.check();
  const begin = () => acceptOnce(needs, account, submission);
  const submitted = ready.ok ? await (traces ? traces.accept(begin) : begin()) : ready;
  if (!submitted.ok) meters.refused(account.id, submitted.error.code);
  return submitted;
}

function acceptOnce(
  needs: SubmitNeeds,
  account: Account,
  { draft, source, by }: Submission,
): Promise<Result<AcceptedMessage, Rejection>> {
  const at = needs.clock.now();
  const parsed = parseDraft(draft, account, at);
  if (!parsed.ok) return Promise.resolve(parsed);
  const { value } = parsed;
  if (draft.idempotencyKey === undefined) {
    return accept(needs, value, { account, snapshot: needs.snapshot(), source, by, at });
  }
  const idempotency = { key: draft.idempotencyKey, hash: hashRequest(value) };
  // This request may have waited for others with its key, so it uses the current snapshot.
  return needs.repeats.once(account, idempotency, () =>
    accept(needs, value, { account, snapshot: needs.snapshot(), source, by, at, idempotency }),
  );
}

async function accept(
  needs: SubmitNeeds,
  value: ParsedDraft,
  terms: Terms,
): Promise<Result<AcceptedMessage, Rejection>> {
  const { account, at } = terms;
  const dueAt = dueTime(value.sendAt, at);
  if (!dueAt.ok) return dueAt;
  const pricedAt = needs.priceClock.now();
  const way = authorize(value, { account, snapshot: terms.snapshot, limits: needs.limits, at: pricedAt });
  if (!way.ok) return refused(await optedOutBefore(needs, way.error, { account: account.id, ...value }));
  const { rated, eligible } = way.value;
  const { numParts } = value.composed;
  const priority = priorityNumbers[value.priority];
  const isScheduled = dueAt.value > at;
  const reservation = isScheduled ? undefined : needs.reserveOnRoute(way.value, priority, numParts);
  const waitsNow = !reservation && !isScheduled;
  const command = acceptCommand(value, way.value, {
    id: needs.traces ? needs.traces.named(needs.nextId()) : needs.nextId(),
    at,
    dueAt: dueAt.value,
    account: account.id,
    source: terms.source,
    by: terms.by,
    claim: reservation?.claim ?? null,
  });
  // Carriers are notified before the commit, so that one can claim the message in the same commit.
  if (waitsNow) needs.notifyCarriers(way.value, priority, numParts);
  const whole = withCallback(withEligible(withKey(command, terms.idempotency), eligible), value);
  const append = () => needs.journal.append<'accept'>(whole);
  const kept = await (needs.traces ? needs.traces.commit('accept', append) : append());
  if (account.rules !== null) needs.limits.decided(account, value, { at, result: kept });
  if (!kept.ok || kept.value.first) reservation?.free();
  if (!kept.ok) return kept;
  if (kept.value.first) return ok(acceptedBefore(kept.value.first, account));
  if (needs.log?.isLevelEnabled?.('debug')) describe(needs.log, command, terms);
  // Carriers are notified again, because a claim that ran before this commit did not see the message.
  if (waitsNow) needs.notifyCarriers(way.value, priority, numParts);
  reservation?.send(reservedMessage(command, value.composed, kept.value.reference));
  return ok({
    msgId: command.id,
    numParts,
    totalCost: rated.totalCost,
    clientBalance: kept.value.clientBalance,
    clientCurrency: account.currency,
  });
}

function reservedMessage(
  command: CommandOf<'accept'>,
  composed: Composition,
  reference: number | null,
): ReservedMessage {
  const { id, expiresAt, route, account, unitPrice } = command;
  return { ...contentOf(command), reference, composed, id, expiresAt, route, account, unitPrice };
}

function describe(log: DetailLog, command: CommandOf<'accept'>, { account, snapshot }: Terms): void {
  const { claim } = command;
  const fields = {
    message: String(command.id),
    account: account.name,
    source: command.source,
    parts: command.numParts,
    encoding: command.encoding,
    route: command.route,
    // Undefined if the message waits for its due time or for room on a link.
    carrier: claim ? snapshot.carriers.get(claim.carrier)?.name : undefined,
    link: claim?.link,
    scheduled: command.dueAt > command.at || undefined,
  };
  log.debug?.(fields, 'message accepted');
}

/** Most messages have no key, so most commands pass to the store's thread without this member. */
function withKey(command: CommandOf<'accept'>, idempotency: IdempotencyKey | undefined): CommandOf<'accept'> {
  return idempotency ? { ...command, idempotency } : command;
}

/** Leaves `eligible` out if the message may use any carrier of its route. */
function withEligible(command: CommandOf<'accept'>, eligible: Eligible): CommandOf<'accept'> {
  return eligible === allEligible ? command : { ...command, eligible: eligibleText(eligible) };
}

function withCallback(command: CommandOf<'accept'>, { callback }: ParsedDraft): CommandOf<'accept'> {
  return callback ? { ...command, callback } : command;
}

function acceptCommand(
  parsed: ParsedDraft,
  { route, rated }: Way,
  rest: Pick<CommandOf<'accept'>, 'id' | 'at' | 'dueAt' | 'account' | 'source' | 'claim'> & Pick<Terms, 'by'>,
): CommandOf<'accept'> {
  return {
    kind: 'accept',
    at: rest.at,
    id: rest.id,
    account: rest.account,
    source: rest.source,
    submitter: rest.by?.name,
    address: rest.by?.address,
    session: rest.by?.session,
    ...contentOf(parsed),
    priority: priorityNumbers[parsed.priority],
    route: route.id,
    dueAt: rest.dueAt,
    expiresAt: rest.dueAt + parsed.validityMs,
    priceList: rated.priceList,
    priceVersion: rated.priceVersion,
    unitPrice: rated.unitPrice,
    totalCost: rated.totalCost,
    claim: rest.claim,
  };
}
