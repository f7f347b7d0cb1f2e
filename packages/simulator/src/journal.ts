import { closeSync, openSync, writeSync } from 'node:fs';
import type { MessageState } from '@morsel/smpp';

/*
 * The journal of the simulator: what it received, answered and sent, for tests and for people.
 */

/**
 * One event of the simulator. `time` is in milliseconds since 1970. Sessions are numbered in the order of their
 * binds, and submit_sm (`serial`) in the order in which they were read. Entries contain texts only if `journalTexts`
 * is set.
 */
export type JournalEntry = { readonly time: number } & (
  | {
      readonly event: 'bind';
      readonly command: string;
      readonly system_id: string;
      /** null: no answer. */
      readonly command_status: number | null;
    }
  | {
      /**
       * `time` is when the submit_sm was read. The entry may be written later, when it is known whether it gets an
       * answer.
       */
      readonly event: 'submit';
      readonly session: number;
      readonly serial: number;
      /** Requests of its session without an answer, this one included. */
      readonly unanswered: number;
      readonly sequence_number: number;
      /** The message_id of the answer; null if there is none. */
      readonly message_id: string | null;
      /** null: no answer. */
      readonly command_status: number | null;
      readonly source: string;
      readonly destination: string;
      readonly octets: number;
      readonly esm_class: number;
      readonly data_coding: number;
      readonly registered_delivery: number;
      /** Decoded as UCS-2 or Latin-1. The exact octets are in `hex`. */
      readonly text?: string;
      readonly hex?: string;
    }
  /** A submit_sm that came after the simulator hung up or fell silent. It is ignored. */
  | {
      readonly event: 'unheard';
      readonly session: number;
      readonly sequence_number: number;
      readonly destination: string;
      readonly text?: string;
    }
  /** A delivery to a client. Each attempt has an entry. */
  | (DeliveryEntry<'receipt'> & { readonly session: number })
  | (DeliveryEntry<'inbound'> & { readonly session: number })
  | (DeliveryEntry<'receipt_answer'> & DeliveryAnswer)
  | (DeliveryEntry<'inbound_answer'> & DeliveryAnswer)
);

interface DeliveryEntry<E> {
  readonly event: E;
  /** The serial of the receipt's submit_sm; null if there is none. */
  readonly serial: number | null;
  /** The id in the receipt; null for an inbound message. */
  readonly message_id: string | null;
  readonly stat: string | null;
  /** The state of the receipt. If TLVs and text differ, that of the TLVs. */
  readonly state: MessageState | null;
  readonly source: string;
  readonly destination: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/** The client's answer; null if there was none. */
interface DeliveryAnswer {
  readonly command_status: number | null;
}

export interface Journal {
  write(entry: JournalEntry): void;
  close(): void;
}

/**
 * A journal that writes to a file (one JSON object in each line), to a function, or nowhere. The lines of one turn of
 * the event loop are appended together and synchronously, so that no answered message is missing after a kill.
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
