import { ANSWERS } from './magic-answers.ts';
import { RECEIPTS } from './magic-receipts.ts';
import { REPLIES } from './magic-replies.ts';
import type { Behaviour } from './plans.ts';

/**
 * The receivers that make the simulator behave as carriers sometimes do, by the last four digits of their number, so that
 * they work behind any country code. Every other number is accepted and gets a DELIVRD receipt.
 */
export const MAGIC: Readonly<Record<string, Behaviour>> = { ...RECEIPTS, ...ANSWERS, ...REPLIES };

/** What happens to every number that is not in the table. */
export const ORDINARY: Behaviour = { about: 'accepted and delivered', receipts: [{ state: 'DELIVERED' }] };

const SUFFIX_DIGITS = 4;

/** The behaviour that a receiver asks for, if it is in the table. */
export function magicOf(destination: string): Behaviour | undefined {
  const suffix = destination.slice(-SUFFIX_DIGITS);
  return Object.hasOwn(MAGIC, suffix) ? MAGIC[suffix] : undefined;
}
