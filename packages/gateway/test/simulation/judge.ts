/*
 * The judge of a simulation. It knows only what outsiders saw and what the gateway tells anybody who asks, and nothing
 * of how the gateway works. Each sentence that it returns is a broken promise of ARCHITECTURE.md.
 */

import type { SimCarrier, Taken } from './carrier.ts';
import { acceptedOf, type Sent } from './clients.ts';

/** What the gateway says at the end. */
export interface Answers {
  /** The report of a message, by its id. */
  readonly report: (account: number, id: number) => Promise<EndReport | undefined>;
}

interface EndReport {
  readonly event: string;
}

export interface Seen {
  readonly sent: readonly Sent[];
  readonly carriers: readonly SimCarrier[];
  readonly unitPrice: number;
}

/** The events of a message before its end, in their order. */
const ranks: ReadonlyMap<string, number> = new Map(
  ['scheduled', 'queued', 'sent', 'buffered'].map((event, rank) => [event, rank]),
);
const endRank = ranks.size;

function rankOf(event: string): number {
  return ranks.get(event) ?? endRank;
}

export async function judge(seen: Seen, answers: Answers): Promise<string[]> {
  const broken: string[] = [];
  const byReceiver = Map.groupBy(
    seen.carriers.flatMap((carrier) => carrier.taken),
    ({ receiver }) => receiver,
  );
  for (const message of seen.sent) broken.push(...judgeParts(message, byReceiver.get(message.receiver) ?? []));
  for (const message of seen.sent) broken.push(...(await judgeMessage(message, seen, answers)));
  for (const message of seen.sent) broken.push(...judgeEvents(message));
  return broken;
}

/** What carriers got of a message. Each message has a receiver of its own. */
function judgeParts(message: Sent, parts: readonly Taken[]): string[] {
  const broken: string[] = [];
  const name = `message ${message.number}`;
  const mayExist = message.outcomes.some(({ kind }) => kind !== 'refused') || message.outcomes.length === 0;
  if (parts.length > 0 && !mayExist) broken.push(`A2: ${name} was refused, and a carrier got it`);
  for (const [place, copies] of Map.groupBy(parts, (part) => part.place)) {
    const accepted = copies.filter(({ isAccepted }) => isAccepted);
    // A carrier may get a part again only after an answer that the gateway could not read.
    const unread = copies.filter(({ isAnswered }) => !isAnswered).length;
    if (accepted.length > 1 + unread) broken.push(`S5: ${name} part ${place} was taken ${accepted.length} times`);
    const texts = new Set(copies.map(({ text }) => text));
    if (texts.size > 1) broken.push(`A6: ${name} part ${place} had ${texts.size} texts`);
  }
  const places = new Set(parts.map((part) => part.places));
  if (places.size > 1) broken.push(`A5: ${name} was split in ${[...places].join(' and ')} parts`);
  const [first] = parts;
  const whole = Array.from(
    { length: first?.places ?? 0 },
    (_, at) => parts.find(({ place }) => place === at + 1)?.text,
  );
  if (first && !whole.includes(undefined) && whole.join('') !== message.text)
    broken.push(`A6: ${name} has another text`);
  return broken;
}

async function judgeMessage(message: Sent, { unitPrice }: Seen, answers: Answers): Promise<string[]> {
  const broken: string[] = [];
  const name = `message ${message.number}`;
  const accepted = message.outcomes.flatMap((outcome) => (outcome.kind === 'accepted' ? [outcome.answer] : []));
  const ids = new Set(accepted.map(({ msgId }) => msgId));
  if (ids.size > 1) broken.push(`M7: ${name} has ${ids.size} ids`);
  const answer = acceptedOf(message);
  if (!answer) return broken;
  if (Number(answer.totalCost) !== answer.numParts * unitPrice) broken.push(`A5: ${name} costs ${answer.totalCost}`);
  const report = await answers.report(message.account, answer.msgId);
  if (!report) return [...broken, `A1: ${name} was accepted, and is unknown`];
  if (rankOf(report.event) < endRank) broken.push(`A3: ${name} ends as ${report.event}`);
  return broken;
}

function judgeEvents(message: Sent): string[] {
  const { events, number } = message;
  const broken: string[] = [];
  for (const [at, event] of events.entries()) {
    const before = events[at - 1];
    if (before === undefined) continue;
    if (rankOf(event) < rankOf(before)) broken.push(`A4: message ${number} went from ${before} to ${event}`);
  }
  return broken;
}
