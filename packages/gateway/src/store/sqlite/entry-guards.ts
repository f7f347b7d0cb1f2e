/* The triggers that prevent changes of ledger entries (M4). Each engine keeps triggers in its own way. */

import { text } from '../../state/tables/column.ts';
import type { Statements } from './statements.ts';

interface EntryGuard {
  readonly event: 'update' | 'delete';
  readonly trigger: string;
}

export const entryGuards: readonly EntryGuard[] = [
  { event: 'update', trigger: 'entry_is_never_changed' },
  { event: 'delete', trigger: 'entry_is_never_removed' },
];

export function findGuard(statements: Statements, { event, trigger }: EntryGuard): 'whole' | 'changed' | 'missing' {
  const made = new RegExp(
    `^create trigger ${trigger} before ${event} on entry\\s+begin\\s+select raise\\(abort, '[^']*'\\);\\s+end$`,
    'i',
  );
  const sql = statements.value(text, "select sql from sqlite_schema where type = 'trigger' and name = ?", trigger);
  if (sql === undefined) return 'missing';
  return made.test(sql) ? 'whole' : 'changed';
}
