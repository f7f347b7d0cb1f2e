import type { Account } from '../../core/account/account.ts';
import { permit, understand } from '../../core/message/admission.ts';
import type { Draft, Understood, Way } from '../../core/message/admission.ts';
import { hashRequest } from '../../core/message/admission.ts';
import type { IdempotencyKey } from '../../core/message/idempotency.ts';
import { laneText, openLane } from '../../core/routing/eligible.ts';
import type { Lane } from '../../core/routing/eligible.ts';
import type { MessageId } from '../../core/base/message-id.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { storeOwn } from '../../core/message/client-encoded-part.ts';
import type { Composition } from '../../core/message/client-encoded-part.ts';
import type { PassedTlv } from '../../core/routing/passed-tlvs.ts';
import { priorityNumbers } from '../../core/message/priority.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { releaseTime } from '../../core/message/schedule.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Snapshot } from '../../core/message/snapshot.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Accept, LinkClaim } from '../../store/commands/commands.ts';
import type { LowBalance } from '../../store/commands/ledger.ts';
import type { Journal } from '../../store/journal.ts';
import type { Reader } from '../../store/reader.ts';
import { optedOutBefore } from './opted-out.ts';
import type { Limits } from '../account/limits.ts';
import type { Accepted, DetailLog, Submitter } from '../ports.ts';
import { acceptedBefore } from './repeats.ts';
import type { Repeats } from './repeats.ts';

/** Room that a link keeps for the parts of one message until its commit is known. */
export interface Reservation {
  readonly claim: LinkClaim;
  /** The parts are claimed: send them. */
  send(message: ReservedMessage): void;
  /** There was no commit: the room is free again. */
  release(): void;
}

interface ReservedMessage {
  readonly id: MessageId;
  readonly sender: string;
  readonly receiver: string;
  readonly composed: Composition;
  readonly reference: number | null;
  readonly flash: boolean;
  readonly expiresAt: Instant;
  readonly route: number;
  readonly account: number;
  readonly unitPrice: Micros;
  readonly tlvs?: readonly PassedTlv[];
}

interface SubmitNeeds {
  readonly snapshot: () => Snapshot;
  readonly journal: Pick<Journal, 'append'>;
  readonly clock: { now(): Instant };
  readonly priceClock: { now(): Instant };
  readonly nextId: () => MessageId;
  readonly reader: Pick<Reader, 'ask'>;
  readonly limits: Pick<Limits, 'judge' | 'take'>;
  readonly repeats: Pick<Repeats, 'once'>;
  /** Room on a link of the route's carrier, if nothing waits there before this message. */
  readonly reserve: (way: Way, priority: number, numParts: number) => Reservation | undefined;
  /** The balance of an account fell below a threshold. */
  readonly alert: (account: Account, alert: LowBalance) => void;
  readonly log?: DetailLog;
  /** A message waits for this route now. */
  readonly waits: (way: Way, priority: number, numParts: number) => void;
}

/** What a message is accepted by, beside what was understood of it. */
interface Terms {
  readonly account: Account;
  readonly snapshot: Snapshot;
  readonly source: Accept['source'];
  readonly by: Submitter | undefined;
  readonly at: Instant;
  readonly idempotency?: IdempotencyKey;
}

/**
 * The one door: HTTP and SMPP submissions are admitted, priced, charged and kept here. What comes back as accepted is
 * on disk; what is refused left nothing behind (A2).
 */
export function submit(
  needs: SubmitNeeds,
  account: Account,
  { draft, source, by }: { draft: Draft; source: Accept['source']; by?: Submitter },
): Promise<Result<Accepted, Rejection>> {
  const at = needs.clock.now();
  const understood = understand(draft, account, at);
  if (!understood.ok) return Promise.resolve(understood);
  const { value } = understood;
  if (draft.idempotencyKey === undefined) {
    return accept(needs, value, { account, snapshot: needs.snapshot(), source, by, at });
  }
  const idempotency = { key: draft.idempotencyKey, hash: hashRequest(value) };
  // The snapshot of the moment in which it comes to its turn.
  return needs.repeats.once(account, idempotency, () =>
    accept(needs, value, { account, snapshot: needs.snapshot(), source, by, at, idempotency }),
  );
}

