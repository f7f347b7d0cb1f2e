/* Judges what clients learned of their messages. */

import { acceptedOf, idOf } from '../clients/clients.ts';
import type { Submit } from '../carriers/records.ts';
import { mayHave, type Case, type Seen } from './seen.ts';
import type { Told } from './told.ts';

/** The events of a message before its end, in their order. */
const ranks: ReadonlyMap<string, number> = new Map(
  ['scheduled', 'queued', 'sent', 'buffered'].map((event, rank) => [event, rank]),
);
const endRank = ranks.size;

function rankOf(event: string): number {
  return ranks.get(event) ?? endRank;
}

export function judgeMessages({ message, name, parts }: Case, seen: Seen, told: Told): string[] {
  const broken: string[] = [];
  const { outcomes, receiver, events } = message;
  const ids = new Set<number>(outcomes.flatMap((outcome) => idOf({ outcomes: [outcome] }) ?? []));
  for (const item of told.messages.values()) if (item.receiver === receiver) ids.add(item.msgId);
  const isErased = mayHave(seen.deeds, 'privacy.erase', receiver);
  if (ids.size > 1) broken.push(`M7: ${name} has ${ids.size} ids`);
  const mayExist = outcomes.some(({ kind }) => kind !== 'refused');
  if (ids.size > 0 && !mayExist) broken.push(`A2: ${name} was refused, and is stored`);
  if (ids.size === 0 && parts.size > 0 && !isErased) broken.push(`S1: ${name} was sent, and is unknown`);
  if (
    outcomes.some(
      (outcome) => outcome.kind === 'accepted' && outcome.answer.isReplayed !== true && !outcome.isAfterCommit,
    )
  )
    broken.push(`A1: ${name} was accepted before a commit`);
  for (const [at, { event }] of events.entries()) {
    const before = events[at - 1]?.event;
    if (before === undefined) continue;
    if (rankOf(event) < rankOf(before)) broken.push(`A4: ${name} went from ${before} to ${event}`);
  }
  const [id] = ids;
  const item = id === undefined ? undefined : told.messages.get(id);
  if (idOf(message) !== undefined && !item) broken.push(`A1: ${name} was accepted, and is unknown`);
  if (!item) return broken;
  const answer = acceptedOf(message);
  if (answer && Number(answer.totalCost) !== answer.numParts * seen.unitPrice)
    broken.push(`A5: ${name} costs ${answer.totalCost}`);
  const { numParts = item.numParts } = answer ?? {};
  const [places = numParts] = [...parts.values()].flat().map((submit) => submit.places);
  if (item.numParts !== numParts || places !== numParts)
    broken.push(`A5: ${name} has ${numParts} parts, ${item.numParts} stored, ${places} sent`);
  const verdicts = Array.from({ length: numParts }, (_, at) => verdictsOf(parts.get(at + 1) ?? []));
  const isTaken = verdicts.every((each) => each.has('accepted')) || verdicts.some((each) => each.has('refused'));
  if (message.sentAt >= seen.lastFrom && !isTaken)
    broken.push(`A3: ${name} reaches no carrier, though nothing is wrong`);
  if (rankOf(item.event) < endRank) broken.push(`A3: ${name} ends as ${item.event}`);
  return broken;
}

function verdictsOf(submits: readonly Submit[]): Set<Submit['verdict']> {
  return new Set(submits.map(({ verdict }) => verdict));
}
