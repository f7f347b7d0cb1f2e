/* Writes the changed rows of inbound messages, numbers, keywords and opt-outs. */

import {
  inboundPartTable,
  inboundTable,
  joinedTable,
  keywordTable,
  numberTable,
  repeatTable,
} from '../../tables/inbound.ts';
import type { InboundRows } from '../../tables/inbound.ts';
import { optOutEventTable, optOutHandlingTable, optOutTable, optOutWordTable } from '../../tables/opt-out.ts';
import type { OptOutRows } from '../../tables/opt-out.ts';
import type { Statements } from '../statements.ts';

export function writeInbound(rows: InboundRows, statements: Statements): void {
  for (const part of rows.left) statements.remove(inboundPartTable, part);
  for (const waiting of rows.waiting.values()) {
    for (const part of waiting) statements.save(inboundPartTable, part);
  }
  for (const message of rows.made) statements.save(inboundTable, message);
  for (const { row } of rows.stored.values()) statements.save(inboundTable, row);
  for (const joined of rows.joined.values()) {
    // A phone uses its references again, so an older message may have had such a part.
    for (const row of joined.values()) if (row.change === 'new') statements.put(joinedTable, row);
  }
  for (const list of rows.repeats.values()) for (const row of list) statements.save(repeatTable, row);
  writeNumbers(rows, statements);
}

/** Removed keywords come before the numbers that they refer to, new ones after them. */
function writeNumbers(rows: InboundRows, statements: Statements): void {
  const keywords = [...rows.changedKeywords.values()];
  for (const row of keywords) if (row.change === 'gone') statements.remove(keywordTable, row);
  for (const row of rows.removedNumbers) statements.remove(numberTable, row);
  for (const row of rows.numbers.values()) statements.save(numberTable, row);
  // The keyword may be stored already, if the group removed it and added it again.
  for (const row of keywords) if (row.change === 'new') statements.put(keywordTable, row);
}

/** Writes the changes of opt-out lists: each event is kept, and the list is their result. */
export function writeOptOuts(rows: OptOutRows, statements: Statements): void {
  for (const { event, row } of rows.steps) {
    statements.insert(optOutEventTable, event);
    // The entry may exist without being loaded, if the message looked like a receipt: no list is loaded for receipts.
    if (event.wish === 'out') statements.add(optOutTable, row);
    else statements.remove(optOutTable, row);
  }
  for (const account of rows.handlingsChanged) {
    const handling = rows.handlings.get(account);
    if (!handling) continue;
    statements.put(optOutHandlingTable, { ...handling, account });
    statements.run('delete from opt_out_word where account = ?', account);
    for (const [word, means] of handling.words) statements.insert(optOutWordTable, { account, word, means });
  }
}
