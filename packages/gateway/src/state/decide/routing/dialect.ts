import { namesReceiver, type Numbers, type ReceiptDialect } from '../../../core/message/receipt.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { dialectTable } from '../../tables/learning.ts';
import type { AttemptRow } from '../../tables/message.ts';
import type { Rows } from '../../rows/rows.ts';

/** The most characters of an example id. */
const exampleMax = 64;

/** Whether a receipt swaps the submitted source and destination or keeps them; known once the receipt is matched. */
type AddressOrder = 'swapped back' | 'as submitted' | 'other numbers';

/** A receipt with its form, if that is counted. */
interface Formed extends Numbers {
  readonly at: Instant;
  readonly carrier: number;
  readonly carrierId: string;
  readonly dialect?: ReceiptDialect;
}

/**
 * Counts properties of the form of a carrier's receipts. The order of the two numbers is known only for a matched
 * receipt.
 */
export function seeDialect(rows: Rows, command: Formed, attempt: AttemptRow | undefined): void {
  const { carrier, at, dialect } = command;
  if (!dialect) return;
  const message = attempt && rows.messages.get(attempt.message);
  const traits = { ...dialect, ...(message && { addresses: orderOf(message, command) }) };
  for (const [trait, value] of Object.entries(traits)) {
    const example = command.carrierId.slice(0, exampleMax);
    rows.put(dialectTable, { carrier, trait, value, seen: 1, firstAt: at, lastAt: at, example });
  }
}

/** Counts an inbound message that has the form of a receipt without a mark. A person may have typed its id, so it is not kept. */
export function seeUnread(rows: Rows, { carrier, at }: Pick<Formed, 'carrier' | 'at'>): void {
  const seen = { seen: 1, firstAt: at, lastAt: at, example: '' };
  rows.put(dialectTable, { carrier, trait: 'unread', value: 'text like a receipt', ...seen });
}

/** The order of the numbers in a receipt. In the command, source and destination are already swapped back. */
function orderOf(message: Numbers, receipt: Numbers): AddressOrder {
  if (namesReceiver(message, { sender: '', receiver: receipt.receiver })) return 'swapped back';
  return namesReceiver(message, receipt) ? 'as submitted' : 'other numbers';
}
