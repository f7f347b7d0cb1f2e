/* The fields of a message to send, and the error for an unknown field. */

import { invalid, unknownField } from './morsel-error.ts';

export interface Message {
  /** An international number, a short code, or up to 11 characters with a letter. */
  readonly sender: string;
  /** An international number: `+41791234567`. */
  readonly receiver: string;
  readonly text: string;
  /**
   * `GSM`: refused if a character is not in that alphabet. `UCS`: always Unicode. `SMS` (the default): as the text
   * needs.
   */
  readonly dcs?: 'GSM' | 'UCS' | 'SMS';
  /** Your own reference, up to 64 characters, returned in reports and webhooks. */
  readonly clientRef?: string;
  /** Seconds after which the message expires. */
  readonly validity?: number;
  /** When to send it. */
  readonly sendAt?: string | Date;
  /** Shown at once and not kept by the phone. */
  readonly flash?: boolean;
  readonly priority?: 'normal' | 'high';
  /** One key a message, up to 255 printable characters (default: a new one). */
  readonly idempotencyKey?: string;
}

/** Every field of a message; the compiler checks that none is missing. */
const known: Readonly<Record<keyof Message, true>> = {
  sender: true,
  receiver: true,
  text: true,
  dcs: true,
  clientRef: true,
  validity: true,
  sendAt: true,
  flash: true,
  priority: true,
  idempotencyKey: true,
};
const names = Object.keys(known);

/** Typing errors up to which a name is suggested. */
const slipsMax = 2;

/**
 * Throws for an unknown field: if a misspelt `validity` were ignored, the message could be delivered too late. The
 * error suggests a near field, or else lists all.
 */
export function needKnownFields(message: object): void {
  const strange = Object.entries(message).find(([name, value]) => value !== undefined && !names.includes(name))?.[0];
  if (strange === undefined) return;
  // Something that is no name may be a text, so it is not repeated.
  if (!/^\w{1,40}$/.test(strange)) throw invalid('message', `has an unknown field: it may have ${names.join(', ')}`);
  const meant = near(strange);
  throw unknownField(
    strange,
    meant === undefined ? `: a message may have ${names.join(', ')}` : `; did you mean ${meant}?`,
  );
}

/** The field that it probably misspells: it begins alike, and at most two letters differ. */
function near(strange: string): string | undefined {
  const typed = strange.toLowerCase();
  const alike = names
    .filter((name) => name[0] === typed[0])
    .map((name) => ({ name, slips: slips(typed, name.toLowerCase()) }));
  const fewest = Math.min(...alike.map((each) => each.slips));
  return fewest > slipsMax ? undefined : alike.find((each) => each.slips === fewest)?.name;
}

/** Insertions, deletions and replacements between two words (Levenshtein), row by row. */
function slips(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [row, letter] of Array.from(from).entries()) {
    const here = [row + 1];
    for (const [column, other] of Array.from(to).entries()) {
      const replaced = (above[column] ?? 0) + (letter === other ? 0 : 1);
      here.push(Math.min(replaced, (above[column + 1] ?? 0) + 1, (here[column] ?? 0) + 1));
    }
    above = here;
  }
  return above[to.length] ?? 0;
}
