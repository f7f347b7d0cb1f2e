import { carrierById } from '../../tables/route.ts';
import { untried } from '../../../core/routing/carrier-choice.ts';
import { eligibleText, parseEligible, type Eligible } from '../../../core/routing/eligible.ts';
import type { PartState } from '../../../core/base/message.ts';
import { passesOn, type Extra } from '../../../core/routing/extras.ts';
import { retryAt } from '../../../core/message/retry.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { AttemptRow, MessageRow, PartRow } from '../../tables/message.ts';
import { routeInUse, type Rows } from '../../rows/rows.ts';
import { enqueuePart, leaveQueue, messageOf } from './part.ts';

/*
 * Moves parts from one carrier to another. A part stays with its carrier while that carrier has, or may have, a part of
 * the same message. In a round, each carrier gets the part at most once; the retry schedule sets the pauses between
 * rounds.
 */

/** States of a part that a link or a carrier has, or may have. */
const withCarrier: ReadonlySet<PartState> = new Set(['claimed', 'sent', 'buffered', 'in_doubt']);

/** The carrier that has, or may have, a part of the message. The other parts of the message go to the same carrier. */
export function holderOf(
  message: MessageRow,
  back?: { readonly part: PartRow; readonly isWhole: boolean },
): number | null {
  for (const part of message.parts) {
    if (part.carrier !== null) return part.carrier;
    // If the message was sent in one request, its answer returns all parts, even those whose outcome is not recorded
    // yet.
    const isBack = part === back?.part || (back?.isWhole === true && part.state === 'claimed');
    if (part.inDoubt > 0 || (!isBack && withCarrier.has(part.state))) return part.triedBy;
  }
  return null;
}

/** If another carrier has parts of the message, makes this part wait for that carrier only. Returns whether it did. */
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
 * If the carrier does not pass on an extra of the message, moves the part to the other carriers of the route. Returns
 * whether it did. This happens when the carrier was added to the route later, or was changed. If there is no other
 * carrier, the link refuses the part and reports the reason.
 */
export function leavesToOthers(
  rows: Rows,
  part: PartRow,
  { extras, claimant }: { readonly extras: readonly Extra[]; readonly claimant: number },
): boolean {
  if (passesOn(rows.one(carrierById, claimant), extras)) return false;
  const { barred, ...rest } = parseEligible(part.eligible);
  const eligible = { ...rest, barred: [...barred, claimant] };
  if (
    eligible.holder !== null ||
    untried(routeInUse(rows, messageOf(rows, part).route).carriers, { ...eligible, tried: [] }).length === 0
  ) {
    return false;
  }
  moveInQueue(rows, part, { eligible });
  return true;
}

/** The attempt that a carrier refused, and when. */
interface Refusal {
  readonly attempt: AttemptRow;
  readonly at: Instant;
}

/**
 * Sets when a part may be sent again after a temporary error. A carrier that has not had the part in this round may get
 * it at once. If there is none, the part waits for the next round.
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

/** Like `nextTryAt`, for a part that its carrier refused, though another may accept it; null if no other is left. */
export function nextFailOverAt(rows: Rows, part: PartRow, refusal: Refusal): Instant | null {
  const { attempt, at } = refusal;
  const message = messageOf(rows, part);
  if (part.state !== 'claimed' || holderOf(message, { part, isWhole: attempt.isWhole }) !== null) return null;
  const { refusedBy, ...rest } = parseEligible(part.eligible);
  const eligible = { ...rest, refusedBy: [...refusedBy, attempt.carrier] };
  const willing = untried(routeInUse(rows, message.route).carriers, { ...eligible, tried: [] });
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
  const carriers = routeInUse(rows, message.route).carriers;
  const rounds = Math.max(1, Math.ceil(part.tries / Math.max(1, carriers.length)));
  const roundEnds = retryAt({ message: message.id, tries: rounds }, { at, expiresAt: message.expiresAt });
  const isFree = holderOf(message, { part, isWhole }) === null;
  if (isFree && untried(carriers, eligible).length > 0) {
    part.eligible = eligibleText({ ...eligible, holder: null });
    if (eligible.tried.length > 0) part.roundEnds = roundEnds;
    // At the next carrier, the part stays in the order of acceptance.
    return message.dueAt;
  }
  part.eligible = eligibleText({ ...eligible, holder: null, tried: [] });
  part.roundEnds = null;
  return roundEnds;
}

/**
 * Called after a part came back to the queue. If no carrier has a part of the message any more, its waiting parts may
 * go to any carrier again. Parts that came back from the same carrier before go to the next carrier together with this
 * part.
 */
export function freeWithIt(rows: Rows, part: PartRow, at: Instant): void {
  const message = messageOf(rows, part);
  if (message.numParts === 1 || part.state !== 'queued' || holderOf(message) !== null) return;
  const own = parseEligible(part.eligible);
  // True if the part goes to another carrier now. After a busy answer, the same carrier may get the part again.
  const failsOver = part.roundEnds !== null && [...own.tried, ...own.refusedBy].some((each) => each === part.triedBy);
  for (const other of message.parts) {
    if (other.due === null || other === part) continue;
    const eligible = parseEligible(other.eligible);
    // The other part also keeps the carriers that refused it for good, or a moment ago.
    const tried = [...new Set([...own.tried, ...triedJustNow(message, other, at)])];
    const along = { ...own, tried, refusedBy: [...new Set([...eligible.refusedBy, ...own.refusedBy])] };
    const goesAlong = failsOver && untried(routeInUse(rows, message.route).carriers, along).length > 0;
    if (goesAlong && other.due > at && other.triedBy === part.triedBy) {
      other.roundEnds = part.roundEnds;
      moveInQueue(rows, other, { eligible: along, due: message.dueAt });
    } else if (eligible.holder !== null) moveInQueue(rows, other, { eligible: { ...eligible, holder: null } });
  }
}

/** Carriers that could not take a part a moment ago. None of them gets it again before a pause. */
function triedJustNow({ id, expiresAt }: MessageRow, { loaded }: PartRow, at: Instant): readonly number[] {
  const isRecent = ({ outcome, answeredAt }: AttemptRow) =>
    outcome === 'temporary' &&
    answeredAt !== null &&
    retryAt({ message: id, tries: 1 }, { at: answeredAt, expiresAt }) > at;
  return loaded.filter(isRecent).map(({ carrier }) => carrier);
}

/**
 * Starts a new round for a waiting part. Each carrier may be tried again, except those that refused the part for good.
 * Returns false if there was no round.
 */
export function startRound(rows: Rows, part: PartRow): boolean {
  const message = messageOf(rows, part);
  const { roundEnds } = part;
  if (roundEnds === null) return false;
  part.roundEnds = null;
  part.deadline = message.expiresAt;
  moveInQueue(rows, part, { eligible: { ...parseEligible(part.eligible), tried: [] }, due: roundEnds });
  return true;
}

/** Changes the eligible carriers of a waiting part, and its due time if one is given. */
function moveInQueue(rows: Rows, part: PartRow, to: { readonly eligible: Eligible; readonly due?: Instant }): void {
  const { eligible, due = part.due } = to;
  if (due === null) return;
  leaveQueue(rows, messageOf(rows, part), part);
  part.eligible = eligibleText(eligible);
  enqueuePart(rows, part, due, part.changedAt);
}
