import { untried } from '../../../core/routing/carrier-choice.ts';
import { mayFailOver } from '../../../core/message/outcome.ts';
import { eligibleText, parseEligible } from '../../../core/routing/eligible.ts';
import type { Eligible } from '../../../core/routing/eligible.ts';
import type { PartState } from '../../../core/base/message.ts';
import { passesOn } from '../../../core/routing/passed-tlvs.ts';
import type { PassedTlv } from '../../../core/routing/passed-tlvs.ts';
import { retryAt } from '../../../core/message/retry.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { AttemptRow, MessageRow, PartRow, Rows } from '../../tables/rows.ts';
import { enqueuePart, leaveQueue, messageOf } from './part.ts';

/*
 * How a part goes from one carrier to another. It never does while a carrier has, or may have, a part of its message. A
 * carrier gets it once a round; the retry schedule spaces the rounds.
 */

/** A link or a carrier has it, or may have it. */
const withCarrier: ReadonlySet<PartState> = new Set(['claimed', 'sent', 'buffered', 'in_doubt']);

/** The carrier that has, or may have, a part of the message. The other parts go to it, too. */
export function holderOf(
  message: MessageRow,
  back?: { readonly part: PartRow; readonly isWhole: boolean },
): number | null {
  for (const part of message.parts) {
    if (part.carrier !== null) return part.carrier;
    // One answer to a whole message returns all its parts, also those whose outcome is not recorded yet.
    const isBack = part === back?.part || (back?.isWhole === true && part.state === 'claimed');
    if (part.inDoubt > 0 || (!isBack && withCarrier.has(part.state))) return part.triedBy;
  }
  return null;
}

/** Whether another carrier has parts of the message. Then this part is moved to wait for that carrier only. */
export function movesToHolder(
  rows: Rows,
  message: MessageRow,
  wanted: { readonly part: PartRow; readonly claimant: number },
): boolean {
  const { part, claimant } = wanted;
  if (message.numParts === 1 && part.inDoubt === 0) return false;
  const holder = holderOf(message);
  if (holder === null || holder === claimant) return false;
  moveInQueue(rows, part, { eligible: { ...parseEligible(part.eligible), holder } });
  return true;
}

/**
 * Whether this carrier does not take a TLV that the client gave. This happens when the carrier came to the route later,
 * or was changed. The part is moved to the other carriers. If there are none, the link refuses it and says why.
 */
export function leavesToOthers(
  rows: Rows,
  part: PartRow,
  { tlvs, claimant }: { readonly tlvs: readonly PassedTlv[]; readonly claimant: number },
): boolean {
  if (passesOn(rows.carriers.get(claimant)?.carrier, tlvs)) return false;
  const { barred, ...rest } = parseEligible(part.eligible);
  const eligible = { ...rest, barred: [...barred, claimant] };
  if (
    eligible.holder !== null ||
    untried(carriersOf(rows, messageOf(rows, part)), { ...eligible, tried: [] }).length === 0
  ) {
    return false;
  }
  moveInQueue(rows, part, { eligible });
  return true;
}

/** A carrier that refused a part, and when. */
interface Refusal {
  readonly attempt: AttemptRow;
  readonly at: Instant;
}

/**
 * When a part that its carrier could not take may be sent again: at once, by a carrier that has not had it in this
 * round, or else in the next round. Its eligible carriers are set with it.
 */
export function nextTryAt(rows: Rows, part: PartRow, refusal: Refusal): Instant {
  const { attempt, at } = refusal;
  const { tried, ...rest } = parseEligible(part.eligible);
  return passOn(rows, part, {
    eligible: { ...rest, tried: [...tried, attempt.carrier] },
    at,
    isWhole: attempt.isWhole,
  });
}

