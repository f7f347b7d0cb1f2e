/* Judges what carriers got: texts, parts, and how often. */

import type { Submit } from '../carriers/records.ts';
import { accountNames } from '../operators/other-operations.ts';
import { idOf } from '../clients/clients.ts';
import { isAny, mayHave, type Case, type Seen } from './seen.ts';

export function judgeSubmits({ message, name, parts }: Case, seen: Seen): string[] {
  const broken: string[] = [];
  const mayExist = message.outcomes.some(({ kind }) => kind !== 'refused') || message.outcomes.length === 0;
  if (parts.size > 0 && !mayExist) broken.push(`A2: ${name} was refused, and a carrier got it`);
  const all = [...parts.values()].flat();
  const lengths = new Set(all.map(({ places }) => places));
  if (lengths.size > 1) broken.push(`A5: ${name} was split in ${[...lengths].join(' and ')} parts`);
  const id = idOf(message);
  const isSettled =
    // The client of a lost answer does not know the id.
    (id === undefined ? isAny(seen.deeds, 'message.settle') : mayHave(seen.deeds, 'message.settle', String(id))) ||
    mayHave(seen.deeds, 'message.settleMany', accountNames[message.account - 1] ?? '');
  for (const [place, submits] of parts) {
    broken.push(...judgePart(`${name} part ${place}`, submits));
    if (!isSettled) broken.push(...judgeDoubts(`${name} part ${place}`, submits, seen));
  }
  const [places = 0] = lengths;
  const texts = Array.from({ length: places }, (_, at) => parts.get(at + 1)?.[0]?.text);
  if (places > 0 && !texts.includes(undefined) && texts.join('') !== message.text)
    broken.push(`A6: ${name} has another text`);
  return broken;
}

function judgePart(name: string, submits: readonly Submit[]): string[] {
  const broken: string[] = [];
  const texts = new Set(submits.map(({ text }) => text));
  if (texts.size > 1) broken.push(`A6: ${name} had ${texts.size} texts`);
  const accepted = submits.filter(({ verdict }) => verdict === 'accepted').length;
  // A carrier may accept a part again only after an answer that the gateway could not read.
  const doubts = submits.filter((submit) => isDoubt(submit)).length;
  if (accepted > 1 + doubts) broken.push(`S5: ${name} was accepted ${accepted} times, after ${doubts} doubts`);
  for (const [at, submit] of submits.entries()) {
    const before = submits[at - 1];
    if (!before) continue;
    if (before.end === undefined || before.end.at > submit.sentAt)
      broken.push(`S4: ${name} was sent again while ${before.carrier} had it`);
  }
  return broken;
}

/** A part in doubt is sent again only if the setting `inDoubt` of the carrier that had it says so. */
function judgeDoubts(name: string, submits: readonly Submit[], { inDoubt, deeds }: Seen): string[] {
  return submits.slice(0, -1).flatMap((submit) => {
    const { carrier, isLate } = submit;
    const mayResend =
      inDoubt[carrier] === 'resend' ||
      deeds.some(({ operation, given }) => operation === 'carrier.set' && given['inDoubt'] === 'resend');
    return isDoubt(submit) && !isLate && !mayResend
      ? [`S5: ${name} was sent again after ${carrier} did not answer`]
      : [];
  });
}

/** The gateway may not know what the carrier made of the submit. */
export function isDoubt({ end, verdict, isForgotten }: Submit): boolean {
  if (end?.kind === 'unwritten') return false;
  return end?.kind !== 'answered' || (isForgotten && verdict === 'accepted');
}
