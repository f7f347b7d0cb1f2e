/*
 * The triggers that prevent changes of ledger entries (M4). Bits of `tgtype` (pg_trigger.h): 1 for each row, 2 before,
 * 8 delete, 16 update, 32 truncate.
 */

import { text } from '../../state/tables/column.ts';
import { shape } from '../../state/tables/table.ts';

/** `changed` has an entry, too, for a trigger that is switched off. */
export const entryGuardsFound = {
  shape: shape({ event: text, trigger: text, found: text }),
  sql: `select guard.event, guard.trigger, case
      when t.tgname is null then 'missing'
      when t.tgtype = guard.type and t.tgenabled in ('O', 'A') and t.tgqual is null and t.tgattr = ''
        and f.prosrc ~ '^\\s*begin\\s+raise exception ''[^'']*'';\\s+end\\s*$' then 'whole'
      else 'changed' end as found
    from (values ('update', 'entry_is_never_changed', 19), ('delete', 'entry_is_never_removed', 11),
      ('truncate', 'entry_is_never_emptied', 34)) as guard (event, trigger, type)
    left join pg_trigger as t on t.tgrelid = 'entry'::regclass and t.tgname = guard.trigger
    left join pg_proc as f on f.oid = t.tgfoid`,
};
