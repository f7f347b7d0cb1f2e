import { closeSync, openSync, writeSync } from 'node:fs';
import type { MessageState } from '@morsel/smpp';

/**
 * One thing that happened at the simulator; `time` in milliseconds since 1970. Texts only where tests want them. Sessions are
 * numbered in the order of their binds, submit_sm in that in which they were read.
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
      /** `time` is when it was read, also where it is written down later, once it is clear whether it is answered. */
      readonly event: 'submit';
      readonly session: number;
      readonly serial: number;
      /** Requests of its session without an answer, this one among them. */
      readonly unanswered: number;
      readonly sequence_number: number;
      /** As the answer has it; null where it has none, or there is no answer. */
      readonly message_id: string | null;
      /** null: no answer. */
      readonly command_status: number | null;
      readonly source: string;
      readonly destination: string;
      readonly octets: number;
      readonly esm_class: number;
      readonly data_coding: number;
      readonly registered_delivery: number;
      /** Latin-1 for what is not UCS-2; the exact octets are in `hex`. */
      readonly text?: string;
      readonly hex?: string;
    }
  /** A submit_sm that came after we had hung up, or fallen silent: read, and nothing more. */
  | {
      readonly event: 'unheard';
      readonly session: number;
      readonly sequence_number: number;
      readonly destination: string;
      readonly text?: string;
    }
  /** Sent to the client, once more at every try. */
  | (DeliveryEntry<'receipt'> & { readonly session: number })
  | (DeliveryEntry<'inbound'> & { readonly session: number })
  | (DeliveryEntry<'receipt_answer'> & DeliveryAnswer)
  | (DeliveryEntry<'inbound_answer'> & DeliveryAnswer)
);

interface DeliveryEntry<E> {
  readonly event: E;
  /** That of the submit_sm that a receipt is about; null for what is about none. */
  readonly serial: number | null;
  /** As it stands in the receipt; null for an inbound message. */
  readonly message_id: string | null;
  readonly stat: string | null;
  /** What the receipt means, whatever word its text has: its TLVs win. */
  readonly state: MessageState | null;
  readonly source: string;
  readonly destination: string;
  /** 1 for the first try. */
  readonly attempt: number;
}

/** What the client answered; null: nothing, or the session ended. */
interface DeliveryAnswer {
  readonly command_status: number | null;
}

export interface Journal {
  write(entry: JournalEntry): void;
  close(): void;
}

/**
 * A journal that goes to a file, one JSON object a line, or to a function, or nowhere. Lines of one turn of the event loop
 * are appended together, synchronously: what the simulator has answered must not be missing after it is killed.
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
