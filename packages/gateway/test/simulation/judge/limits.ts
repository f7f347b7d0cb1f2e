/*
 * Judges the rate and the velocity of an account, which all nodes count together (A7). The gateway tells when it
 * accepted messages, and the ledger in which order.
 */

import { beginning } from '../world.ts';
import type { Sent } from '../clients/clients.ts';
import type { Seen } from './seen.ts';
import type { Told } from './told.ts';

/** The limits of the account that has rules. All of its receivers have the same first digits. */
export interface SeenLimits {
  readonly account: string;
  readonly rate: Limit;
  readonly prefixVelocity: Limit;
}

/** At most so many in so many seconds. Such a rate has a burst of one part. */
interface Limit {
  readonly count: number;
  readonly seconds: number;
}

interface Accepted {
  readonly name: string;
  readonly parts: number;
  /** By the clock of the gateway, since the beginning of the world. */
  readonly at: number;
}

/** A time of a clock that ran so far ahead, and was then set back, counts no more. */
const forgottenMs = 300_000;
/** A velocity counts a message a tenth longer at most. */
const longer = 1.1;

export function judgeLimits(seen: Seen, told: Told): string[] {
  const { account, rate, prefixVelocity } = seen.limits;
  const ids =
    told.ledgers.get(account)?.entries.flatMap((entry) => (entry.charged ?? []).map(({ msgId }) => msgId)) ?? [];
  const all = ids.flatMap((id): Accepted[] => {
    const item = told.messages.get(Number(id));
    return item ? [{ name: `message ${id}`, parts: item.numParts, at: item.acceptedAt - beginning }] : [];
  });
  const msPerPart = (rate.seconds * 1_000) / rate.count;
  return [
    ...all.flatMap((each, place) => {
      const before = all.slice(0, place).filter(({ at }) => at - each.at < forgottenMs);
      return [...judgeRate(each, before, msPerPart), ...judgeVelocity(each, before, prefixVelocity)];
    }),
    ...judgeRefusals(all, seen, msPerPart),
  ];
}

/** In any period, the parts before the last message take no longer than the period: the burst is one part. */
function judgeRate(last: Accepted, before: readonly Accepted[], msPerPart: number): string[] {
  let parts = 0;
  for (const first of before.toReversed()) {
    parts += first.parts;
    const roundedMs = parts;
    if (parts * msPerPart > last.at - first.at + roundedMs)
      return [`A7: ${parts} parts were accepted in the ${last.at - first.at} ms before ${last.name}`];
  }
  return [];
}

function judgeVelocity({ name, at }: Accepted, before: readonly Accepted[], { count, seconds }: Limit): string[] {
  const earlier = before.filter((each) => each.at > at - seconds * 1_000).length;
  return earlier >= count ? [`A7: ${earlier + 1} messages were accepted in ${seconds} s until ${name}`] : [];
}

/** Each refusal must have messages for which the limit refuses it. */
function judgeRefusals(all: readonly Accepted[], seen: Seen, msPerPart: number): string[] {
  const { clockErrorMs, limits } = seen;
  const { count, seconds } = limits.prefixVelocity;
  return seen.sent.flatMap((message) =>
    message.outcomes.flatMap(({ at, ...outcome }) => {
      if (outcome.kind !== 'refused') return [];
      const before = all.filter((each) => each.at <= at + clockErrorMs);
      const from = message.sentAt - clockErrorMs;
      switch (ruleOf(message, outcome.rejection)) {
        case 'rate':
          return isFull(before, from, msPerPart) ? [] : [`A7: message ${message.number} is refused below the rate`];
        case 'prefix-velocity': {
          const counted = before.filter((each) => each.at >= from - seconds * 1_000 * longer).length;
          return counted >= count ? [] : [`A7: message ${message.number} is refused after ${counted} others`];
        }
        default:
          return [];
      }
    }),
  );
}

/** Whether the messages in some period until this time have more parts than the rate allows in it. */
function isFull(before: readonly Accepted[], until: number, msPerPart: number): boolean {
  let parts = 0;
  return before.toReversed().some((first) => {
    parts += first.parts;
    return parts * msPerPart > until - first.at;
  });
}

function ruleOf({ source }: Sent, rejection: { readonly code: string; readonly rule?: string }): string | undefined {
  if (source === 'smpp') return rejection.code === 'ESME_RTHROTTLED' ? 'rate' : undefined;
  return rejection.code === 'rate_limited' ? rejection.rule : undefined;
}
