/*
 * Words about messages and receipts, and what a client gives with a message and gets back. A new member of `Echo` is
 * also described in the APIs and the table `message`; all other places pass it on.
 */

import { ok, refused, type Result } from './result.ts';

/** Final states that a delivery receipt can report. */
export const receiptEnds = ['delivered', 'undelivered', 'rejected', 'expired', 'unknown'] as const;

/** Events as `/sms/dlr` answers them. */
export const messageEvents = ['scheduled', 'queued', 'sent', 'buffered', ...receiptEnds, 'canceled'] as const;
export type MessageEvent = (typeof messageEvents)[number];

/** The events of which the callback of a message may notify. */
export const callbackEvents = ['sent', 'buffered', ...receiptEnds, 'canceled'] as const satisfies MessageEvent[];
export type CallbackEvent = (typeof callbackEvents)[number];

export const partEnds = [...receiptEnds, 'canceled'] as const;

export const priorities = ['normal', 'high'] as const;
export type Priority = (typeof priorities)[number];

/** The validity of a message in seconds: for so long the gateway tries to deliver the message. */
export const validitySeconds = { min: 60, max: 259_200, standard: 172_800 } as const;

/** Decisions about a part in doubt: send the part again, treat it as accepted by the carrier, or end it as unknown. */
export const doubtSettlements = ['resend', 'sent', 'unknown'] as const;
export type DoubtSettlement = (typeof doubtSettlements)[number];

/**
 * Why a receipt is unmatched. `unknown`: no answer surely has its message id. `unreadable`: the state in the receipt
 * cannot be read.
 */
export const unmatchedReasons = ['unknown', 'unreadable'] as const;
export type UnmatchedWhy = (typeof unmatchedReasons)[number];

/** The members that a client gives with a message and gets back; null if the client did not give one. */
export interface Echo {
  readonly clientRef: string | null;
  readonly tags: readonly string[] | null;
}

/** Members as the client gave them. */
export type GivenEcho = { readonly [Name in keyof Echo]?: Echo[Name] | string | undefined };

export function givenEcho(textOf: (name: keyof Echo) => string | undefined): GivenEcho {
  return { clientRef: textOf('clientRef'), tags: textOf('tags') };
}

/** The members that `webhook test` sends, in the order in which reports have them. */
export const sampleEcho: Echo = { clientRef: 'test', tags: ['test'] };
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- these are all its members
export const echoNames = Object.keys(sampleEcho) as readonly (keyof Echo)[];

export function echoOf({ clientRef, tags }: Echo): Echo {
  return { clientRef, tags };
}

const clientRefMax = 64;
const controlPattern = /\p{Cc}/u;

export function readEcho(given: GivenEcho): Result<Echo, { readonly field: keyof Echo; readonly detail: string }> {
  const { clientRef = null } = given;
  if (clientRef !== null && !isClientRef(clientRef)) {
    const detail = `clientRef must have at most ${clientRefMax} characters, without control characters and halves of surrogate pairs`;
    return refused({ field: 'clientRef', detail });
  }
  const tags = wordsOf(given.tags ?? []);
  if (tags.length > tagsMax || new Set(tags).size < tags.length || !tags.every((tag) => tagPattern.test(tag)))
    return refused({ field: 'tags', detail: `tags must be at most ${tagsMax} different words, each ${tagForm}` });
  return ok({ clientRef, tags: tags.length === 0 ? null : tags });
}

export const tagsMax = 8;
export const tagPattern = /^[A-Za-z0-9._:-]{1,32}$/;
export const tagForm = 'with 1 to 32 of the characters A-Z, a-z, 0-9, dot, underscore, colon and hyphen';

/** The tags that a client gave. A text has commas between the words. */
function wordsOf(given: string | readonly string[]): readonly string[] {
  return typeof given === 'string' ? given.split(',').map((word) => word.trim()) : given;
}

/** Whether a clientRef can be returned unchanged in JSON and shown in lists. */
function isClientRef(input: string): boolean {
  return input.isWellFormed() && !controlPattern.test(input) && Array.from(input).length <= clientRefMax;
}
