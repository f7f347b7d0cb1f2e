import type { MessageId } from '../core/base/message-id.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Random } from '../runtime/random.ts';
import type { Journal } from '../store/journal.ts';
import type { Reader } from '../store/reader.ts';

/** What nearly every part of the gateway takes, and types of requests and answers that HTTP and SMPP share. */

/** The tools of the gateway. A function names those that it takes: `Pick<Tools, 'clock' | 'log'>`. */
export interface Tools {
  readonly log: DetailLog & EventLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly journal: Pick<Journal, 'append'>;
  readonly reader: Pick<Reader, 'ask'>;
  /** A reader with its own thread, for what takes long, such as whole price lists: no client waits for it. */
  readonly prices: Pick<Reader, 'ask'>;
}

/** The answer for an accepted message. It is sent only after the commit (A1). */
export interface AcceptedMessage {
  readonly msgId: MessageId;
  readonly numParts: number;
  readonly totalCost: Micros;
  /** The balance right after this message was charged (M6). */
  readonly clientBalance: Micros;
  readonly clientCurrency: string;
  /** Set if this message was already accepted with the same idempotency key, so nothing is charged or sent again. */
  readonly isReplayed?: true;
}

export interface Balance {
  readonly clientBalance: Micros;
  readonly clientCurrency: string;
}

/** Who submitted a message. Name, address and session are stored with the message. */
export interface Submitter {
  /** The public id of a token, the system_id of a session, or the name of an operator. */
  readonly name: string;
  readonly address?: string | undefined;
  /** The name of the SMPP session, as `session list` shows it. */
  readonly session?: string | undefined;
}

export interface EventLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Call `isLevelEnabled` before building a line, because most are below the log level. Lines contain ids of messages,
 * never phone numbers or texts.
 */
export interface DetailLog {
  isLevelEnabled?(level: 'debug' | 'trace'): boolean;
  debug?(fields: object, message: string): void;
  trace?(fields: object, message: string): void;
}
