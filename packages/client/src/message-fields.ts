import { invalid, unknownField } from './morsel-error.ts';

export interface Message {
  /** An international number, a short code, or up to 11 characters with a letter. */
  readonly sender: string;
  /** An international number: `+41791234567`. */
  readonly receiver: string;
  readonly text: string;
  /** `GSM`: refused if a character is not in that alphabet. `UCS`: Unicode always. `SMS`, the default: whichever the text needs. */
  readonly dcs?: 'GSM' | 'UCS' | 'SMS';
  /** A word of yours, up to 64 characters, given back in reports and notices. */
  readonly clientRef?: string;
  /** Seconds after which the message is no longer worth delivering. */
  readonly validity?: number;
  /** When to send it. */
  readonly sendAt?: string | Date;
  /** Shown at once, and not kept by the phone. */
  readonly flash?: boolean;
  readonly priority?: 'normal' | 'high';
  /** One message, one key, up to 255 printable characters; one is made where none is given. */
  readonly idempotencyKey?: string;
}

/** Every field of a message: the compiler sees to it that none is missing. */
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

/** Slips of the keyboard after which a name is still taken for the one that was meant. */
const slipsMax = 2;

/**
 * Throws for a field that no message has: dropped in silence, a misspelt `validity` would be a message that is delivered
 * too late. The error suggests the field that was meant, if one is near, and else lists all.
 */
export function needKnownFields(message: object): void {
  const strange = Object.entries(message).find(([name, value]) => value !== undefined && !names.includes(name))?.[0];
  if (strange === undefined) return;
  // What is no name may be a text of somebody: it is not repeated.
  if (!/^\w{1,40}$/.test(strange)) throw invalid('message', `has an unknown field: it may have ${names.join(', ')}`);
  const meant = near(strange);
  throw unknownField(
    strange,
    meant === undefined ? `: a message may have ${names.join(', ')}` : `; did you mean ${meant}?`,
  );
}

/** The field that it is most likely a misspelling of: it begins alike, and at most two letters differ. */
function near(strange: string): string | undefined {
  const typed = strange.toLowerCase();
  const alike = names
    .filter((name) => name[0] === typed[0])
    .map((name) => ({ name, slips: slips(typed, name.toLowerCase()) }));
  const fewest = Math.min(...alike.map((each) => each.slips));
  return fewest > slipsMax ? undefined : alike.find((each) => each.slips === fewest)?.name;
}

/** Insertions, deletions and replacements that lead from one word to the other (Levenshtein), row by row. */
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
