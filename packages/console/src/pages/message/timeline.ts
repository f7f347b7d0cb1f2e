/* The life of one message as events in the order of time, from what the gateway stored about it. */

import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import type { message } from '@morsel/api/admin/message/message.ts';
import { toneOf, type Tone } from '@morsel/api/fields/shown.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { words } from '../../words/words.ts';

const { life } = words;

export type Whole = AnswerOf<typeof message.operations.show>;

interface LifeEvent {
  readonly at: Instant;
  readonly what: string;
  readonly detail?: string | undefined;
  readonly tone?: Tone | undefined;
}

type Part = Whole['parts'][number];
type Attempt = Part['attempts'][number];

/** The events of a message, with the time since the event before. */
export function lifeOf(whole: Whole): readonly (LifeEvent & { readonly laterMs: number })[] {
  const nameOf = (part: number | null) => (whole.numParts > 1 && part !== null ? `${life.part(part)}: ` : '');
  const events: readonly LifeEvent[] = [
    {
      at: whole.acceptedAt,
      what: life.accepted(whole.source),
      detail: life.submitter(whole.submitter, whole.address),
    },
    ...(whole.dueAt > whole.acceptedAt ? [{ at: whole.dueAt, what: life.due }] : []),
    ...whole.parts.flatMap((part) => [
      ...part.attempts.flatMap((attempt) => attemptEvents(attempt, nameOf(part.part))),
      stateEvent(part, nameOf(part.part)),
    ]),
    ...whole.notes.map(({ at, part, kind, detail }) => ({
      at,
      what: `${nameOf(part)}${kind.replaceAll(/[_-]/g, ' ')}`,
      detail,
    })),
    ...whole.notifications.map(({ endedAt, createdAt, state, triedBy, outcome }) => ({
      at: endedAt ?? createdAt,
      what: life.notified(state),
      detail: [triedBy, outcome].filter(Boolean).join(': '),
      tone: toneOf(state),
    })),
  ];
  const sorted = events.toSorted((one, other) => one.at - other.at);
  return sorted.map((event, index) => ({ ...event, laterMs: event.at - (sorted[index - 1]?.at ?? event.at) }));
}

function attemptEvents(attempt: Attempt, name: string): readonly LifeEvent[] {
  const { carrier, link, claimedAt, answeredAt, outcome, commandStatusName, carrierId } = attempt;
  const sent = { at: claimedAt, what: `${name}${life.sent(carrier, link, attempt.attempt)}` };
  if (answeredAt === null) return [sent];
  return [
    sent,
    {
      at: answeredAt,
      what: `${name}${commandStatusName === null ? life.unanswered : life.answered(commandStatusName)}`,
      detail: [(outcome ?? '').replaceAll('_', ' '), carrierId === null ? '' : life.carrierId(carrierId)]
        .filter(Boolean)
        .join(', '),
      tone: outcome === 'accepted' ? 'good' : 'warn',
    },
  ];
}

function stateEvent(part: Part, name: string): LifeEvent {
  const { changedAt, state, carrierState, errorCode, refundEntry } = part;
  const details = [
    carrierState === null ? '' : life.receipt(carrierState),
    errorCode === null ? '' : life.error(errorCode),
    refundEntry === null ? '' : life.refunded(refundEntry),
  ];
  return {
    at: changedAt,
    what: `${name}${state.replaceAll('_', ' ')}`,
    detail: details.filter(Boolean).join(', '),
    tone: toneOf(state),
  };
}
