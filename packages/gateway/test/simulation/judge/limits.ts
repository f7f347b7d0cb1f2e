/*
 * Judges the rate and the velocity of an account, which all nodes count together (A7). The gateway tells when it
 * accepted messages, and the ledger in which order.
 */

import type { Pace, PrefixPace } from '@morsel/api/values/account.ts';
import { beginning } from '../world.ts';
import { idOf, type Sent } from '../clients/clients.ts';
import type { Seen } from './seen.ts';
import type { Told } from './told.ts';

/** The limits of the account that has rules. */
export interface SeenLimits {
  readonly account: string;
  readonly rate: Pace;
  readonly burst: number;
  readonly prefixVelocity: PrefixPace;
}

interface Accepted {
  readonly name: string;
  readonly parts: number;
  readonly receiver: string;
  /** By the clock of the gateway, since the beginning of the world. */
  readonly at: number;
}

/** A time of a clock that ran so far ahead, and was then set back, counts no more; nor does what came before it. */
const forgottenMs = 300_000;
/** A velocity counts a message a tenth longer at most. */
const longer = 1.1;

/** A text of so many characters has one part, whatever its encoding. */
const shortText = 60;

export function judgeLimits(seen: Seen, told: Told): string[] {
  const { account, prefixVelocity } = seen.limits;
  const { entries = [] } = told.ledgers.get(account) ?? {};
  const all = entries
    .flatMap(({ charged = [] }) => charged)
    .flatMap(({ msgId }): Accepted[] => {
      const item = told.messages.get(Number(msgId));
      if (!item) return [];
      const { numParts: parts, acceptedAt } = item;
      const sent = seen.sent.find(({ outcomes }) => outcomes.some((each) => idOf({ outcomes: [each] }) === item.msgId));
      return [{ name: `message ${msgId}`, parts, receiver: sent?.receiver ?? '', at: acceptedAt - beginning }];
    });
  return [
    ...all.flatMap((each, place) => {
      const forgotten = all.slice(0, place).findLastIndex(({ at }) => at - each.at >= forgottenMs);
      const before = all.slice(forgotten + 1, place);
      return [...judgeRate(each, before, seen.limits), ...judgeVelocity(each, before, prefixVelocity)];
    }),
    ...judgeRefusals(all, seen),
  ];
}

function msPerPart({ rate }: SeenLimits): number {
  return (rate.seconds * 1_000) / rate.count;
}

/** In any period, the parts are at most the burst and those of the rate. A longer message needs a whole burst. */
function judgeRate(last: Accepted, before: readonly Accepted[], limits: SeenLimits): string[] {
  let parts = Math.min(last.parts, limits.burst);
  for (const first of before.toReversed()) {
    parts += first.parts;
    const roundedMs = parts;
    if ((parts - limits.burst) * msPerPart(limits) > last.at - first.at + roundedMs)
      return [`A7: ${parts} parts were accepted in the ${last.at - first.at} ms until ${last.name}`];
  }
  return [];
}

function judgeVelocity(last: Accepted, before: readonly Accepted[], velocity: PrefixPace): string[] {
  const { count, seconds } = velocity;
  const from = last.at - seconds * 1_000;
  // A message whose answer was lost has no known receiver.
  const isCounted = isLike(last.receiver, velocity);
  const earlier = last.receiver === '' ? [] : before.filter(({ at, receiver }) => at > from && isCounted(receiver));
  return earlier.length < count ? [] : [`A7: ${earlier.length + 1} messages in ${seconds} s until ${last.name}`];
}

function isLike(receiver: string, { digits }: PrefixPace): (other: string) => boolean {
  return (other) => other.startsWith(receiver.slice(0, 1 + digits));
}

/** Each refusal must have messages for which the limit refuses it. */
function judgeRefusals(all: readonly Accepted[], { sent, limits, clockErrorMs }: Seen): string[] {
  const { count, seconds } = limits.prefixVelocity;
  return sent.flatMap((message) =>
    message.outcomes.flatMap(({ at, ...outcome }) => {
      if (outcome.kind !== 'refused') return [];
      const before = all.filter((each) => each.at <= at + clockErrorMs);
      const from = message.sentAt - clockErrorMs;
      switch (ruleOf(message, outcome.rejection)) {
        case 'rate': {
          const needed = message.text.length <= shortText ? 1 : limits.burst;
          return isFull(before, { until: from, needed }, limits)
            ? []
            : [`A7: message ${message.number} is refused below the rate`];
        }
        case 'prefix-velocity': {
          const isCounted = isLike(message.receiver, limits.prefixVelocity);
          const counted = before.filter(
            (each) => each.at >= from - seconds * 1_000 * longer && (each.receiver === '' || isCounted(each.receiver)),
          ).length;
          return counted >= count ? [] : [`A7: message ${message.number} is refused after ${counted} others`];
        }
        default:
          return [];
      }
    }),
  );
}

/** Whether the messages in some period until this time leave fewer parts than are needed. */
function isFull(
  before: readonly Accepted[],
  { until, needed }: { readonly until: number; readonly needed: number },
  limits: SeenLimits,
): boolean {
  let parts = needed;
  return before.toReversed().some((first) => {
    parts += first.parts;
    return (parts - limits.burst) * msPerPart(limits) > until - first.at;
  });
}

function ruleOf({ source }: Sent, rejection: { readonly code: string; readonly rule?: string }): string | undefined {
  if (source === 'smpp') return rejection.code === 'ESME_RTHROTTLED' ? 'rate' : undefined;
  return rejection.code === 'rate_limited' ? rejection.rule : undefined;
}
