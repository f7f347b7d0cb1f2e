/*
 * Judges how messages ended. The ends that a part may have follow from what its carriers answered, and from their
 * receipts that reached the gateway.
 */

import type { MessageState } from '@morsel/smpp';
import { accountNames } from '../operators/other-operations.ts';
import { idOf } from '../clients/clients.ts';
import type { SentReceipt, Submit } from '../carriers/records.ts';
import { mayHave, type Case, type Seen } from './seen.ts';
import { isDoubt } from './submits.ts';
import type { Told } from './told.ts';

/** The worst first: a message has the worst end of its parts. */
const worstFirst = ['rejected', 'undelivered', 'expired', 'unknown', 'canceled', 'delivered'] as const;
type End = (typeof worstFirst)[number];

const endOfReceipt: { readonly [state in MessageState]?: End } = {
  DELIVERED: 'delivered',
  UNDELIVERABLE: 'undelivered',
  DELETED: 'undelivered',
  EXPIRED: 'expired',
  REJECTED: 'rejected',
};

export function judgeEnds(
  { message, name, parts }: Case,
  { carriers, crashes, deeds, aheadMs }: Seen,
  told: Told,
): string[] {
  const broken: string[] = [];
  const id = idOf(message);
  const item = id === undefined ? undefined : told.messages.get(id);
  const event = item?.event;
  if (!item || event === undefined || mayHave(deeds, 'privacy.erase', message.receiver)) return broken;
  const account = accountNames[message.account - 1] ?? '';
  const strange = carriers.some(({ foreign }) => foreign.some(({ receiver }) => receiver === message.receiver));
  // A crash leaves a part in doubt that was about to be sent.
  const mayBeInDoubt = crashes.some((at) => at >= message.sentAt);
  const all = [...parts.values()].flat();
  // The receipt of one part in doubt may count for another, because both have the same numbers.
  const nameless = all.flatMap((submit) => (isDoubt(submit) ? submit.receipts : []));
  const ends = Array.from({ length: item.numParts }, (_, at) =>
    endsOf(parts.get(at + 1) ?? [], { strange, mayBeInDoubt, nameless }),
  );
  const isCanceled = message.cancels.some(({ outcome }) => outcome === 'canceled' || outcome === 'lost');
  // What waits is canceled by its client, by an opt-out, or because a part was refused.
  if (
    isCanceled ||
    mayHave(deeds, 'message.cancelMany', account) ||
    mayHave(deeds, 'optOut.add', message.receiver) ||
    ends.some((each) => each.has('rejected'))
  )
    for (const [at, each] of ends.entries()) if (!hasCarrier(parts.get(at + 1) ?? [])) each.add('canceled');
  const isPossible = worstFirst.some(
    (end, rank) =>
      end === event &&
      ends.some((each) => each.has(end)) &&
      ends.every((each) => worstFirst.some((other, otherRank) => otherRank >= rank && each.has(other))),
  );
  for (const receipt of all.flatMap(({ receipts }) => receipts))
    if (receipt.isAfterCommit === false) broken.push(`D5: a receipt of ${name} was acknowledged before a commit`);
  const isExpiredByCarrier = all.some(({ receipts }) => receipts.some(({ state }) => state === 'EXPIRED'));
  for (const { at, event: seen } of message.events)
    if (seen === 'expired' && at < message.sentAt + message.validityMs - aheadMs && !isExpiredByCarrier)
      broken.push(`P5: ${name} expired before its time`);
  if (!isPossible)
    broken.push(`D5: ${name} ends as ${event}, not as ${ends.map((each) => [...each].join(' or ')).join(' and ')}`);
  return broken;
}

/** A carrier may have the part. */
function hasCarrier(submits: readonly Submit[]): boolean {
  return submits.some((submit) => submit.verdict === 'accepted' || isDoubt(submit));
}

/** The ends that a part may have. */
function endsOf(
  submits: readonly Submit[],
  {
    strange,
    mayBeInDoubt,
    nameless,
  }: { readonly strange: boolean; readonly mayBeInDoubt: boolean; readonly nameless: readonly SentReceipt[] },
): Set<End> {
  const ends = new Set<End>();
  const accepted = submits.filter(({ verdict }) => verdict === 'accepted');
  const isInDoubt = submits.some((submit) => isDoubt(submit));
  if (submits.some(({ verdict }) => verdict === 'refused')) ends.add('rejected');
  const last = accepted.at(-1);
  if (!last) {
    ends.add('expired');
    if (!isInDoubt && !mayBeInDoubt) return ends;
    ends.add('unknown');
    for (const { state, arrivedAt } of nameless) {
      const end = endOfReceipt[state];
      if (end !== undefined && arrivedAt !== undefined) ends.add(end);
    }
    return ends;
  }
  const finals = accepted.flatMap(({ receipts }) => receipts.filter(({ state }) => state in endOfReceipt));
  const firstAt = Math.min(...finals.map(({ acknowledgedAt = Infinity }) => acknowledgedAt));
  for (const { state, arrivedAt = Infinity } of finals) {
    const end = endOfReceipt[state];
    // Of receipts that contradict one another, the first counts. In doubt it is not known which message they name.
    if (end !== undefined && arrivedAt < Infinity && (isInDoubt || arrivedAt <= firstAt)) ends.add(end);
  }
  if (firstAt === Infinity || isInDoubt) ends.add('unknown');
  if (isInDoubt && strange) ends.add('delivered');
  return ends;
}
