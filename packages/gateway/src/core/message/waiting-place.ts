import type { Instant } from '@morsel/api/values/time.ts';

/*
 * A position in the list of all waiting messages, which has the queued messages first and then the scheduled messages.
 * A long list is read in steps, and each step begins at a position.
 */

export type WaitingPlace =
  | {
      readonly kind: 'queued';
      readonly route: number;
      readonly eligible: string;
      readonly priority: number;
      readonly account: number;
      readonly due: Instant;
      readonly message: number;
      readonly part: number;
    }
  | { readonly kind: 'scheduled'; readonly dueAt: Instant; readonly message: number };

export const firstPlace: WaitingPlace = {
  kind: 'queued',
  route: -1,
  eligible: '',
  priority: 0,
  account: 0,
  due: 0,
  message: 0,
  part: 0,
};

const queuedPattern = /^q\/(-?\d{1,15})\/([\d=!~%<&]*)\/(-?\d{1,15})\/(\d{1,15})\/(\d{1,16})\/(\d{1,16})\/(\d{1,3})$/;
const scheduledPattern = /^s\/(\d{1,16})\/(\d{1,16})$/;

/** Callers of the operator's API must not interpret this text. */
export function placeText(place: WaitingPlace): string {
  if (place.kind === 'scheduled') return `s/${place.dueAt}/${place.message}`;
  const { route, eligible, priority, account, due, message, part } = place;
  return `q/${route}/${eligible}/${priority}/${account}/${due}/${message}/${part}`;
}

export function parsePlace(text: string): WaitingPlace | undefined {
  const [, dueAt, scheduled] = scheduledPattern.exec(text) ?? [];
  if (dueAt !== undefined) return { kind: 'scheduled', dueAt: Number(dueAt), message: Number(scheduled) };
  const [, route, eligible = '', priority, account, due, message, part] = queuedPattern.exec(text) ?? [];
  if (route === undefined) return undefined;
  return {
    kind: 'queued',
    route: Number(route),
    eligible,
    priority: Number(priority),
    account: Number(account),
    due: Number(due),
    message: Number(message),
    part: Number(part),
  };
}
