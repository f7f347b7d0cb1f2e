/*
 * Rows of unfinished messages in the writing thread's memory, so that an outcome or a receipt need not read them back.
 */

import { isFinal } from '../../../core/base/message.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import { carrierKey } from '../../tables/rows.ts';
import type { AttemptRow, MessageRow, Rows } from '../../tables/rows.ts';

/** Messages kept: what a fast carrier has not finished within a second or two of full load, about 25 MB. */
const messagesMax = 20_000;

/**
 * The rows of messages that are still on their way, so that the outcome and the receipt that follow soon need not read
 * back what was just written. There is one writing connection, so what is kept here is what the database holds.
 */
export class MessageCache {
  readonly #messages = new Map<MessageId, MessageRow>();
  readonly #attempts = new Map<string, AttemptRow>();

  message(id: MessageId): MessageRow | undefined {
    return this.#messages.get(id);
  }

  /** The attempt that a carrier's id names, if its part has not come to its end. */
  attempt(key: string): AttemptRow | undefined {
    return this.#attempts.get(key);
  }

  /** After a commit: keeps what goes on, forgets what has ended. */
  keep(rows: Rows): void {
    for (const message of rows.messages.values()) {
      if (message.parts.every((part) => isFinal(part.state))) this.#forget(message);
      else this.#remember(message);
    }
    while (this.#messages.size > messagesMax) {
      const [oldest] = this.#messages.values();
      if (oldest) this.#forget(oldest);
    }
  }

  clear(): void {
    this.#messages.clear();
    this.#attempts.clear();
  }

  #remember(message: MessageRow): void {
    message.change = 'none';
    message.fresh = undefined;
    for (const part of message.parts) {
      part.change = 'none';
      for (const attempt of part.loaded) {
        attempt.change = 'none';
        const key = keyOf(attempt);
        if (key === undefined) continue;
        if (isFinal(part.state)) this.#attempts.delete(key);
        else this.#attempts.set(key, attempt);
      }
    }
    this.#messages.set(message.id, message);
  }

  #forget(message: MessageRow): void {
    if (!this.#messages.delete(message.id)) return;
    for (const part of message.parts) {
      for (const attempt of part.loaded) {
        const key = keyOf(attempt);
        if (key !== undefined && this.#attempts.get(key) === attempt) this.#attempts.delete(key);
      }
    }
  }
}

function keyOf(attempt: AttemptRow): string | undefined {
  return attempt.carrierIdKey === null ? undefined : carrierKey(attempt.carrier, attempt.carrierIdKey);
}
