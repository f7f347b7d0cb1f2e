/* What clients of a simulation ask for: messages of all kinds, and requests that the gateway must refuse. */

import { toMicros } from '@morsel/api/values/money.ts';
import type { Success } from '../../../src/edge/http/routes.ts';
import { toMessageId } from '../../../src/core/base/message-id.ts';
import type { AcceptedMessage } from '../../../src/flow/ports.ts';
import type { Chance } from '../../support/chance.ts';

/** The members of a request to send, as JSON has them. */
export interface SendBody {
  readonly sender: string;
  readonly receiver: string;
  readonly text: string;
  readonly dcs: string;
  readonly validity: string;
  readonly priority?: string;
  readonly sendAt?: string;
  readonly idempotencyKey?: string;
}

/** A change of a request that makes the gateway refuse it. */
export interface Flaw extends Partial<SendBody> {
  readonly token?: string;
  /** Octets that are no JSON. */
  readonly isCut?: true;
  /** The account that has rules. */
  readonly isOfRuled?: true;
}

/** One flaw for each reason to refuse. `digits` are the receiver's own. */
const flaws: readonly ((digits: string) => Flaw)[] = [
  () => ({ isCut: true }),
  () => ({ text: ' ' }),
  () => ({ validity: '59' }),
  () => ({ sender: 'too long for a name' }),
  () => ({ dcs: 'GSM', text: 'тест' }),
  () => ({ token: 'morsel_wrong' }),
  (digits) => ({ receiver: `+4930${digits}` }),
  (digits) => ({ receiver: `+42060${digits}` }),
  (digits) => ({ receiver: `+43660${digits}`, isOfRuled: true }),
  () => ({ sender: 'Other', isOfRuled: true }),
];

export function flawOf(chance: Chance, digits: string): Flaw {
  return chance.pick(flaws)(digits);
}

/** Letters, and the most parts with them. A character outside of the GSM alphabet makes a text of 67 letters a part. */
const alphabets = [
  { dcs: ['GSM', 'SMS', 'UCS'], letters: Array.from('abcdefghijklmnopqrstuvwxyz ') },
  { dcs: ['GSM', 'SMS'], letters: Array.from('aeiou @£$¥èéùìòÇØøÅåΔΦΓΛΩΠΨΣΘΞÆæßÉÄÖÑÜ§äöñüà{}[]~|^€\\') },
  { dcs: ['SMS', 'UCS'], letters: Array.from('aeçğışöüĞİŞ Жизньمرحبا日本語😀👍') },
] as const;
/** No alphabet has more letters in a part of a long message. */
const partLetters = 153;

/** A text that begins with the message's number. It fits into so many parts of the basic letters. */
export function textOf(
  chance: Chance,
  number: number,
  parts: number,
  isBasic = parts > 1,
): Pick<SendBody, 'text' | 'dcs'> {
  const length = parts === 1 ? chance.between(5, 55) : (parts - 1) * partLetters + chance.between(20, 100);
  // Long messages have the basic letters only, because most accounts allow few parts.
  const { dcs, letters } = isBasic || chance.happens(0.6) ? alphabets[0] : chance.pick(alphabets);
  const text = Array.from({ length }, () => chance.pick(letters)).join('');
  return { text: `m${number} ${text}`, dcs: parts > 1 ? 'GSM' : chance.pick(dcs) };
}

/** Each message has a receiver of its own. */
export function receiverOf(number: number): string {
  return `+4179${digitsOf(number)}`;
}

export function digitsOf(number: number): string {
  return String(2_000_000 + number);
}

/** Reads the answer to a request to send. */
export function readAccepted(answer: Success): AcceptedMessage {
  const { msgId, numParts, totalCost, clientBalance, clientCurrency } = jsonOf(answer);
  return {
    msgId: toMessageId(Number(msgId)),
    numParts: Number(numParts),
    totalCost: microsOf(totalCost),
    clientBalance: microsOf(clientBalance),
    clientCurrency: String(clientCurrency),
    ...(typeof answer === 'object' && { isReplayed: true }),
  };
}

export function jsonOf(answer: Success): Readonly<Record<string, unknown>> {
  const body = typeof answer === 'string' ? answer : answer.body;
  if (typeof body !== 'string') throw new Error('an answer is no text');
  return { ...Object(JSON.parse(body)) };
}

/** The amounts of a simulation are so small that a number of JSON has them exactly enough. */
function microsOf(amount: unknown) {
  return toMicros(BigInt(Math.round(Number(amount) * 1_000_000)));
}