/** As above, for a part that its carrier refused for good; null if no other carrier is left. */
export function nextFailOverAt(rows: Rows, part: PartRow, refusal: Refusal): Instant | null {
  const { attempt, at } = refusal;
  if (attempt.commandStatus === null || !mayFailOver(attempt.commandStatus)) return null;
  const message = messageOf(rows, part);
  if (part.state !== 'claimed' || holderOf(message, { part, isWhole: attempt.isWhole }) !== null) return null;
  const { refusedBy, ...rest } = parseEligible(part.eligible);
  const eligible = { ...rest, refusedBy: [...refusedBy, attempt.carrier] };
  const willing = untried(carriersOf(rows, message), { ...eligible, tried: [] });
  if (willing.length === 0) return null;
  part.tries += 1;
  return passOn(rows, part, { eligible, at, isWhole: attempt.isWhole });
}

function passOn(
  rows: Rows,
  part: PartRow,
  next: { readonly eligible: Eligible; readonly at: Instant; readonly isWhole: boolean },
): Instant {
  const { eligible, at, isWhole } = next;
  const message = messageOf(rows, part);
  const carriers = carriersOf(rows, message);
  const rounds = Math.max(1, Math.ceil(part.tries / Math.max(1, carriers.length)));
  const roundEnds = retryAt({ message: message.id, tries: rounds }, { at, expiresAt: message.expiresAt });
  const isFree = holderOf(message, { part, isWhole }) === null;
  if (isFree && untried(carriers, eligible).length > 0) {
    part.eligible = eligibleText({ ...eligible, holder: null });
    if (eligible.tried.length > 0) part.roundEnds = roundEnds;
    // The part keeps its place in the order of acceptance when it goes to the next carrier.
    return message.dueAt;
  }
  part.eligible = eligibleText({ ...eligible, holder: null, tried: [] });
  part.roundEnds = null;
  return roundEnds;
}

function carriersOf(rows: Rows, message: MessageRow) {
  return rows.routeCarriers.get(message.route) ?? [];
}

/**
 * After a part came back: if no carrier has a part of the message, all waiting parts are free again. Parts that the
 * same carrier returned before go on with this one.
 */
export function freeWithIt(rows: Rows, part: PartRow, at: Instant): void {
  const message = messageOf(rows, part);
  if (message.numParts === 1 || part.state !== 'queued' || holderOf(message) !== null) return;
  const own = parseEligible(part.eligible);
  // A busy carrier may have this part again at once. A part that it could not take waits.
  const failsOver = part.roundEnds !== null && [...own.tried, ...own.refusedBy].some((each) => each === part.triedBy);
  for (const other of message.parts) {
    if (other.due === null || other === part) continue;
    const eligible = parseEligible(other.eligible);
    // What refused this part for good stays so for this part alone.
    const along = { ...own, refusedBy: [...new Set([...eligible.refusedBy, ...own.refusedBy])] };
    const goesAlong = failsOver && untried(carriersOf(rows, message), along).length > 0;
    if (goesAlong && other.due > at && other.triedBy === part.triedBy) {
      other.roundEnds = part.roundEnds;
      moveInQueue(rows, other, { eligible: along, due: message.dueAt });
    } else if (eligible.holder !== null) moveInQueue(rows, other, { eligible: { ...eligible, holder: null } });
  }
}

/** The round of a waiting part is over: each carrier may be tried again, except those that refused it for good. */
export function startRound(rows: Rows, part: PartRow): boolean {
  const message = messageOf(rows, part);
  const { roundEnds } = part;
  if (roundEnds === null) return false;
  part.roundEnds = null;
  part.deadline = message.expiresAt;
  moveInQueue(rows, part, { eligible: { ...parseEligible(part.eligible), tried: [] }, due: roundEnds });
  return true;
}

/** Gives a waiting part other eligible carriers, with its old due time or a new one. */
function moveInQueue(rows: Rows, part: PartRow, to: { readonly eligible: Eligible; readonly due?: Instant }): void {
  const { eligible, due = part.due } = to;
  if (due === null) return;
  leaveQueue(rows, messageOf(rows, part), part);
  part.eligible = eligibleText(eligible);
  enqueuePart(rows, part, due, part.changedAt);
}
