/* The fields of a message to send, and the check for unknown fields. */

import { messageFields, type SendRequest } from './contract.ts';
import { invalid, unknownField } from './morsel-error.ts';

/** The fields whose types here are narrower or wider than in the contract. */
type Changed = 'sender' | 'receiver' | 'dcs' | 'tags' | 'sendAt';

export interface Message extends Omit<SendRequest, 'auth' | Changed> {
  /** The sender: an international number, a short code, or up to 11 characters with at least one letter. */
  readonly sender: string;
  /** The receiver: an international number, such as `+41791234567`. */
  readonly receiver: string;
  /**
   * The encoding of the text. `GSM`: GSM 7 bit; a text with other characters is refused. `UCS`: always UCS-2. `SMS`
   * (the default): GSM if all characters are in the GSM alphabet, otherwise UCS-2.
   */
  readonly dcs?: SendRequest['dcs'];
  /** Up to 8 different words, each of 1 to 32 letters, digits and the characters `.`, `_`, `:` and `-`. */
  readonly tags?: readonly string[];
  /** The time at which the gateway shall send the message. */
  readonly sendAt?: string | Date;
}

const names: readonly string[] = messageFields;

export function valuesOf(message: Message): object {
  return Object.fromEntries(names.map((name) => [name, Reflect.get(message, name)]));
}

/** The most typing errors in a name for which we suggest a field. */
const slipsMax = 2;

/**
 * Throws if a message has an unknown field. If we ignored a misspelt `validity`, the message could be delivered too
 * late. The error suggests a field with a similar name, or lists all fields.
 */
export function needKnownFields(message: object): void {
  const strange = Object.entries(message).find(([name, value]) => value !== undefined && !names.includes(name))?.[0];
  if (strange === undefined) return;
  // A name with unusual characters may be part of a message text, so the error does not repeat it.
  if (!/^\w{1,40}$/.test(strange))
    throw invalid('message', `has an unknown field; the fields of a message are ${names.join(', ')}`);
  const meant = near(strange);
  throw unknownField(
    strange,
    meant === undefined ? `; the fields of a message are ${names.join(', ')}` : `; did you mean ${meant}?`,
  );
}

/** Returns the field that was probably meant: it begins with the same letter, and at most two letters differ. */
function near(strange: string): string | undefined {
  const typed = strange.toLowerCase();
  const alike = names
    .filter((name) => name[0] === typed[0])
    .map((name) => ({ name, slips: slips(typed, name.toLowerCase()) }));
  const fewest = Math.min(...alike.map((each) => each.slips));
  return fewest > slipsMax ? undefined : alike.find((each) => each.slips === fewest)?.name;
}

/** Counts the insertions, deletions and replacements between two words (the Levenshtein distance), row by row. */
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
