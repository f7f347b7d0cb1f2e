/* Judges the order of parts: a throttled part keeps its place (S6). */

import type { Submit } from '../carriers/records.ts';
import type { Sent } from '../clients/clients.ts';
import type { Case } from './seen.ts';

/** Only a link tells the order of parts: several links and nodes send at the same time. */
export function judgePlaces(cases: readonly Case[]): string[] {
  return cases.flatMap(({ message, name, parts }) =>
    [...parts.values()].flatMap((submits) =>
      submits.flatMap((submit, at) => {
        const next = submits[at + 1];
        if (submit.verdict !== 'throttled' || submit.end?.kind !== 'answered' || next?.link !== submit.link) return [];
        const [from, until] = [submit.end.at, next.sentAt];
        const overtakes = ({ link, sentAt }: Submit) => link === submit.link && sentAt > from && sentAt < until;
        return cases
          .filter((other) => isBehind(other.message, message) && [...other.parts.values()].flat().some(overtakes))
          .map((other) => `S6: ${other.name} was sent before ${name}, which ${submit.carrier} had throttled`);
      }),
    ),
  );
}

/** Whether one message certainly came after the other into the same queue. */
function isBehind(one: Sent, other: Sent): boolean {
  if (one.account !== other.account || one.priority !== other.priority) return false;
  if (one.scheduledFor !== undefined || other.scheduledFor !== undefined) return false;
  const acceptedAt = other.outcomes.find(({ kind }) => kind === 'accepted' || kind === 'taken')?.at ?? Infinity;
  return one.sentAt > acceptedAt;
}
