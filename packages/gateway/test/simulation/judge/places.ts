/* Judges the order of parts: a throttled part keeps its place (S6). */

import type { Submit } from '../carriers/records.ts';
import { idOf, type Sent } from '../clients/clients.ts';
import type { Case } from './seen.ts';
import type { Told } from './told.ts';

/** Only a link tells the order of parts: several links and nodes send at the same time. */
export function judgePlaces(cases: readonly Case[], told: Told): string[] {
  return cases.flatMap(({ message, name, parts }) =>
    [...parts.values()].flatMap((submits) =>
      submits.flatMap((submit, at) => {
        const next = submits[at + 1];
        const isSameLink = ({ carrier, link }: Submit) => carrier === submit.carrier && link === submit.link;
        if (submit.verdict !== 'throttled' || submit.end?.kind !== 'answered' || !next || !isSameLink(next)) return [];
        const [from, until] = [submit.end.at, next.sentAt];
        const overtakes = (each: Submit) => isSameLink(each) && each.sentAt > from && each.sentAt < until;
        return cases
          .filter((other) => isBehind(other.message, message, told) && [...other.parts.values()].flat().some(overtakes))
          .map((other) => `S6: ${other.name} was sent before ${name}, which ${submit.carrier} had throttled`);
      }),
    ),
  );
}

/** Whether one message certainly came after the other into the same queue, also by the gateway's clock, which may step. */
function isBehind(one: Sent, other: Sent, { messages }: Told): boolean {
  if (one.account !== other.account || one.priority !== other.priority) return false;
  if (one.scheduledFor !== undefined || other.scheduledFor !== undefined) return false;
  const acceptedAt = other.outcomes.find(({ kind }) => kind === 'accepted' || kind === 'taken')?.at ?? Infinity;
  const [item, otherItem] = [one, other].map((each) => messages.get(idOf(each) ?? 0));
  return (
    one.sentAt > acceptedAt && item !== undefined && otherItem !== undefined && item.acceptedAt > otherItem.acceptedAt
  );
}
