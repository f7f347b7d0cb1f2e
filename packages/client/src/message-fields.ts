/* The fields of a message to send, and the check for unknown fields. */

import { messageFields, type SendRequest } from './contract.ts';
import { invalid, MorselError } from './morsel-error.ts';

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

/**
 * Throws if a message has an unknown field. If we ignored a misspelt `validity`, the message could be delivered too
 * late.
 */
export function needKnownFields(given: object): void {
  const strange = Object.entries(given).find(([name, value]) => value !== undefined && !names.includes(name))?.[0];
  if (strange === undefined) return;
  const hint = `; the fields of a message are ${names.join(', ')}`;
  // A name with unusual characters may be part of a message text, so the error does not repeat it.
  if (!/^\w{1,40}$/.test(strange)) throw invalid('message', `has an unknown field${hint}`);
  const message = `unknown field ${strange}${hint}`;
  throw new MorselError({ kind: 'invalid', code: 'invalid_argument', field: strange, message });
}
