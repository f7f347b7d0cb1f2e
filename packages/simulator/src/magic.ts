import { answers } from './magic-answers.ts';
import { receipts } from './magic-receipts.ts';
import { replies } from './magic-replies.ts';
import type { Behaviour } from './plans.ts';

/**
 * The receivers that make the simulator behave as carriers sometimes do, by the last four digits of their number, so that
 * they work behind any country code. Every other number is accepted and gets a DELIVRD receipt.
 */
export const magic: Readonly<Record<string, Behaviour>> = { ...receipts, ...answers, ...replies };

/** What happens to every number that is not in the table. */
export const ordinary: Behaviour = { about: 'accepted and delivered', receipts: [{ state: 'DELIVERED' }] };

const suffixDigits = 4;

/** The behaviour that a receiver asks for, if it is in the table. */
export function magicOf(destination: string): Behaviour | undefined {
  const suffix = destination.slice(-suffixDigits);
  return Object.hasOwn(magic, suffix) ? magic[suffix] : undefined;
}
