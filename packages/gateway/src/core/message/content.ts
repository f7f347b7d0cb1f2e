/*
 * The content of a message: one shape from admission to the carrier's link, the notification and the operator's views. Also its
 * report for the client.
 */

import { echoOf, type Echo, type MessageEvent } from '@morsel/api/values/message.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { compose, type Dcs } from '@morsel/gsm';
import type { MessageId } from '../base/message-id.ts';
import type { Extra } from '../routing/extras.ts';
import { restoreClientEncoded, type Composition, type PartEncoding } from './client-encoded-part.ts';

/** The part of the content that the store encrypts. */
export interface SaidContent {
  /** Null if the message is not text. */
  readonly text: string | null;
  /** User data of a client-encoded part, without its header; null if the gateway makes the parts of the text. */
  readonly octets: Uint8Array | null;
  /** The user data header of a client-encoded part, with its length octet; null for no header. */
  readonly header: Uint8Array | null;
}

/** The final states of a message for which the client's sessions get a receipt. */
export type WantedReceipts = 'none' | 'all' | 'failures' | 'successes';

/** The content of a message. Plain data: it crosses threads, and the table `message` has its members. */
export interface MessageContent extends Echo, SaidContent {
  readonly sender: string;
  readonly receiver: string;
  readonly dcs: Dcs | 'BIN';
  readonly encoding: PartEncoding;
  /** Concatenation reference of the message's parts (3GPP TS 23.040, 9.2.3.24.1); null if it has one part. */
  readonly reference: number | null;
  readonly numParts: number;
  readonly flash: boolean;
  readonly wantedReceipts: WantedReceipts;
  /** What the carrier gets from the client unchanged; null for none. */
  readonly extras: readonly Extra[] | null;
  /** False: the text is deleted as soon as no carrier needs it any more. */
  readonly storeText: boolean;
}

/** The report of a message for its client: the answer of /sms/dlr, and the content of a receipt. */
export interface MessageReport extends Echo {
  readonly msgId: MessageId;
  readonly event: MessageEvent;
  readonly eventAt: Instant;
  readonly errorCode: string | null;
  readonly numParts: number;
  /** When the message became due. */
  readonly sendTime: Instant;
}

export function contentOf(from: MessageContent): MessageContent {
  const { sender, receiver, dcs, encoding, text, octets, header, reference, numParts, flash } = from;
  const sent = { sender, receiver, dcs, encoding, text, octets, header, reference, numParts, flash };
  const { wantedReceipts, extras, storeText } = from;
  return { ...sent, wantedReceipts, extras, storeText, ...echoOf(from) };
}

export function envelopeOf(from: Omit<MessageContent, keyof SaidContent>): Omit<MessageContent, keyof SaidContent> {
  const { sender, receiver, dcs, encoding, reference, numParts, flash, wantedReceipts, extras, storeText } = from;
  const sent = { sender, receiver, dcs, encoding, reference, numParts, flash };
  return { ...sent, wantedReceipts, extras, storeText, ...echoOf(from) };
}

/** The parts of a message, made again from its content; undefined if its text can no longer be composed. */
export function composeAgain(content: MessageContent): Composition | undefined {
  const { octets, text, dcs, encoding } = content;
  if (octets) return restoreClientEncoded(content, { octets, encoding });
  if (dcs === 'BIN') return undefined;
  const composed = compose(text ?? '', dcs);
  return composed.ok ? composed : undefined;
}
