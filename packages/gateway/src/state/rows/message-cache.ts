/* Unfinished messages in the writing thread's memory, so that outcomes and receipts need not load them. */

import { isFinal } from '../../core/base/message.ts';
import { PassingMap } from '../../core/base/passing-map.ts';
import type { MessageId } from '../../core/base/message-id.ts';
import { carrierKey, type Rows } from './rows.ts';
import type { AttemptRow, MessageRow } from '../tables/message.ts';

/** With one writing connection, the messages in memory equal those in the database. */
export class MessageCache {
  readonly #messages = new PassingMap<MessageId, MessageRow>();
  readonly #attempts = new PassingMap<string, AttemptRow>();

  readonly #messagesMax: number;

  constructor(messagesMax: number) {
    this.#messagesMax = messagesMax;
  }

  message(id: MessageId): MessageRow | undefined {
    return this.#messages.get(id);
  }

  /** The attempt with this carrier id, if its part is not final. */
  attempt(key: string): AttemptRow | undefined {
    return this.#attempts.get(key);
  }

  /** After a commit: keeps unfinished messages, drops finished ones. */
  keep(rows: Rows): void {
    for (const message of rows.messages.values()) {
      if (message.parts.every((part) => isFinal(part.state))) this.forget(message.id);
      else this.#remember(message);
    }
    while (this.#messages.size > this.#messagesMax) {
      const { oldest } = this.#messages;
      if (oldest !== undefined) this.forget(oldest);
    }
  }

  clear(): void {
    this.#messages.clear();
    this.#attempts.clear();
  }

  #remember(message: MessageRow): void {
    message.change = 'none';
    for (const part of message.parts) {
      part.change = 'none';
      for (const attempt of part.loaded) {
        // An attempt under way is not stored yet. It is stored with its outcome.
        attempt.change = attempt.outcome === null ? 'new' : 'none';
        const key = keyOf(attempt);
        if (key === undefined) continue;
        if (isFinal(part.state)) this.#attempts.delete(key);
        else this.#attempts.set(key, attempt);
      }
    }
    this.#messages.set(message.id, message);
  }

  forget(id: MessageId): void {
    const message = this.#messages.get(id);
    if (!message) return;
    this.#messages.delete(id);
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
