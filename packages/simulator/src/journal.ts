import { closeSync, openSync, writeSync } from 'node:fs';
import type { MessageState } from '@morsel/smpp';

/*
 * The journal of the simulator. The journal records received messages, their answers, and deliveries, for tests and for
 * people.
 */

/**
 * One event of the simulator. `time` is in milliseconds since 1970. `session` numbers the sessions in the order of
 * their binds, and `serial` numbers the submit_sm in the order in which they were read. Entries contain the texts of
 * messages only if `journalTexts` is set.
 */
export type JournalEntry = { readonly time: number } & (
  | {
      readonly event: 'bind';
      readonly command: string;
      readonly system_id: string;
      /** The status of the answer to the bind; null if the simulator sent no answer. */
      readonly command_status: number | null;
    }
  | {
      /**
       * `time` is the time when the submit_sm was read. The entry may be written later, when the simulator knows
       * whether it sends an answer.
       */
      readonly event: 'submit';
      readonly session: number;
      readonly serial: number;
      /** How many requests of the session wait for an answer, including this request. */
      readonly unanswered: number;
      readonly sequence_number: number;
      /** The message_id in the answer; null if the answer has no message_id. */
      readonly message_id: string | null;
      /** The status of the answer; null if the simulator sent no answer. */
      readonly command_status: number | null;
      readonly source: string;
      readonly destination: string;
      readonly octets: number;
      readonly esm_class: number;
      readonly data_coding: number;
      readonly registered_delivery: number;
      /** The text of the message, decoded as UCS-2 or Latin-1. `hex` contains the exact octets. */
      readonly text?: string;
      readonly hex?: string;
    }
  /** A submit_sm that came after the simulator ended the connection or stopped answering. The simulator ignored it. */
  | {
      readonly event: 'unheard';
      readonly session: number;
      readonly sequence_number: number;
      readonly destination: string;
      readonly text?: string;
    }
  /**
   * A receipt or inbound message for a client. Each attempt to deliver a receipt or inbound message has its own entry.
   */
  | (DeliveryEntry<'receipt'> & { readonly session: number })
  | (DeliveryEntry<'inbound'> & { readonly session: number })
  | (DeliveryEntry<'receipt_answer'> & DeliveryAnswer)
  | (DeliveryEntry<'inbound_answer'> & DeliveryAnswer)
);

interface DeliveryEntry<E> {
  readonly event: E;
  /**
   * The serial of the submit_sm that the receipt belongs to; null if the receipt belongs to none, and for an inbound
   * message.
   */
  readonly serial: number | null;
  /** The id in the receipt; null for an inbound message. */
  readonly message_id: string | null;
  readonly stat: string | null;
  /** The state in the receipt. If the TLVs and the text contain different states, `state` is the state of the TLVs. */
  readonly state: MessageState | null;
  readonly source: string;
  readonly destination: string;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
}

/** The client's answer to a delivery; `command_status` is null if no answer came. */
interface DeliveryAnswer {
  readonly command_status: number | null;
}

export interface Journal {
  write(entry: JournalEntry): void;
  close(): void;
}

/**
 * Opens a journal that writes to a file (one JSON object in each line), to a function, or nowhere. All lines of one
 * iteration of the event loop are appended together. Lines are written synchronously, so that no answered message is
 * missing in the file if the process is killed.
 */
export function openJournal(target: string | ((entry: JournalEntry) => void) | undefined): Journal {
  if (target === undefined) return { write: () => undefined, close: () => undefined };
  if (typeof target === 'function') return { write: target, close: () => undefined };
  const file = openSync(target, 'a');
  let lines: string[] = [];
  let scheduled: NodeJS.Immediate | undefined;
  function flush(): void {
    scheduled = undefined;
    if (lines.length === 0) return;
    writeSync(file, `${lines.join('\n')}\n`);
    lines = [];
  }
  return {
    write(entry) {
      lines.push(JSON.stringify(entry));
      scheduled ??= setImmediate(flush);
    },
    close() {
      if (scheduled !== undefined) clearImmediate(scheduled);
      flush();
      closeSync(file);
    },
  };
}
