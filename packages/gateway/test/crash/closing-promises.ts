import { resendsMax, type InDoubtPolicy } from '../../src/core/routing/carrier.ts';
import { isEnd } from '../../src/core/message/receipt.ts';
import type { PartEvidence } from './carrier-evidence.ts';
import { silent } from './closing-traffic.ts';

/* The ends of all parts after connections ended in the middle of a window, by the carrier's policy. */

/** Ends of a part that was never in doubt, by its receiver. */
const ordinaryEnds = ['delivered', 'rejected', 'undelivered'];

/** Differences from the policy, as sentences. */
export function closingFaults(parts: readonly PartEvidence[], policy: InDoubtPolicy): string[] {
  const faults = parts.flatMap((part) => partFaults(part, policy).map((fault) => `${part.name} ${fault}`));
  const doubted = parts.filter(({ doubts }) => doubts > 0);
  if (doubted.length < 2) faults.push('nothing was in doubt');
  const settled = doubted.filter(({ notes }) => notes.some(({ kind }) => kind === 'matched-in-doubt'));
  if (policy === 'hold' && settled.length === 0) faults.push('no receipt has settled a doubt');
  return faults;
}

function partFaults(part: PartEvidence, policy: InDoubtPolicy): string[] {
  const { doubts, state } = part;
  const faults = refundFaults(part);
  if (doubts === 0) return ordinaryEnds.includes(state) ? faults : [...faults, `was never in doubt and is ${state}`];
  return [...faults, ...doubtFaults[policy](part)];
}

/** None of these loses a message: it is final, or it is held and listed. */
const doubtFaults: Record<InDoubtPolicy, (part: PartEvidence) => string[]> = {
  hold: (part) => [...oftenFaults(part, 1), ...(isHeld(part) || isSettled(part) ? [] : [`is ${part.state}, not held`])],
  fail: (part) => [
    ...oftenFaults(part, 1),
    ...(part.state === 'unknown' || isSettled(part) ? [] : [`is ${part.state}, not unknown`]),
  ],
  resend: (part) => {
    const faults = oftenFaults(part, 1 + resendsMax);
    const { doubts, notes, receiver, attempts, state } = part;
    const told = notes.filter(({ detail }) => detail.endsWith('a possible duplicate')).length;
    if (told !== Math.min(doubts, resendsMax)) faults.push(`has ${told} notes of a possible duplicate`);
    if (receiver === silent && doubts !== 1 + resendsMax) faults.push(`was in doubt ${doubts} times`);
    // Held after enough resends, or after a refused second attempt.
    const mayBeHeld = doubts > resendsMax || attempts.at(-1)?.outcome === 'refused';
    if (!isSettled(part) && !(mayBeHeld && isHeld(part))) faults.push(`is ${state}, and was to be sent again`);
    return faults;
  },
};

function oftenFaults({ attempts, submits, unheard }: PartEvidence, most: number): string[] {
  const sent = attempts.filter(({ outcome, commandStatus }) => outcome !== 'busy' || commandStatus !== null).length;
  return sent > most || submits.length + unheard > most ? [`was sent ${sent} times, ${most} is the most`] : [];
}

function isHeld({ state }: PartEvidence): boolean {
  return state === 'in_doubt';
}

/** By its own receipt, or by a late answer. */
function isSettled({ state, receipts, submits }: PartEvidence): boolean {
  const isRefused = state === 'rejected' && submits.some(({ command_status }) => (command_status ?? 0) > 0);
  return isRefused || (['delivered', 'undelivered'].includes(state) && receipts.some((each) => isEnd(each.state)));
}

/** Once or not at all, by the account's policy; never if it was in doubt. */
function refundFaults({ refundPolicy, state, carrierState, doubts, refunds }: PartEvidence): string[] {
  // All of them reached their carrier, so `unsent` refunds nothing. A rejection without a state of the carrier is its
  // answer.
  const wasRefused = state === 'rejected' && carrierState === null;
  const isOwed = refundPolicy === 'undelivered' || (refundPolicy === 'refused' && wasRefused);
  const isDue = doubts === 0 && isOwed && ['rejected', 'undelivered'].includes(state);
  const due = isDue ? 1 : 0;
  return refunds === due ? [] : [`was refunded ${refunds} times, and not ${due}, under ${refundPolicy}`];
}