/** Everything from the idempotency key on: when it is due, how it goes, what it costs, and the commit. */
async function accept(needs: SubmitNeeds, value: Understood, terms: Terms): Promise<Result<Accepted, Rejection>> {
  const { account, at } = terms;
  const releaseAt = releaseTime(value.sendAt, at);
  if (!releaseAt.ok) return releaseAt;
  const pricedAt = needs.priceClock.now();
  const way = permit(value, { account, snapshot: terms.snapshot, limits: needs.limits, at: pricedAt });
  if (!way.ok) return refused(await optedOutBefore(needs, way.error, { account: account.id, ...value }));
  const takeBack = account.rules === null ? undefined : needs.limits.take(account, value);
  const { route, rated, lane } = way.value;
  const { numParts } = value.composed;
  const priority = priorityNumbers[value.priority];
  const isScheduled = releaseAt.value > at;
  const reservation = isScheduled ? undefined : needs.reserve(way.value, priority, numParts);
  const waitsNow = !reservation && !isScheduled;
  const command = acceptCommand(value, way.value, {
    id: needs.nextId(),
    at,
    releaseAt: releaseAt.value,
    account: account.id,
    source: terms.source,
    by: terms.by,
    claim: reservation?.claim ?? null,
  });
  if (waitsNow) needs.waits(way.value, priority, numParts);
  const kept = await needs.journal.append<'accept'>(
    withOwn(withLane(withKey(command, terms.idempotency), lane), value),
  );

  if (!kept.ok || kept.value.first) {
    reservation?.release();
    takeBack?.();
  }
  if (!kept.ok) return kept;
  if (kept.value.first) return ok(acceptedBefore(kept.value.first, account));
  if (kept.value.alert) needs.alert(account, kept.value.alert);
  if (needs.log?.isLevelEnabled?.('debug')) describe(needs.log, command, terms);
  // A claim that shares the group of this message, or comes before it, has not found it.
  if (waitsNow) needs.waits(way.value, priority, numParts);
  reservation?.send({
    id: command.id,
    sender: value.sender,
    receiver: value.receiver,
    composed: value.composed,
    reference: kept.value.reference,
    flash: command.flash,
    expiresAt: command.expiresAt,
    route: route.id,
    account: account.id,
    unitPrice: rated.unitPrice,
    ...(value.tlvs && { tlvs: value.tlvs }),
  });
  return ok({
    msgId: command.id,
    numParts,
    totalCost: rated.totalCost,
    clientBalance: kept.value.clientBalance,
    clientCurrency: account.currency,
  });
}

/** What was decided of a message that is accepted. */
function describe(log: DetailLog, command: Accept, { account, snapshot }: Terms): void {
  const { claim } = command;
  const fields = {
    message: String(command.id),
    account: account.name,
    source: command.source,
    parts: command.numParts,
    encoding: command.encoding,
    route: command.route,
    // Without a carrier it waits: for its time, or for room.
    carrier: claim ? snapshot.carriers.get(claim.carrier)?.name : undefined,
    link: claim?.link,
    scheduled: command.releaseAt > command.at || undefined,
  };
  log.debug?.(fields, 'message accepted');
}

/** Most messages come without a key, and their commands without a member for one: it would cross the thread with each. */
function withKey(command: Accept, idempotency: IdempotencyKey | undefined): Accept {
  return idempotency ? { ...command, idempotency } : command;
}

/** The same of a lane: nearly all begin in the open one. */
function withLane(command: Accept, lane: Lane): Accept {
  return lane === openLane ? command : { ...command, lane: laneText(lane) };
}

/** And of what only SMPP has: a part that its client made, the wish for receipts, and a vendor's parameters. */
function withOwn(command: Accept, { composed, registered, tlvs }: Understood): Accept {
  if (registered === 0 && !composed.own && !tlvs) return command;
  const own = storeOwn(composed);
  return { ...command, ...(registered !== 0 && { registered }), ...(own && { own }), ...(tlvs && { tlvs }) };
}

function acceptCommand(
  understood: Understood,
  { route, rated }: Way,
  rest: Pick<Accept, 'id' | 'at' | 'releaseAt' | 'account' | 'source' | 'claim'> & Pick<Terms, 'by'>,
): Accept {
  return {
    kind: 'accept',
    at: rest.at,
    id: rest.id,
    account: rest.account,
    source: rest.source,
    submitter: rest.by?.name,
    address: rest.by?.address,
    session: rest.by?.session,
    sender: understood.sender,
    receiver: understood.receiver,
    dcs: understood.dcs,
    encoding: understood.composed.encoding,
    text: understood.text,
    numParts: understood.composed.numParts,
    clientRef: understood.clientRef,
    priority: priorityNumbers[understood.priority],
    route: route.id,
    flash: understood.flash,
    releaseAt: rest.releaseAt,
    expiresAt: rest.releaseAt + understood.validityMs,
    priceList: rated.priceList,
    priceVersion: rated.priceVersion,
    unitPrice: rated.unitPrice,
    totalCost: rated.totalCost,
    claim: rest.claim,
  };
}
