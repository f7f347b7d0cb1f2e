import { closeSync, openSync, writeSync } from 'node:fs';
import type { MessageState } from '@morsel/smpp';

/* Records received messages, their answers, and deliveries, for tests and for people. */

/**
 * `time` is in milliseconds since 1970. `session` numbers the sessions in the order of their binds, and `serial` the
 * submit_sm in the order of reading. Texts of messages are there only if `journalTexts` is set.
 */
export type JournalEntry = { readonly time: number } & (
  | {
      readonly event: 'bind';
      readonly command: string;
      readonly system_id: string;
      /** Null if the simulator sent no answer. */
      readonly command_status: number | null;
    }
  | {
      /**
       * `time` is when the submit_sm was read. The entry is written later, when it is clear whether an answer is sent.
       */
      readonly event: 'submit';
      readonly session: number;
      readonly serial: number;
      /** Unanswered requests of the session, including this one. */
      readonly unanswered: number;
      readonly sequence_number: number;
      /** Null if the answer has no message_id. */
      readonly message_id: string | null;
      /** Null if the simulator sent no answer. */
      readonly command_status: number | null;
      readonly source: string;
      readonly destination: string;
      readonly octets: number;
      readonly esm_class: number;
      readonly data_coding: number;
      readonly registered_delivery: number;
      /** The text, decoded as UCS-2 or Latin-1. `hex` contains the exact octets. */
      readonly text?: string;
      readonly hex?: string;
    }
  /** A request that was ignored after the simulator ended the connection or stopped answering. */
  | {
      readonly event: 'unheard';
      readonly session: number;
      readonly sequence_number: number;
      readonly destination: string;
      readonly text?: string;
    }
  /** Each attempt to deliver has its own entry. */
  | (DeliveryEntry<'receipt'> & { readonly session: number })
  | (DeliveryEntry<'inbound'> & { readonly session: number })
  | (DeliveryEntry<'receipt_answer'> & DeliveryAnswer)
  | (DeliveryEntry<'inbound_answer'> & DeliveryAnswer)
);

interface DeliveryEntry<E> {
  readonly event: E;
  /** Null if the receipt belongs to no submit_sm, and for an inbound message. */
  readonly serial: number | null;
  /** Null for an inbound message. */
  readonly message_id: string | null;
  readonly stat: string | null;
  /** The state in the receipt. If TLVs and text contain different states, it is that of the TLVs. */
  readonly state: MessageState | null;
  readonly source: string;
  readonly destination: string;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
}

/** `command_status` is null if no answer came. */
interface DeliveryAnswer {
  readonly command_status: number | null;
}

export interface Journal {
  write(entry: JournalEntry): void;
  close(): void;
}

/**
 * Opens the journal: a file (one JSON object in each line), a function, or nothing. Lines of one iteration of the event
 * loop are written in one batch, synchronously: no answered message is missing if the process is killed.
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
